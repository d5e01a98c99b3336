"""Opening a table that somebody hands in: CSV (also gzipped), Parquet or the result of a query.

Every way in which it can be unreadable ends in one refusal that names the file, the line or the column and the cure, never a
cell. The bytes are read once: the digest is of exactly what is then parsed.
"""

from __future__ import annotations

import codecs
import csv
import difflib
import gzip
import hashlib
import io
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as parquet

from headgate.core.errors import InputRejected
from policies.words.fields import choices
from tasks.runtime.boundary import reason_of

COMMON_SEPARATORS = (",", ";", "\t", "|")
SEPARATOR_WORDS = {",": "','", ";": "';'", "\t": "a tab", "|": "'|'"}
GZIP_MAGIC = b"\x1f\x8b"
MOST_SHOWN = 6  # names of columns in a message
PARQUET_MAGIC = b"PAR1"
PARQUET_SUFFIXES = (".parquet", ".pq")


@dataclass(frozen=True, eq=False)
class Source:
    """An opened table: what its columns are called, the SHA-256 of its bytes, and a way to read some of the columns."""

    name: str
    names: tuple[str, ...]
    digest: str
    reader: Callable[[Sequence[str]], pa.Table]

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Only these columns; the others are never parsed. Refuses a table without rows."""
        table = self.reader(columns)
        if table.num_rows == 0:
            raise InputRejected(f"{self.name} has a header and no rows.", "Give a table with at least one person.")
        return table


def require_columns(source: Source, wanted: Sequence[str]) -> None:
    for name in wanted:
        if name not in source.names:
            raise InputRejected(f"{source.name} has no column '{name}'.", names_instead(source.names, wanted, name))


def names_instead(names: Sequence[str], wanted: Sequence[str], lacking: str) -> str:
    """What a table has instead. A file without a header begins with somebody's data: its first line is only shown where at least one
    column is called as it should be."""
    headed = bool(set(names) & set(wanted))
    others = [name for name in names if name not in wanted] or list(names)
    guess = difflib.get_close_matches(lacking, others, 1, cutoff=0.6 if headed else 0.75)
    if guess:
        return f"Did you mean '{guess[0]}'?"
    if not headed:
        return "None of the columns asked for is there: the first line must name the columns."
    return f"It has: {choices(others[:MOST_SHOWN])}{' and others' if len(others) > MOST_SHOWN else ''}."


def read_bytes(path: Path, what: str) -> pa.Buffer:
    """The whole file. Refuses what is not a readable, non-empty file."""
    try:
        if path.is_dir():
            raise InputRejected(f"{what} {path} is a folder.", "Name the file in it.")
        if not path.exists():
            raise InputRejected(f"{what} {path} does not exist.", "Correct the path; paths in a policy are relative to the policy file.")
        if not path.is_file():
            raise InputRejected(f"{what} {path} is no file but a device or a pipe.", "Name a file.")
        buffer = pa.py_buffer(path.read_bytes())
    except OSError as problem:
        raise InputRejected(f"{what} {path} cannot be read ({reason_of(problem)}).", "Check its rights.") from None
    if buffer.size == 0:
        raise InputRejected(f"{what} {path} is empty.", "Give a table with a header and at least one row.")
    return buffer


def holds_parquet(buffer: pa.Buffer) -> bool:
    return bool(buffer.slice(0, len(PARQUET_MAGIC)).to_pybytes() == PARQUET_MAGIC)


def open_csv(path: Path, separator: str = ",", encoding: str = "utf-8", what: str = "The source") -> Source:
    """Every cell is text, so that 007 stays 007; an empty cell is missing."""
    return open_csv_bytes(read_bytes(path, what), f"{what} {path.name}", separator, encoding)


def open_csv_bytes(buffer: pa.Buffer, where: str, separator: str = ",", encoding: str = "utf-8") -> Source:
    digest = hashlib.sha256(buffer).hexdigest()
    content = _as_utf8(unzipped(buffer, where), encoding, where)
    names = _header(content, separator, where)
    return Source(where, names, digest, lambda columns: _parse_csv(content, names, columns, separator, where))


def open_parquet(path: Path, what: str = "The source") -> Source:
    return open_parquet_bytes(read_bytes(path, what), f"{what} {path.name}")


def open_parquet_bytes(buffer: pa.Buffer, where: str) -> Source:
    try:
        opened: parquet.ParquetFile | None = parquet.ParquetFile(pa.BufferReader(buffer))
        names = tuple(opened.schema_arrow.names) if opened else ()
    except (pa.ArrowException, OSError, ValueError):
        opened = None
    if opened is None:
        raise InputRejected(
            f"{where} is not a whole Parquet file.", "It may be cut short or of another format: copy it again, or correct `kind`."
        )
    file = opened
    check_names(names, where)

    def read(columns: Sequence[str]) -> pa.Table:
        try:
            return file.read(columns=list(columns), use_pandas_metadata=False)
        except (pa.ArrowException, OSError, ValueError):
            pass
        raise InputRejected(f"{where} is damaged: its columns cannot be read.", "Copy or write it again.")

    return Source(where, names, hashlib.sha256(buffer).hexdigest(), read)


def check_names(names: Sequence[str], where: str) -> None:
    """Each column has a name, and one of its own."""
    for place, name in enumerate(names, 1):
        if not name.strip():
            raise InputRejected(f"Column {place} of {where} has no name.", "Name it, or leave it out (an index that was written along?).")
    places: dict[str, int] = {}
    for place, name in enumerate(names, 1):
        first = places.setdefault(name, place)
        if first < place:  # the name is not shown: where a header is missing it is somebody's cell
            raise InputRejected(f"Columns {first} and {place} of {where} have the same name.", "Rename or remove one.")


def unzipped(buffer: pa.Buffer, where: str) -> bytes:
    """The content of a gzip file, or of any other as it is."""
    content: bytes = buffer.to_pybytes()
    if not content.startswith(GZIP_MAGIC):
        return content
    try:
        return gzip.decompress(content)
    except (EOFError, OSError, zlib.error):
        pass
    raise InputRejected(f"{where} is a gzip file that is cut short or damaged.", "Copy it again.")


def _as_utf8(content: bytes, encoding: str, where: str) -> bytes:
    """The text in UTF-8 without a byte order mark; the encoding is the declared one, never guessed."""
    try:
        name = codecs.lookup(encoding).name
    except LookupError:
        name = ""
    if not name:
        raise InputRejected(f"'{encoding}' is not an encoding.", "Write utf-8, latin-1, windows-1252 or another name that Python knows.")
    try:
        text = content.decode(name)
    except UnicodeDecodeError as problem:
        line = content[: problem.start].count(b"\n") + 1
    else:
        if "\x00" in text:
            raise InputRejected(f"{where} holds NUL characters.", "It may be UTF-16 or not a text at all: correct `encoding` or `kind`.")
        text = text.removeprefix("\ufeff")
        if not text.strip():
            raise InputRejected(f"{where} is empty.", "Give a table with a header and at least one row.")
        return text.encode("utf-8")
    raise InputRejected(
        f"{where} is not {encoding}: line {line} cannot be decoded.",
        "Declare the `encoding` it was written in, such as latin-1 or windows-1252, or convert it to utf-8.",
    )


def _header(content: bytes, separator: str, where: str) -> tuple[str, ...]:
    if len(separator) != 1:
        raise InputRejected("The separator is not one character.", "Write one such as ',' or ';'; a tab as \"\\t\".")
    try:
        row = next(csv.reader(io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline=""), delimiter=separator), [])
    except csv.Error:
        row = []
    if len(row) == 1:
        other = next((mark for mark in COMMON_SEPARATORS if mark != separator and mark in row[0]), None)
        if other is not None:
            split, meant = (SEPARATOR_WORDS.get(mark, repr(mark)) for mark in (separator, other))
            cure = 'Declare `separator: "\\t"`.' if other == "\t" else f"Declare `separator: {meant}`."
            raise InputRejected(f"{where} has one column when split at {split}, and its header holds {meant}.", cure)
    check_names(row, where)
    return tuple(row)


def _parse_csv(content: bytes, names: Sequence[str], columns: Sequence[str], separator: str, where: str) -> pa.Table:
    if content.count(b'"') % 2:
        raise InputRejected(f"{where} has a quotation mark without its partner.", 'Close it, or double it inside a quoted cell ("").')
    uneven: list[Any] = []

    def note(row: Any) -> str:
        uneven.append((row.expected_columns, row.actual_columns))
        return "skip"

    table: pa.Table | None = None
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(content),
            # A block holds at least one row; rows of set values may be long.
            read_options=arrow_csv.ReadOptions(block_size=8 << 20),
            parse_options=arrow_csv.ParseOptions(delimiter=separator, newlines_in_values=True, invalid_row_handler=note),
            convert_options=arrow_csv.ConvertOptions(
                include_columns=list(columns),
                column_types={name: pa.string() for name in names},
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
            ),
        )
    except (pa.ArrowException, KeyError, ValueError):
        table = None
    if uneven:
        expected, found = uneven[0]
        raise InputRejected(
            f"{where} has {len(uneven)} lines that do not have the {expected} fields of its header (the first one has {found}).",
            "Quote cells that hold the separator, or correct `separator`.",
        )
    if table is None:
        raise InputRejected(f"{where} cannot be parsed as CSV.", "Check its quotation marks and line ends.")
    return table
