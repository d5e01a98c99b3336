"""Writing a table that is to be published, and reading it back.

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

from headgate.core.columns import GROUP, Kind, Role
from headgate.core.encode import ColumnSpec
from headgate.core.errors import Defect, InputRejected, StoreUnavailable
from headgate.core.published import PublishedTable, from_frame, to_frame
from headgate.core.spelling import value_text
from policies.sealed.promise import Promise
from policies.sealed.specs import specs_of
from tasks.reading.arrow_frame import frame_of, plain_array, texts_of
from tasks.reading.source import Source
from tasks.reading.source_csv import open_csv
from tasks.reading.source_parquet import open_parquet
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
                {"csv": _write_csv, "parquet": _write_parquet}[form](table, stream)
        except OSError as problem:
            reason = reason_of(problem)
            raise StoreUnavailable(f"tables/{name}.{form} cannot be written ({reason}).", "Check the disk's space and rights.") from None
        written.append(WrittenFile(name, form, f"tables/{name}.{form}", table.num_rows))
    return tuple(written)


def _write_parquet(table: pa.Table, stream: BinaryIO) -> None:
    parquet.write_table(table, stream, compression="zstd", store_schema=False)


def _write_csv(table: pa.Table, stream: BinaryIO) -> None:
    """RFC 4180 with \\n; a missing cell is nothing at all. Quoting is decided once a distinct value, and rows are put together column by
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


def read_published_frame(path: Path) -> pd.DataFrame:
    """The cells of a published file: of a CSV as text, of a Parquet file as typed. Nothing about it is trusted."""
    source = _opened(path)
    return frame_of(source.read(source.names), source.name)


def read_published_texts(path: Path) -> pa.Table:
    """The cells of a published file as text, alike for all formats."""
    source = _opened(path)
    table = source.read(source.names)
    columns = {name: texts_of(table.column(name), name, source.name).combine_chunks() for name in source.names}
    return pa.table(columns)


def _opened(path: Path) -> Source:
    return open_parquet(path, "The table") if path.suffix == ".parquet" else open_csv(path, what="The table")


def read_published(path: Path, promise: Promise, name: str) -> PublishedTable:
    """A published file as gates measure it."""
    return published_of(read_published_frame(path), promise, name)


def published_of(frame: pd.DataFrame, promise: Promise, name: str) -> PublishedTable:
    """The sensitive and insensitive columns are those of the promise that the file has; a column that the promise does not know is
    refused."""
    specs = {key: spec for key, spec in specs_of(promise).items() if set(spec.components or (key,)) <= set(frame.columns)}
    insensitive = {key: ColumnSpec(key, Kind.CATEGORY, Role.INSENSITIVE) for key in promise.insensitive if key in frame.columns}
    quasi = [identifier.name for identifier in promise.quasi]
    known = {*quasi, GROUP, *insensitive, *(part for key, spec in specs.items() for part in (spec.components or (key,)))}
    unknown = [str(column) for column in frame.columns if column not in known]
    if unknown:
        raise InputRejected(
            f"Table '{name}' has {len(unknown)} columns that were not promised, first '{unknown[0]}'.", "Publish the table again."
        )
    return from_frame(frame, name, quasi, specs, insensitive)


def write_published(
    published: PublishedTable, folder: Path, formats: Sequence[str] = FORMATS, seed: int | None = None
) -> tuple[WrittenFile, ...]:
    """Decodes, shuffles and writes one table. Without a seed its order and group numbers come from the system's randomness."""
    frame = to_frame(published, secrets.randbits(128) if seed is None else seed)
    return write_frame(frame, folder, published.name, formats)
