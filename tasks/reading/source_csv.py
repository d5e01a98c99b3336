"""CSV as a source, also gzipped: every cell is text, so that 007 stays 007, and an empty cell is missing."""

from __future__ import annotations

import codecs
import csv
import io
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.csv as arrow_csv

from headgate.core.errors import LINE, MOST_PLACES, InputRejected, in_places
from headgate.core.units import counted
from policies.schema.source_key import CsvSource
from tasks.formats.file_kind import refuse_other_kinds
from tasks.reading.csv_lines import line_below_titles, lines_of_rows, splits_evenly, uneven_lines
from tasks.reading.csv_text import UTF_8, CsvText, NotDecoded, csv_text, plain_stream
from tasks.reading.pinned_file import Content, PinnedFile, digest_of, shown_kind
from tasks.reading.source import Source, check_cells, check_names
from tasks.runtime.wording import inside

COMMON_SEPARATORS = (",", ";", "\t", "|")
SEPARATOR_WORDS = {",": "','", ";": "';'", "\t": "a tab", "|": "'|'"}
NO_TEXTS = (b"%PDF-", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"\x7fELF", b"{\\rtf")
CONTROL = [bytes([code]) for code in range(32) if code not in b"\t\n\r\x0b\x0c\x1b"]  # signs that no text has
MOST_CONTROL = 0.01
BLOCK = 2**23  # bytes that are parsed at once
LOOKED_AT, LONGEST_HEADER = 2**16, 2**24  # bytes


class CsvReader:
    def open_declared(self, key: CsvSource, folder: Path) -> Source:
        return open_csv(folder / key.path, key.separator, key.encoding)

    def open_recognized(self, content: Content, name: str, where: str) -> Source | None:
        """A CSV has no mark of its own: what no other kind recognizes is read as one."""
        return None


READER = CsvReader()


def open_csv(path: Path, separator: str = ",", encoding: str = "utf-8", what: str = "The source") -> Source:
    return open_csv_bytes(PinnedFile(path, what), f"{what} {path.name}", separator, encoding)


def open_csv_bytes(content: Content, where: str, separator: str = ",", encoding: str = "utf-8") -> Source:
    return _opened(csv_text(content, where, encoding), separator)


def open_guessed_csv(content: Content, where: str) -> tuple[Source, str, str]:
    """With the separator and the encoding that were guessed: the separator that occurs most in the first line; UTF-8, else UTF-16 by its
    mark, else Windows' Western European encoding."""
    encoding = _guessed_encoding(content, where)
    if encoding == UTF_8:
        with suppress(NotDecoded):
            return _guessed_separator(csv_text(content, where), UTF_8)
        encoding = "cp1252"
    return _guessed_separator(csv_text(content, where, encoding), encoding)


def _guessed_separator(text: CsvText, encoding: str) -> tuple[Source, str, str]:
    head = text.stream().readline(LONGEST_HEADER).removesuffix(b"\n").split(b"\r", 1)[0].decode("utf-8", "ignore")
    separator = max(COMMON_SEPARATORS, key=head.count)
    if not splits_evenly(text.stream(), separator):
        _refuse_titles(text, COMMON_SEPARATORS)  # a title does not tell what separates the columns below it
    return _opened(text, separator), separator, encoding


def _guessed_encoding(content: Content, where: str) -> str:
    """By a mark; else UTF-8, if it can be decoded. Refuses pictures, programs and documents, whatever their name ends in."""
    head = shown_kind(plain_stream(content, where))
    refuse_other_kinds(head, where, "csv")
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if head.startswith(NO_TEXTS) or sum(head.count(sign) for sign in CONTROL) > MOST_CONTROL * len(head):
        raise InputRejected(f"{where} is not a table: it is not text.", "Name a CSV, Parquet, Excel, SPSS or Stata file, or export one.")
    return UTF_8


def _opened(text: CsvText, separator: str) -> Source:
    if len(separator) == 1:
        _refuse_titles(text, (separator,))
    names = _header(text, separator)

    def lines(rows: Sequence[int]) -> Sequence[int] | None:
        return lines_of_rows(text.stream(), separator, rows)

    return Source(text.where, names, digest_of(text.content), lambda wanted: _parts(text, names, wanted, separator), True, lines=lines)


def _refuse_titles(text: CsvText, separators: Sequence[str]) -> None:
    lines = [line for mark in separators if (line := line_below_titles(text.stream(), mark)) is not None]
    if lines:
        line = min(lines)  # where commas are decimal marks, a row of numbers may look like a header too
        above = "line 1" if line == 2 else f"lines 1 to {line - 1}"
        raise InputRejected(
            f"{text.where} seems to have a title above its header: line {line} names the columns.",
            f"Delete {above}. If line 1 does name the columns, give it one name per column.",
        )


def _header(text: CsvText, separator: str) -> tuple[str, ...]:
    where = text.where
    if len(separator) != 1:
        raise InputRejected("The separator is not one character.", "Write one such as ',' or ';'; a tab as \"\\t\".")
    row = _first_record(text, separator)
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


def _first_record(text: CsvText, separator: str) -> list[str]:
    """Nothing where it is longer than any header. Few bytes are nearly always enough for it."""
    row: list[str] = []
    for most in (LOOKED_AT, LONGEST_HEADER):
        head = text.stream().read(most)
        records = csv.reader(io.TextIOWrapper(io.BytesIO(head), encoding="utf-8", errors="replace", newline=""), delimiter=separator)
        with suppress(csv.Error):
            row = next(records, [])
            if len(head) < most or next(records, None) is not None:
                break
    return row


def _parts(text: CsvText, names: Sequence[str], columns: Sequence[str], separator: str) -> Iterator[pa.Table]:
    where = text.where
    if text.quotes % 2:
        raise InputRejected(f"{where} has a quotation mark that is never closed.", 'Close it, or double it inside a quoted cell ("").')
    check_cells(text.line_ends, len(columns), where)
    uneven: Counter[tuple[int, int]] = Counter()  # by the fields that a line should have and has, in the order of the lines

    def note(row: Any) -> str:
        uneven[row.expected_columns, row.actual_columns] += 1
        return "skip"

    options = {
        # A block holds at least one row; rows of set values may be long.
        "read_options": arrow_csv.ReadOptions(block_size=BLOCK),
        "parse_options": arrow_csv.ParseOptions(delimiter=separator, newlines_in_values=True, invalid_row_handler=note),
        "convert_options": arrow_csv.ConvertOptions(
            include_columns=list(columns),
            column_types={name: pa.string() for name in names},
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=True,
        ),
    }
    parsed = False
    try:
        with _read_by(lambda file: arrow_csv.open_csv(file, **options), text) as batches:
            yield from (pa.Table.from_batches([batch]) for batch in batches)
        parsed = True
    except (pa.ArrowException, KeyError, ValueError):
        parsed = False
    if uneven:
        expected, present = next(iter(uneven))
        lines, do = counted(uneven.total(), "line"), "does" if uneven.total() == 1 else "do"
        first = uneven_lines(text.stream(), separator, expected, MOST_PLACES)
        places = f"{in_places(LINE, first, uneven.total())}; " if first else ""
        raise InputRejected(
            f"{where}: {lines} {do} not have the {expected} fields of the header ({places}the first of them has {present}).",
            "Quote cells that hold the separator, or correct `separator`.",
        )
    if not parsed:
        raise InputRejected(f"{where} cannot be parsed as CSV.", "Check its quotation marks and line ends.")


@contextmanager
def _read_by(opened: Callable[[pa.NativeFile], Iterator[pa.RecordBatch]], text: CsvText) -> Iterator[Iterator[pa.RecordBatch]]:
    memory = text.in_memory
    given = _Given(text.stream())
    batches = opened(pa.PythonFile(given, mode="r") if memory is None else pa.BufferReader(memory))
    try:
        yield batches
    finally:
        given.end()
        if memory is None:
            with suppress(pa.ArrowException, ValueError):
                deque(batches, 0)


class _Given:
    """A stream that another thread reads ahead. Where rows are no longer asked for, it ends, and that thread with it: a process that ends
    while something of it is read is aborted."""

    closed = False

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._ended = stream, False

    def read(self, size: int) -> bytes:
        return b"" if self._ended else self._stream.read(size)

    def end(self) -> None:
        self._ended = True
