from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as parquet
import pytest

from headgate.core.errors import InputRejected
from tasks.reading.ingest import ingest
from tasks.reading.open_source import open_source
from tasks.reading.pinned_file import PinnedFile
from tasks.reading.source import Source
from tasks.reading.source_parquet import _width, open_parquet, open_parquet_bytes
from tests.unit.tasks.clinic import decoded


def test_parquet_with_types_categories_and_an_index_gives_the_same_table_as_csv(clinic):
    plain = ingest(clinic.load())
    frame = pd.read_csv(clinic.source, dtype={"zip": "str"}, keep_default_na=False, na_values={"income": [""]})
    frame["age"] = frame["age"].astype("int8")
    frame["region"] = frame["region"].astype("category")
    frame["admitted"] = pd.to_datetime(frame["admitted"])
    frame["diagnosis"] = frame["diagnosis"].str.split("|")
    path = clinic.folder / "clinic.parquet"
    frame.set_index(frame["age"] * 3 % 7, drop=True).to_parquet(path, index=False)
    found = ingest(clinic.load(), path)
    for name in plain.table.columns:
        assert decoded(found.table, name) == decoded(plain.table, name), name
    pd.testing.assert_frame_equal(found.cells.frame(found.cells.columns), plain.cells.frame(plain.cells.columns))


def test_a_parquet_file_whose_pages_are_damaged_is_refused(clinic, refusal):
    table = arrow_csv.read_csv(clinic.source)
    parquet.write_table(table, clinic.folder / "torn.parquet", compression="zstd")
    content = bytearray((clinic.folder / "torn.parquet").read_bytes())
    content[4:600] = b"\xff" * 596
    (clinic.folder / "torn.parquet").write_bytes(bytes(content))
    assert "damaged" in refusal(lambda: ingest(clinic.load(), clinic.folder / "torn.parquet")).message


def test_parquet_cells_that_no_attribute_can_have_are_refused(clinic, refusal):
    table = arrow_csv.read_csv(clinic.source, convert_options=arrow_csv.ConvertOptions(column_types={"zip": pa.string()}))
    for cells in (pa.array([b"CANARY"] * 60), pa.array([{"CANARY": 1}] * 60), pa.array([12] * 60, type=pa.duration("s"))):
        spoiled = table.set_column(table.column_names.index("zip"), "zip", cells)
        parquet.write_table(spoiled, clinic.folder / "odd.parquet")
        assert "'zip'" in refusal(lambda: ingest(clinic.load(), clinic.folder / "odd.parquet")).message


def two_groups(clinic) -> bytes:
    rows = arrow_csv.read_csv(clinic.source, convert_options=arrow_csv.ConvertOptions(column_types={"zip": pa.string()}))
    made = io.BytesIO()
    parquet.write_table(rows, made, row_group_size=30, store_schema=False)
    return made.getvalue()


def test_row_groups_with_other_columns_than_their_file_are_refused(clinic, refusal) -> None:
    """The second says that its incomes are another column. They were read as incomes."""
    content = two_groups(clinic)
    place = content.rindex(b"income")
    (clinic.folder / "odd.parquet").write_bytes(content)
    assert ingest(clinic.load(), clinic.folder / "odd.parquet").rows == 60
    (clinic.folder / "odd.parquet").write_bytes(content[:place] + b"weight" + content[place + 6 :])
    problem = refusal(lambda: ingest(clinic.load(), clinic.folder / "odd.parquet"))
    assert problem.message == "A row group of the source odd.parquet does not have the columns that the file declares."
    assert "one schema for all its row groups" in problem.cure


def test_a_parquet_file_that_changes_between_its_digest_and_its_cells_is_refused(clinic, refusal, monkeypatch) -> None:
    clinic.policy["source"] = {"kind": "parquet", "path": "t.parquet"}
    path, content = clinic.folder / "t.parquet", two_groups(clinic)
    path.write_bytes(content)

    def changed(columns: Sequence[str], source: Source) -> Iterator[pa.Table]:
        path.write_bytes(content.replace(b"stroke|asthma", b"asthma|stroke"))
        yield from source.reader(columns)

    def opened(*given: Any) -> Source:
        source = open_source(*given)
        return replace(source, reader=partial(changed, source=source))

    monkeypatch.setattr("tasks.reading.pinned_file.BLOCK", 64)
    monkeypatch.setattr("tasks.reading.ingest.open_source", opened)
    problem = refusal(lambda: ingest(clinic.load()))
    assert problem.message == "The source t.parquet changed while it was read."


def test_a_file_is_read_a_little_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However large its row groups are: 8 MB of numbers take a few blocks before the first rows are there."""
    monkeypatch.setattr("tasks.reading.source_parquet.AT_ONCE", 2**16)
    parquet.write_table(pa.table({"n": np.random.default_rng(1).random(1_000_000)}), tmp_path / "t.parquet", compression="none")
    source, read = open_parquet(tmp_path / "t.parquet"), []
    part = PinnedFile.part
    monkeypatch.setattr(PinnedFile, "part", lambda file, start, length: read.append(length) or part(file, start, length))
    parts = source.parts(["n"])
    assert next(parts).num_rows == 65_536
    assert sum(read) < 4_000_000
    assert 65_536 + sum(each.num_rows for each in parts) == 1_000_000


def bomb(column: pa.Array, **how: Any) -> bytes:
    stream = io.BytesIO()
    parquet.write_table(pa.table({"a": column}), stream, compression="zstd", store_schema=False, **how)
    return stream.getvalue()


ONE_TEXT = pa.DictionaryArray.from_arrays(pa.array([0] * 1_000, pa.int32()), pa.array(["x" * 100_000]))
BOMBS = {
    "one text that all cells refer to": (lambda: bomb(ONE_TEXT), "HEADGATE_MAX_BYTES"),
    "lists of it": (lambda: bomb(pa.array([["x" * 100_000] * 50] * 20, pa.list_(pa.string()))), "HEADGATE_MAX_BYTES"),
    "texts that repeat the one before": (
        lambda: bomb(
            pa.array(["y" * 100_000 + str(row) for row in range(300)]), use_dictionary=False, column_encoding={"a": "DELTA_BYTE_ARRAY"}
        ),
        "HEADGATE_MAX_BYTES",
    ),
    "one number for all rows": (lambda: bomb(pa.array([1] * 2_000_000, pa.int8())), "HEADGATE_MAX_CELLS"),
    "lists of one number": (lambda: bomb(pa.array([[1] * 200_000] * 10, pa.list_(pa.int8()))), "HEADGATE_MAX_CELLS"),
    "texts of one width": (lambda: bomb(pa.array([b"z" * 100_000] * 300, pa.binary(100_000))), "HEADGATE_MAX_BYTES"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_small_file_that_unpacks_to_more_than_is_read_is_refused_before_it_has(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first would fill 100 MB; with longer texts, the machine."""
    make, variable = BOMBS[name]
    content = make()
    assert len(content) < 20_000
    monkeypatch.setenv("HEADGATE_MAX_BYTES", "10000000")
    monkeypatch.setenv("HEADGATE_MAX_CELLS", "1000000")
    with pytest.raises(InputRejected, match="more than") as refusal:
        open_parquet_bytes(content, "The table").read(["a"])
    assert variable in refusal.value.cure


def test_texts_of_a_dictionary_are_read_as_they_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever way they are stored."""
    cells = [None, "a", "b", "a"] * 50
    for how in ({}, {"use_dictionary": False}, {"use_dictionary": False, "column_encoding": {"a": "DELTA_BYTE_ARRAY"}}):
        table = open_parquet_bytes(bomb(pa.array(cells), **how), "The table").read(["a"])
        assert table.schema.field("a").type == pa.string()
        assert table.column("a").to_pylist() == cells


@pytest.mark.slow
def test_a_damaged_description_of_a_column_is_an_error_and_no_end_of_the_process() -> None:
    """Previously pyarrow ended the process, and `headgate verify` of such a folder with it."""
    damaged = Path(__file__).parents[3] / "faults/corpus/parquet/repetition-levels"
    said = """if True:
        import sys
        from pathlib import Path
        from headgate.core.errors import InputRejected
        from tasks.reading.source_parquet import open_parquet_bytes
        source = open_parquet_bytes(Path(sys.argv[1]).read_bytes(), "The table")
        try:
            source.read(source.names)
        except InputRejected as refused:
            print(refused.message)
    """
    done = subprocess.run([sys.executable, "-c", said, damaged], cwd=Path(__file__).parents[4], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "The table is damaged: its columns cannot be read.\n"), done.stderr


def test_the_types_of_thousands_of_columns_are_looked_at_once_each() -> None:
    class Schema:
        asked = 0

        def __len__(self) -> int:
            return 3000

        def column(self, place: int) -> SimpleNamespace:
            self.asked += 1
            return SimpleNamespace(physical_type="FIXED_LEN_BYTE_ARRAY", length=2, path=f"a{place}.part")

    schema = Schema()
    assert _width(schema, frozenset(f"a{place}" for place in range(1000))) == 2000
    assert schema.asked == 3000
