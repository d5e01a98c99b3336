"""Reading published tables: those that a release has just written, each file once, and anybody's. Nothing about them is trusted.

What a release measures, expects, attacks and shows is one parse of the first format of each table. The other formats must hold the same
cells. The SHA-256 of the bytes that were parsed is kept: what is sealed must still have it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import pyarrow as pa

from headgate.core.columns import GROUP, Kind, Role
from headgate.core.encode import ColumnSpec
from headgate.core.errors import InputRejected
from headgate.core.published_form.published_table import PublishedTable, from_frame
from policies.sealed.promise import Promise
from policies.sealed.specs import specs_of
from tasks.reading.arrow_frame import frame_of, texts_of
from tasks.reading.source import Source
from tasks.reading.source_csv import open_csv, open_csv_bytes
from tasks.reading.source_parquet import open_parquet, open_parquet_bytes
from tasks.stores.files import read_file
from tasks.tables.write import WrittenFile

WHAT = "The table"


@dataclass(frozen=True)
class PinnedFile(WrittenFile):
    """As it was read back."""

    sha256: str
    bytes: int


@dataclass(frozen=True, eq=False)
class ReadBack:
    """The cells of one table as they were written, and how many of its other files hold other cells."""

    frame: pd.DataFrame = field(repr=False)  # of a CSV texts, of a Parquet file typed
    texts: pa.Table = field(repr=False)  # alike for all formats
    differing: tuple[bool, ...] = ()  # of each further format


def read_back(folder: Path, files: Sequence[WrittenFile]) -> tuple[ReadBack, tuple[PinnedFile, ...]]:
    """Each file of one table is read once and parsed once, from bytes whose digest is pinned."""
    pinned, parsed = [], []
    for file in files:
        content = read_file(folder, file.path).content
        opened = _parsed(content, file)
        pinned.append(PinnedFile(**vars(file), sha256=opened.digest, bytes=len(content)))
        parsed.append((opened.name, opened.read(opened.names)))
    texts = [texts_table(table, where) for where, table in parsed]
    where, first = parsed[0]
    return ReadBack(frame_of(first, where), texts[0], tuple(not other.equals(texts[0]) for other in texts[1:])), tuple(pinned)


def _parsed(content: bytes, file: WrittenFile) -> Source:
    where = f"{WHAT} {Path(file.path).name}"
    return open_parquet_bytes(content, where) if file.format == "parquet" else open_csv_bytes(content, where)


def texts_table(table: pa.Table, where: str) -> pa.Table:
    """The cells as texts, alike for all formats."""
    return pa.table({name: texts_of(table.column(name), name, where).combine_chunks() for name in table.column_names})


def read_published_frame(path: Path) -> pd.DataFrame:
    """The cells of a published file: of a CSV as text, of a Parquet file as typed."""
    source = open_parquet(path, WHAT) if path.suffix == ".parquet" else open_csv(path, what=WHAT)
    return frame_of(source.read(source.names), source.name)


def read_published(path: Path, promise: Promise, name: str) -> PublishedTable:
    """A published file as gates measure it."""
    return published_of(read_published_frame(path), promise, name)


def published_of(frame: pd.DataFrame, promise: Promise, name: str) -> PublishedTable:
    """The sensitive and insensitive columns are those of the promise that the file has; a column that the promise does not know is
    refused."""
    specs = {key: spec for key, spec in specs_of(promise).items() if set(spec.components or (key,)) <= set(frame.columns)}
    insensitive = {key: ColumnSpec(key, Kind.CATEGORY, Role.INSENSITIVE) for key in promise.insensitive if key in frame.columns}
    quasi = [identifier.name for identifier in promise.quasi]
    ends = (name for identifier in promise.quasi for name in identifier.bounds or ())
    known = {*quasi, *ends, GROUP, *insensitive, *(part for key, spec in specs.items() for part in (spec.components or (key,)))}
    unknown = [str(column) for column in frame.columns if column not in known]
    if unknown:
        raise InputRejected(
            f"Table '{name}' has {len(unknown)} columns that were not promised, first '{unknown[0]}'.", "Publish the table again."
        )
    return from_frame(frame, name, quasi, specs, insensitive)
