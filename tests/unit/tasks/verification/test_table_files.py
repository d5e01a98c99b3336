from __future__ import annotations

import contextlib
import gzip
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from headgate.core.errors import IntegrityBroken
from tasks.stores.files import Stored
from tasks.tables.write import write_frame
from tasks.verification.claims import remeasure
from tasks.verification.table_files import open_table
from tests.unit.tasks.world import ROWS, Made

CSV, PARQUET = "tables/table-1.csv", "tables/table-1.parquet"
CANARY = b"CANARY-7"


def stored(made: Made, path: str, edit: Callable[[bytes], bytes] = bytes) -> Stored:
    return Stored(path, edit((made.folder / path).read_bytes()))


def refused(made: Made, path: str, edit: Callable[[bytes], bytes]) -> str:
    with pytest.raises(IntegrityBroken) as broken:
        open_table(stored(made, path, edit))
    assert "CANARY" not in str(broken.value)
    return broken.value.message


def rewritten(edit: Callable[[pa.Table], pa.Table] = lambda table: table, **options: object) -> Callable[[bytes], bytes]:
    """Written by somebody else, with the same cells in each row."""

    def write(content: bytes) -> bytes:
        sink = io.BytesIO()
        parquet.write_table(edit(parquet.read_table(io.BytesIO(content))), sink, store_schema=False, **options)
        return sink.getvalue()

    return write


def with_unused_values(table: pa.Table) -> pa.Table:
    encoded = table.column("job").combine_chunks().dictionary_encode()
    values = pa.array([*encoded.dictionary.to_pylist(), CANARY.decode()])
    column = pa.DictionaryArray.from_arrays(encoded.indices.cast(pa.int32()), values)
    return table.set_column(table.column_names.index("job"), "job", column)


def footer(content: bytes) -> int:
    """Where the description of a Parquet file begins."""
    return len(content) - 8 - int.from_bytes(content[-8:-4], "little")


def padded(content: bytes) -> bytes:
    return content[: footer(content)] + CANARY + content[footer(content) :]


def test_files_as_they_were_written_hold_their_cells_and_nothing_else(made: Made) -> None:
    for path in (CSV, PARQUET):
        table, as_written = open_table(stored(made, path))
        assert (table.num_rows, as_written) == (ROWS, True)


def test_whatever_cells_are_written_their_files_are_found_as_written(tmp_path: Path) -> None:
    odd = [",", '"', "a\nb", "a\r\nb", " x", "x ", "*", "é", "\u2028", "007", "=1+1", None, "", "x" * 70_000]
    frame = pd.DataFrame(
        {
            "text": [odd[place % len(odd)] for place in range(1000)],
            "number": np.resize([0.1, 1e300, -0.0, 0.0, 5e-324, 1 / 3, np.nan], 1000),
            "whole": np.arange(1000) - 500,
            "missing": pd.array([None, 1] * 500, dtype="Int64"),
            "day": pd.date_range("1900-01-01", periods=1000).date,
            "nothing": [None] * 1000,
            "group": np.arange(1000),
        }
    )
    for written in write_frame(frame, tmp_path, "table-1"):
        assert open_table(Stored(written.path, (tmp_path / written.path).read_bytes()))[1], written.format


@pytest.mark.parametrize(
    "edit",
    [
        gzip.compress,
        lambda content: b"\xef\xbb\xbf" + content,
        lambda content: content.replace(b"\n", b"\r\n"),
        lambda content: content.replace(b"\n", b"\n\n", 3),
        lambda content: content.replace(b"nurse", b'"nurse"', 1),
        lambda content: content.removesuffix(b"\n"),
    ],
    ids=["gzip", "byte order mark", "line ends", "blank lines", "quotation marks", "no last line end"],
)
def test_a_csv_has_one_spelling(made: Made, edit: Callable[[bytes], bytes]) -> None:
    """A gzip file under the name of a CSV was unpacked and measured, though no reader of a CSV opens it."""
    assert "tables/table-1.csv is not spelt as headgate writes it" in refused(made, CSV, edit)


def test_what_no_part_of_a_parquet_file_refers_to_is_refused(made: Made) -> None:
    assert "bytes behind its columns" in refused(made, PARQUET, padded)


def test_values_that_no_row_has_are_refused(made: Made) -> None:
    assert CANARY in rewritten(with_unused_values, compression="none")((made.folder / PARQUET).read_bytes())
    assert "dictionary values that no row has" in refused(made, PARQUET, rewritten(with_unused_values))


def test_a_description_says_nothing_of_its_own(made: Made) -> None:
    def renamed(content: bytes) -> bytes:
        written = b"parquet-cpp-arrow"
        assert written in content[footer(content) :]
        return content.replace(written, CANARY + b"cpp-arrow", 1)

    def rooted(content: bytes) -> bytes:
        assert content[footer(content) :].count(b"schema") == 1
        return content[: footer(content)] + content[footer(content) :].replace(b"schema", b"CANARY")

    for edit in (renamed, rooted):
        assert "a name in its description" in refused(made, PARQUET, edit)


def test_first_and_last_texts_are_those_of_the_cells(made: Made) -> None:
    def forged(content: bytes) -> bytes:
        place = footer(content)
        assert b"nurse" in content[place:]
        return content[:place] + content[place:].replace(b"nurse", b"zzzzz")

    assert "statistics" in refused(made, PARQUET, forged)


def test_first_and_last_numbers_are_those_of_the_cells(made: Made) -> None:
    """Eight bytes that no cell holds could stand there; and readers that skip rows by them saw other rows than were measured."""

    def forged(content: bytes) -> bytes:
        place = footer(content)
        (largest,) = {parquet.read_table(io.BytesIO(content))["income"].to_numpy().max()}
        told = np.asarray(largest).tobytes()
        assert told in content[place:]
        return content[:place] + content[place:].replace(told, b"SECRET42")

    assert "statistics" in refused(made, "tables/table-2.parquet", forged)


@pytest.mark.parametrize(
    "options",
    [{"compression": "snappy"}, {"use_dictionary": False}, {"row_group_size": 25}, {"data_page_version": "2.0"}, {"data_page_size": 64}],
)
def test_a_file_that_another_version_wrote_is_read_and_said_to_be_checked_in_parts(made: Made, options: dict[str, object]) -> None:
    other = stored(made, PARQUET, rewritten(**options))
    table, as_written = open_table(other)
    assert (table.num_rows, as_written) == (ROWS, False)
    files = {path: stored(made, path) for path in (CSV, PARQUET, "tables/table-2.csv", "tables/table-2.parquet")}
    again = remeasure(made.manifest, files | {PARQUET: other})
    assert [claim for claim in again.not_measured if "Arrow" in claim and PARQUET in claim]
    assert not [claim for claim in remeasure(made.manifest, files).not_measured if "Arrow" in claim]


def test_no_changed_byte_of_a_description_ends_the_process(made: Made) -> None:
    """One that gave a column's chunk another type than its column ended `headgate verify` with SIGABRT."""
    content = (made.folder / PARQUET).read_bytes()
    described = int.from_bytes(content[-8:-4], "little")
    for place in range(len(content) - 8 - described, len(content) - 8):
        changed = bytearray(content)
        changed[place] = 72
        with contextlib.suppress(Exception):
            open_table(Stored(PARQUET, bytes(changed)))
