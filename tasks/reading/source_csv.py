"""CSV as a source, also gzipped: every cell is text, so that 007 stays 007, and an empty cell is missing."""

from __future__ import annotations

import codecs
import csv
import gzip
import hashlib
import io
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as arrow_csv

from headgate.core.errors import LINE, MOST_PLACES, InputRejected, in_places
from headgate.core.units import counted
from policies.schema.source_key import CsvSource
from tasks.formats.file_kind import refuse_other_kinds
from tasks.reading.csv_lines import line_below_titles, lines_of_rows, splits_evenly, uneven_lines
from tasks.reading.source import Source, check_cells, check_names, read_bytes
from tasks.runtime.input_limits import BYTES
from tasks.runtime.wording import inside

COMMON_SEPARATORS = (",", ";", "\t", "|")
SEPARATOR_WORDS = {",": "','", ";": "';'", "\t": "a tab", "|": "'|'"}
GZIP_MAGIC = b"\x1f\x8b"
NO_TEXTS = (b"%PDF-", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"\x7fELF", b"{\\rtf")
CONTROL = [bytes([code]) for code in range(32) if code not in b"\t\n\r\x0b\x0c\x1b"]  # signs that no text has
MOST_CONTROL = 0.01
LOOKED_AT = 2**16  # bytes
BLOCK = 2**23  # bytes that are parsed at once
PIECE = 2**20  # bytes that are unpacked at once
LONGEST_HEADER = 2**24  # bytes


class NotDecoded(InputRejected):
    """The bytes are not text in the encoding that they are said to have."""


class CsvReader:
    def open_declared(self, key: CsvSource, folder: Path) -> Source:
        return open_csv(folder / key.path, key.separator, key.encoding)

    def open_recognized(self, content: bytes, name: str, where: str) -> Source | None:
        """A CSV has no mark of its own: what no other kind recognizes is read as one."""
        return None


READER = CsvReader()


def open_csv(path: Path, separator: str = ",", encoding: str = "utf-8", what: str = "The source") -> Source:
    return open_csv_bytes(read_bytes(path, what), f"{what} {path.name}", separator, encoding)


def open_csv_bytes(content: bytes, where: str, separator: str = ",", encoding: str = "utf-8") -> Source:
    return _opened(hashlib.sha256(content).hexdigest(), _as_utf8(unzipped(content, where), encoding, where), separator, where)


def open_guessed_csv(content: bytes, where: str) -> tuple[Source, str, str]:
    """With the separator and the encoding that were guessed: the separator that occurs most in the first line; UTF-8, else UTF-16 by its
    mark, else Windows' Western European encoding."""
    plain = unzipped(content, where)
    _refuse_no_text(plain, where)
    encoding, text = _guessed_text(plain, where)
    head = text.split(b"\n", 1)[0].split(b"\r", 1)[0].decode("utf-8")
    separator = max(COMMON_SEPARATORS, key=head.count)
    if not splits_evenly(text, separator):
        _refuse_titles(text, COMMON_SEPARATORS, where)  # a title does not tell what separates the columns below it
    return _opened(hashlib.sha256(content).hexdigest(), text, separator, where), separator, encoding


def _refuse_no_text(plain: bytes, where: str) -> None:
    """Pictures, programs and documents, whatever their name ends in."""
    refuse_other_kinds(plain, where, "csv")
    head = plain[:LOOKED_AT]
    if plain.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return
    if plain.startswith(NO_TEXTS) or sum(head.count(sign) for sign in CONTROL) > MOST_CONTROL * len(head):
        raise InputRejected(f"{where} is not a table: it is not text.", "Name a CSV, Parquet, Excel, SPSS or Stata file, or export one.")


def _guessed_text(plain: bytes, where: str) -> tuple[str, bytes]:
    if plain.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16", _as_utf8(plain, "utf-16", where)
    with suppress(NotDecoded):
        return "utf-8", _as_utf8(plain, "utf-8", where)
    return "cp1252", _as_utf8(plain, "cp1252", where)


def _opened(digest: str, text: bytes, separator: str, where: str) -> Source:
    if len(separator) == 1:
        _refuse_titles(text, (separator,), where)
    names = _header(text, separator, where)
    lines = partial(lines_of_rows, text, separator)
    return Source(where, names, digest, lambda columns: _parts(text, names, columns, separator, where), texts=True, lines=lines)


def _refuse_titles(text: bytes, separators: Sequence[str], where: str) -> None:
    lines = [line for mark in separators if (line := line_below_titles(text, mark)) is not None]
    if lines:
        line = min(lines)  # where commas are decimal marks, a row of numbers may look like a header too
        above = "line 1" if line == 2 else f"lines 1 to {line - 1}"
        raise InputRejected(
            f"{where} seems to have a title above its header: line {line} names the columns.",
            f"Delete {above}. If line 1 does name the columns, give it one name per column.",
        )


def unzipped(content: bytes, where: str) -> bytes:
    """The content of a gzip file, or of any other as it is."""
    if not content.startswith(GZIP_MAGIC):
        return content
    plain, most = bytearray(), BYTES.most
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            while len(plain) <= most and (piece := file.read(PIECE)):
                plain += piece
    except (EOFError, OSError, zlib.error):
        raise InputRejected(f"{where} is a gzip file that is cut short or damaged.", "Copy it again.") from None
    BYTES.check(len(plain), f"{where}, unpacked,")
    return bytes(plain)


def _as_utf8(content: bytes, encoding: str, where: str) -> bytes:
    """The text in UTF-8 without a byte order mark; the encoding is the declared one, never guessed."""
    refuse_other_kinds(content, where, "csv")
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
            raise InputRejected(f"{where} holds NUL characters.", "It may be UTF-16 or not text at all: correct `encoding` or `kind`.")
        if not text.removeprefix("\ufeff").strip():
            raise InputRejected(f"{where} is empty.", "Give a table with a header and at least one row.")
        return content.removeprefix(codecs.BOM_UTF8) if name == "utf-8" else text.removeprefix("\ufeff").encode("utf-8")
    raise NotDecoded(
        f"{where} is not {encoding}: line {line} cannot be decoded.",
        "Declare the `encoding` it was written in, such as latin-1 or windows-1252, or convert it to utf-8.",
    )


def _header(content: bytes, separator: str, where: str) -> tuple[str, ...]:
    if len(separator) != 1:
        raise InputRejected("The separator is not one character.", "Write one such as ',' or ';'; a tab as \"\\t\".")
    try:
        head = io.BytesIO(content[:LONGEST_HEADER])
        row = next(csv.reader(io.TextIOWrapper(head, encoding="utf-8", errors="replace", newline=""), delimiter=separator), [])
    except csv.Error:
        row = []
    if not row:
        raise InputRejected(f"The first line of {inside(where)} is blank.", "Let it name the columns; remove what is above it.")
    if len(row) == 1:
        other = next((mark for mark in COMMON_SEPARATORS if mark != separator and mark in row[0]), None)
        if other is not None:
            split, meant = (SEPARATOR_WORDS.get(mark, repr(mark)) for mark in (separator, other))
            cure = 'Declare `separator: "\\t"`.' if other == "\t" else f"Declare `separator: {meant}`."
            raise InputRejected(f"{where} has one column when split at {split}, and its header holds {meant}.", cure)
    check_names(row, where)
    return tuple(row)


def _parts(content: bytes, names: Sequence[str], columns: Sequence[str], separator: str, where: str) -> Iterator[pa.Table]:
    if content.count(b'"') % 2:
        raise InputRejected(f"{where} has a quotation mark that is never closed.", 'Close it, or double it inside a quoted cell ("").')
    check_cells(max(content.count(b"\n"), content.count(b"\r")), len(columns), where)
    uneven: Counter[tuple[int, int]] = Counter()  # by the fields that a line should have and has, in the order of the lines

    def note(row: Any) -> str:
        uneven[row.expected_columns, row.actual_columns] += 1
        return "skip"

    parsed = False
    try:
        reader = arrow_csv.open_csv(
            pa.BufferReader(content),
            # A block holds at least one row; rows of set values may be long.
            read_options=arrow_csv.ReadOptions(block_size=BLOCK),
            parse_options=arrow_csv.ParseOptions(delimiter=separator, newlines_in_values=True, invalid_row_handler=note),
            convert_options=arrow_csv.ConvertOptions(
                include_columns=list(columns),
                column_types={name: pa.string() for name in names},
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
            ),
        )
        yield from (pa.Table.from_batches([batch]) for batch in reader)
        parsed = True
    except (pa.ArrowException, KeyError, ValueError):
        parsed = False
    if uneven:
        expected, present = next(iter(uneven))
        lines, do = counted(uneven.total(), "line"), "does" if uneven.total() == 1 else "do"
        first = uneven_lines(content, separator, expected, MOST_PLACES)
        places = f"{in_places(LINE, first, uneven.total())}; " if first else ""
        raise InputRejected(
            f"{where}: {lines} {do} not have the {expected} fields of the header ({places}the first of them has {present}).",
            "Quote cells that hold the separator, or correct `separator`.",
        )
    if not parsed:
        raise InputRejected(f"{where} cannot be parsed as CSV.", "Check its quotation marks and line ends.")
