"""Reading published tables: those that a release has just written, each file once, and anybody's. Nothing about them is trusted.

What a release measures, expects, attacks and shows is one parse of the first format of each table. The other formats must hold the same
cells. The SHA-256 of the bytes that were parsed is kept: what is sealed must still have it.
"""

from __future__ import annotations

import hashlib
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
from tasks.reading.source import Source
from tasks.reading.source_csv import open_csv, open_csv_bytes
from tasks.reading.source_parquet import open_parquet, open_parquet_bytes
from tasks.stores.files import read_file
from tasks.tables.coded_cells import JoinedParts, coded_texts
from tasks.tables.spooled_stage import SpooledStage
from tasks.tables.write import WrittenFile

WHAT = "The table"


@dataclass(frozen=True)
class Joined:
    sha256: str
    bytes: int


@dataclass(frozen=True)
class PinnedFile(WrittenFile):
    """As it was read back. `joined`: of the last part of a table, the parts one after the other, a CSV's header once."""

    sha256: str
    bytes: int
    joined: Joined | None = None


@dataclass(frozen=True, eq=False)
class ReadBack:
    """The cells of one table as they were written, and how many of its other files hold other cells."""

    frame: pd.DataFrame = field(repr=False)  # of a CSV texts, of a Parquet file typed
    texts: pa.Table = field(repr=False)  # alike for all formats, coded
    differing: tuple[bool, ...] = ()  # of each further format


class JoinedBytes:
    """The bytes of a format's parts, one after the other, as tools take them that know parts."""

    def __init__(self, form: str) -> None:
        self.form, self._sum, self._bytes = form, hashlib.sha256(), 0

    def add(self, content: bytes) -> Joined:
        """Up to this part. A header is one line here: where a column's name holds a line end, tools cannot join parts."""
        own = content[content.find(b"\n") + 1 :] if self.form == "csv" and self._bytes else content
        self._sum.update(own)
        self._bytes += len(own)
        return Joined(self._sum.hexdigest(), self._bytes)


def read_back(folder: Path | SpooledStage, files: Sequence[WrittenFile]) -> tuple[ReadBack, tuple[PinnedFile, ...]]:
    """Each file of one table is read once and parsed once, from bytes whose digest is pinned; of a table in parts, one part at a time."""
    forms = [[file for file in files if file.format == form] for form in dict.fromkeys(file.format for file in files)]
    joined = [JoinedBytes(parts[0].format) for parts in forms]
    pinned: dict[str, PinnedFile] = {}
    differing = [False] * (len(forms) - 1)
    whole = JoinedParts(f"{WHAT} {files[0].table}")
    for part in zip(*forms, strict=True):
        texts = []
        for place, file in enumerate(part):
            content = folder.content(file.path) if isinstance(folder, SpooledStage) else read_file(folder, file.path).content
            opened = _parsed(content, file)
            upto = joined[place].add(content) if len(forms[place]) > 1 else None
            pinned[file.path] = PinnedFile(**vars(file), sha256=opened.digest, bytes=len(content), joined=upto)
            table = opened.read(opened.names)
            texts.append(coded_texts(table, opened.name))
            if place == 0:
                whole.add(table, texts[0])
        differing = [before or not other.equals(texts[0]) for before, other in zip(differing, texts[1:], strict=True)]
    texts_of_whole = whole.texts()
    return ReadBack(whole.frame(texts_of_whole), texts_of_whole, tuple(differing)), tuple(pinned[file.path] for file in files)


def _parsed(content: bytes, file: WrittenFile) -> Source:
    where = f"{WHAT} {Path(file.path).name}"
    return open_parquet_bytes(content, where) if file.format == "parquet" else open_csv_bytes(content, where)


def read_published_frame(*paths: Path) -> pd.DataFrame:
    """The cells of a published table: of a CSV as text, of a Parquet file as typed. Several paths are its parts in their order."""
    whole = JoinedParts(WHAT)
    for path in paths:
        source = open_parquet(path, WHAT) if path.suffix == ".parquet" else open_csv(path, what=WHAT)
        table = source.read(source.names)
        whole.add(table, coded_texts(table, source.name))
    return whole.frame(whole.texts())


def read_published(path: Path, promise: Promise, name: str) -> PublishedTable:
    """A published file as gates measure it."""
    return published_of(read_published_frame(path), promise, name)


def published_of(frame: pd.DataFrame, promise: Promise, name: str) -> PublishedTable:
    """The sensitive and insensitive columns are those of the promise that the file has; a column that the promise does not know is
    refused."""
    there = frozenset(frame.columns)
    held = tuple(attribute for attribute in promise.sensitive if there.issuperset(attribute.components or (attribute.name,)))
    specs = specs_of(promise.model_copy(update={"sensitive": held}))  # not of all tables: there may be as many as attributes
    insensitive = {key: ColumnSpec(key, Kind.CATEGORY, Role.INSENSITIVE) for key in promise.insensitive if key in there}
    quasi = [identifier.name for identifier in promise.quasi]
    ends = (name for identifier in promise.quasi for name in identifier.bounds or ())
    known = {*quasi, *ends, GROUP, *insensitive, *(part for key, spec in specs.items() for part in (spec.components or (key,)))}
    unknown = [str(column) for column in frame.columns if column not in known]
    if unknown:
        raise InputRejected(
            f"Table '{name}' has {len(unknown)} columns that were not promised, first '{unknown[0]}'.", "Publish the table again."
        )
    return from_frame(frame, name, quasi, specs, insensitive)
