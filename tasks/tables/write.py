"""Writing a table that is to be published.

Both formats are built from the same plain arrays, so they hold the same values, and nothing else: no index, no pandas metadata, no
Arrow schema, no unused categories, no paths. Values are never altered, not even where a spreadsheet would take a cell that begins
with = + - or @ for a formula: a published value is the source's value, and importing such columns as text is the reader's part
(the data dictionary says so).
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pandas as pd
import pyarrow as pa
import pyarrow.compute as compute
import pyarrow.parquet as parquet

from headgate.core.errors import Defect, StoreUnavailable
from headgate.core.published_form.published_table import PublishedTable, to_frame
from headgate.core.spelling import value_text
from tasks.reading.arrow_frame import plain_array
from tasks.runtime.boundary import reason_of

FORMATS = ("csv", "parquet")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_QUOTED = re.compile(r'[",\r\n]|^\s|\s$')


@dataclass(frozen=True)
class WrittenFile:
    """One file of one table, as a path inside the release's folder."""

    table: str
    format: str
    path: str
    rows: int


def write_frame(frame: pd.DataFrame, folder: Path, name: str, formats: Sequence[str] = FORMATS) -> tuple[WrittenFile, ...]:
    """tables/<name>.csv and .parquet below `folder`; sealing flushes them to disk. An existing file is never written over."""
    if not _NAME.fullmatch(name):
        raise Defect("A table's name cannot be a file's name.", "Use letters, digits, '-' and '_'.")
    arrays = {str(column): plain_array(frame[column], str(column)) for column in frame.columns}
    table = pa.table(arrays).replace_schema_metadata(None)
    written = []
    tables = folder / "tables"
    for form in formats:
        path = tables / f"{name}.{form}"
        try:
            tables.mkdir(mode=0o755, exist_ok=True)
            with path.open("xb") as stream:
                {"csv": write_csv, "parquet": write_parquet}[form](table, stream)
        except OSError as problem:
            reason = reason_of(problem)
            raise StoreUnavailable(f"tables/{name}.{form} cannot be written ({reason}).", "Check permissions and free space.") from None
        written.append(WrittenFile(name, form, f"tables/{name}.{form}", table.num_rows))
    return tuple(written)


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
    published: PublishedTable, folder: Path, formats: Sequence[str] = FORMATS, seed: int | None = None
) -> tuple[WrittenFile, ...]:
    """Decodes, shuffles and writes one table. Without a seed its order and group numbers come from the system's randomness."""
    frame = to_frame(published, secrets.randbits(128) if seed is None else seed)
    return write_frame(frame, folder, published.name, formats)
