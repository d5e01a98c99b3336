"""Writing a table that is to be published.

Both formats are built from the same plain arrays, so they hold the same values, and nothing else: no index, no pandas metadata, no
Arrow schema, no unused categories, no paths. Values are never altered, not even where a spreadsheet would take a cell that begins
with = + - or @ for a formula: a published value is the source's value, and importing such columns as text is the reader's part
(the data dictionary says so).
"""

from __future__ import annotations

import itertools
import re
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pandas as pd
import pyarrow as pa
import pyarrow.compute as compute
import pyarrow.parquet as parquet

from headgate.core.errors import Defect, StoreUnavailable
from headgate.core.published_form.file_parts import ROWS_PER_PART, sizes_of_parts, table_paths
from headgate.core.published_form.published_table import PublishedTable, frames_of_parts
from headgate.core.spelling import value_text
from tasks.reading.arrow_frame import plain_array
from tasks.runtime.boundary import reason_of
from tasks.tables.spooled_stage import SpooledStage

FORMATS = ("csv", "parquet")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_QUOTED = re.compile(r'[",\r\n]|^\s|\s$')


@dataclass(frozen=True)
class WrittenFile:
    """One file of one table, or of one part of it, as a path inside the release's folder."""

    table: str
    format: str
    path: str
    rows: int


def write_frame(frame: pd.DataFrame, folder: Path, name: str, formats: Sequence[str] = FORMATS) -> tuple[WrittenFile, ...]:
    """tables/<name>.csv and .parquet below `folder`; sealing flushes them to disk. An existing file is never written over."""
    return _write_parts([frame], 1, folder, name, formats)


def _write_parts(
    frames: Iterable[pd.DataFrame], parts: int, folder: Path | SpooledStage, name: str, formats: Sequence[str]
) -> tuple[WrittenFile, ...]:
    """Part by part in all formats; listed format by format."""
    if not _NAME.fullmatch(name):
        raise Defect("A table's name cannot be a file's name.", "Use letters, digits, '-' and '_'.")
    written: dict[str, list[WrittenFile]] = {form: [] for form in formats}
    schema: pa.Schema | None = None
    for part, frame in enumerate(frames):
        arrays = {str(column): plain_array(frame[column], str(column)) for column in frame.columns}
        table = pa.table(arrays).replace_schema_metadata(None)
        schema = schema or table.schema
        if table.schema != schema:
            raise Defect(f"The parts of {name} have columns of different types.", "Publish nothing; report this defect.")
        for form in formats:
            path = table_paths(name, form, parts)[part]
            _write_new(table, form, folder, path)
            written[form].append(WrittenFile(name, form, path, table.num_rows))
    return tuple(itertools.chain.from_iterable(written.values()))


def _write_new(table: pa.Table, form: str, folder: Path | SpooledStage, path: str) -> None:
    write = {"csv": write_csv, "parquet": write_parquet}[form]
    if isinstance(folder, SpooledStage):
        with folder.create(path) as stream:
            write(table, stream)
        return
    try:
        (folder / path).parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        with (folder / path).open("xb") as stream:
            write(table, stream)
    except OSError as problem:
        raise StoreUnavailable(f"{path} cannot be written ({reason_of(problem)}).", "Check permissions and free space.") from None


def write_parquet(table: pa.Table, stream: BinaryIO) -> None:
    parquet.write_table(table, stream, compression="zstd", store_schema=False)


def write_csv(table: pa.Table, stream: BinaryIO) -> None:
    """RFC 4180 with \\n; a missing cell is nothing at all. Quoting is decided once per distinct value, and rows are put together column by
    column: the bytes of all rows then lie one after the other in one buffer."""
    stream.write((",".join(_quoted(name) for name in table.column_names) + "\n").encode("utf-8"))
    if table.num_rows:
        nothing, comma, line_end = (pa.scalar(text, pa.large_string()) for text in ("", ",", "\n"))
        rows = compute.binary_join_element_wise(*(_csv_cells(column) for column in table.columns), comma)
        stream.write(compute.binary_join_element_wise(rows, nothing, line_end).buffers()[2])


def _csv_cells(column: pa.ChunkedArray) -> pa.Array:
    encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    distinct = ["" if cell is None else _quoted(value_text(cell)) for cell in encoded.dictionary.to_pylist()]
    return pa.array(distinct, type=pa.large_string()).take(encoded.indices)


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text


def write_published(
    published: PublishedTable,
    folder: Path | SpooledStage,
    formats: Sequence[str] = FORMATS,
    seed: int | None = None,
    rows_per_part: int = ROWS_PER_PART,
) -> tuple[WrittenFile, ...]:
    """Shuffles one table, decodes it part by part and writes it. Without a seed its order and group numbers come from the system's
    randomness."""
    sizes = sizes_of_parts(published.rows, rows_per_part)
    frames = frames_of_parts(published, secrets.randbits(128) if seed is None else seed, sizes)
    return _write_parts(frames, len(sizes), folder, published.name, formats)
