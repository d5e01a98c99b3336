"""A sheet of an Excel workbook (.xlsx) as a source: cells are the texts that a CSV of the sheet would hold, with dates in ISO form."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from headgate.core.errors import InputRejected
from policies.schema.source_key import ExcelSource
from tasks.formats.cell_texts import cell_text, table_of_texts, text_column
from tasks.formats.excel_workbook import Workbook, open_workbook, require_readable
from tasks.formats.file_kind import EXCEL, refuse_other_kinds
from tasks.reading.pinned_file import Content, PinnedFile, digest_of, kind_of, shown_kind, stream_of, whole
from tasks.reading.source import Source, check_cells, check_names
from tasks.reading.title_lines import LOOKED_AT, below_titles
from tasks.runtime.wording import inside

MOST_NAMED = 5  # sheets in a message
TRUTH = {True: "TRUE", False: "FALSE"}  # as Excel writes them into a CSV
FAR_BELOW = 2**30  # so that a title may have merged cells before anybody knows which line is the header


class ExcelReader:
    def open_declared(self, key: ExcelSource, folder: Path) -> Source:
        path = folder / key.path
        return self.open_given(key, PinnedFile(path, "The source"), f"The source {path.name}")

    def open_given(self, key: ExcelSource, content: Content, where: str) -> Source:
        refuse_other_kinds(shown_kind(stream_of(content)), where, key.kind)
        if kind_of(content) is not EXCEL:
            raise InputRejected(f"{where} is not an Excel file.", "If it is text, use kind: csv.")
        book = open_workbook(whole(content), where)
        return _opened(book, _declared_sheet(book, key.sheet), key.header, content)

    def open_recognized(self, content: Content, name: str, where: str) -> Source | None:
        """The first sheet that is not empty."""
        if kind_of(content) is not EXCEL:
            return None
        book = open_workbook(whole(content), where)
        return _opened(book, next(iter(book.filled()), next(iter(book.sheets))), None, content)


READER = ExcelReader()


def _header_line(rows: Sequence[Sequence[Any]]) -> int:
    """The first line, or the one below a title."""
    places = _filled_columns(rows) if rows else []
    filled = [(line, sum(row[place] != "" for place in places)) for line, row in enumerate(rows[:LOOKED_AT], 1)]
    return below_titles([(line, len(places), number) for line, number in filled if number]) or 1


def _declared_sheet(book: Workbook, wanted: str | None) -> str:
    """Which of several sheets is meant is never guessed."""
    filled = book.filled()
    listed = ", ".join(f"'{name}'" for name in filled[:MOST_NAMED]) + (" …" if len(filled) > MOST_NAMED else "")
    if wanted is None:
        if len(filled) > 1:
            raise InputRejected(f"{book.where} has {len(filled)} sheets with something in them.", f"Declare `sheet:` as one of {listed}.")
        return next(iter(filled), next(iter(book.sheets)))
    if wanted not in book.sheets:
        raise InputRejected(f"{book.where} has no visible sheet '{wanted}'.", f"It has: {listed}." if filled else "Its sheets are empty.")
    return wanted


def _opened(book: Workbook, sheet: str, declared: int | None, content: Content) -> Source:
    require_readable(book, sheet, declared or FAR_BELOW)
    rows = _rows(book, sheet)
    header = declared or _header_line(rows)
    if declared is None:
        require_readable(book, sheet, header)
    if len(rows) < header:
        raise InputRejected(f"Sheet '{sheet}' of {inside(book.where)} has no line {header}.", "Name the columns in the first line.")
    places = _filled_columns(rows[header - 1 :])
    names = [_text(rows[header - 1][place]) or "" for place in places]
    _check_header(names, places, header, sheet, book)
    cells = rows[header:]

    def read(columns: Sequence[str]) -> Iterator[pa.Table]:
        check_cells(len(cells), len(columns), book.where)
        wanted = [(name, places[names.index(name)]) for name in columns]
        yield table_of_texts({name: _column([row[place] for row in cells]) for name, place in wanted})

    keys = {**({"sheet": sheet} if len(book.filled()) > 1 else {}), **({"header": str(header)} if header > 1 else {})}
    digest = digest_of(content)
    return Source(book.where, tuple(names), digest, read, texts=True, keys=keys, lines=lambda rows: [header + 1 + row for row in rows])


def _rows(book: Workbook, sheet: str) -> list[list[Any]]:
    from python_calamine import CalamineError, CalamineWorkbook

    rows: list[list[Any]] | None = None
    try:
        rows = CalamineWorkbook.from_filelike(io.BytesIO(book.only(sheet))).get_sheet_by_name(sheet).to_python(skip_empty_area=False)
    except (CalamineError, OSError, ValueError, OverflowError):
        rows = None
    if rows is None:
        raise InputRejected(f"Sheet '{sheet}' of {inside(book.where)} is damaged.", "Save it anew as .xlsx, or as CSV in UTF-8.")
    return rows


def _filled_columns(rows: Sequence[Sequence[Any]]) -> list[int]:
    """Columns with a name or a cell; others are only the margin of the sheet."""
    width = len(rows[0])
    return [place for place in range(width) if any(row[place] != "" for row in rows)]


def _check_header(names: Sequence[str], places: Sequence[int], header: int, sheet: str, book: Workbook) -> None:
    if not any(name.strip() for name in names):
        raise InputRejected(
            f"Line {header} of sheet '{sheet}' of {inside(book.where)} is blank.",
            "Let it name the columns, or declare which line does, such as `header: 3`.",
        )
    unnamed = [place for name, place in zip(names, places, strict=True) if not name.strip()]
    if unnamed:
        raise InputRejected(
            f"Column {_letters(unnamed[0])} of {inside(book.where)} has cells, but no name in line {header}.",
            "Name it or delete it; if another line names the columns, declare it, such as `header: 3`.",
        )
    check_names(names, book.where)


def _letters(place: int) -> str:
    letters, number = "", place + 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def _column(cells: Sequence[Any]) -> tuple[pa.Array, bytes]:
    texts = [_text(cell) for cell in cells]
    return text_column([None if text is None else cell for cell, text in zip(cells, texts, strict=True)], texts)


def _text(cell: Any) -> str | None:
    return TRUTH[cell] if isinstance(cell, bool) else cell_text(cell, "Give texts, numbers, dates or truth values.")
