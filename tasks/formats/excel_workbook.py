"""An Excel workbook before it is parsed: which sheets it has, how much they unpack to, and which of their cells cannot be read.

A small file can stand for more than the machine holds: packed members, one long text to which a million cells refer, and one cell in the
last row and column, since a sheet is read as the rectangle that holds its cells. So every member is unpacked here under the limits, and
only what was counted is handed on.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

import numpy as np

from headgate.core.errors import InputRejected
from headgate.core.units import counted
from tasks.runtime.input_limits import BYTES, LIST_BYTES
from tasks.runtime.wording import inside

MOST_MEMBERS = 10_000
CELL_BYTES = 32  # that the parser takes for each cell of the rectangle, empty or not
PIECE, OVERLAP = 2**24, 256
TAG = rb"<(?:\w+:)?"
REFERENCE = re.compile(rb"""[\s"']r\s*=\s*["']([A-Za-z]{0,4})(\d{1,9})["']""")
ROW_OR_CELL = re.compile(TAG + rb"(?:row|c)[\s>/]")
ROW = re.compile(TAG + rb"row[\s>/]")
ROW_TAG = re.compile(TAG + rb"row(?:\s[^>]*|/)?>")
NOT_TAGS = re.compile(rb"<!--|<!\[CDATA\[")
CELL = re.compile(TAG + rb"c[\s>/]")
CONTENT = re.compile(TAG + rb"(?:v|is|f)[\s>/]")
ERROR_CELL = re.compile(TAG + rb"""c\s[^>]*?\bt\s*=\s*["']e["'][^>]*>""")
FORMULA = TAG + rb"f(?:(?:\s[^>]*)?/>|[^<]*</(?:\w+:)?f\s*>)\s*"
NO_RESULT = re.compile(TAG + rb"c(?P<about>\s[^>]*)?>\s*" + FORMULA + rb"(?:" + TAG + rb"v(?:\s[^>]*)?(?:/>|>\s*</)|</)")
TEXT_RESULT = re.compile(rb"""\bt\s*=\s*["']str["']""")
MERGED = re.compile(TAG + rb"""mergeCell\s[^>]*?\bref\s*=\s*["']([A-Z]+)(\d+):([A-Z]+)(\d+)["']""")
SHARED = re.compile(TAG + rb"si[\s>/]")
BY_NUMBER = re.compile(rb"""\bt\s*=\s*["']s["'][^>]*>\s*<(?:\w+:)?v[^>]*>\s*(\d{1,9})\s*<""")
NUMBERED = re.compile(rb"""\bt\s*=\s*["']s["']""")
CURE = "Copy it again, or save it anew as .xlsx."


@dataclass(frozen=True)
class Workbook:
    """`sheets`: the member of each worksheet that people see, in the order of its tabs."""

    members: dict[str, bytes]
    sheets: dict[str, str]
    where: str

    def filled(self) -> list[str]:
        """The sheets in which there is something."""
        return [name for name, member in self.sheets.items() if CONTENT.search(self.members[member])]

    def only(self, sheet: str) -> bytes:
        """An archive of this sheet and of what it needs, unpacked as it was counted."""
        others = {member for name, member in self.sheets.items() if name != sheet}
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as archive:
            for name, content in self.members.items():
                if name not in others:
                    archive.writestr(name, content)
        return made.getvalue()


def open_workbook(content: bytes, where: str) -> Workbook:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = _unpacked(archive, where)
        sheets = _sheets(members, where)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ElementTree.ParseError, KeyError):
        raise InputRejected(f"{where} is an Excel file that is damaged or cut short.", CURE) from None
    if not sheets:
        raise InputRejected(f"{where} has no visible worksheet.", "Show the sheet of the table, or save it in a workbook of its own.")
    return Workbook(members, sheets, where)


def _unpacked(archive: zipfile.ZipFile, where: str) -> dict[str, bytes]:
    """The members that say what cells hold. Each is read as far as the limit goes, whatever size it claims to have."""
    if len(archive.namelist()) > MOST_MEMBERS:
        raise InputRejected(f"{where} has more than {MOST_MEMBERS:,} parts.", "Save the sheet in a workbook of its own.")
    members: dict[str, bytes] = {}
    size = 0
    for name in dict.fromkeys(archive.namelist()):
        if not name.endswith((".xml", ".rels")) or name.startswith(("docProps/", "xl/theme/", "customXml/", "xl/drawings/", "xl/charts/")):
            continue
        with archive.open(name) as member:
            read = member.read(BYTES.most - size + 1)
        size += len(read)
        BYTES.check(size, f"{where}, unpacked,")
        members[name] = read
    return members


def _sheets(members: dict[str, bytes], where: str) -> dict[str, str]:
    for name in ("xl/workbook.xml", "xl/_rels/workbook.xml.rels"):
        LIST_BYTES.check(len(members[name]), where)
    targets = {
        part.get("Id", ""): posixpath.normpath(posixpath.join("/xl", part.get("Target", ""))).lstrip("/")
        for part in ElementTree.fromstring(members["xl/_rels/workbook.xml.rels"])
    }
    sheets: dict[str, str] = {}
    for part in ElementTree.fromstring(members["xl/workbook.xml"]).iter():
        if part.tag.rpartition("}")[2] == "sheet" and part.get("state", "visible") == "visible":
            target = targets.get(next((value for key, value in part.items() if key.endswith("}id")), ""), "")
            if target in members and "worksheets/" in target:  # not a sheet of a chart
                sheets[part.get("name", "")] = target
    return sheets


def require_readable(book: Workbook, sheet: str, header: int) -> None:
    """Refuses what would fill the memory, and cells whose value is not in the file. `header`: the line that names the columns."""
    content = book.members[book.sheets[sheet]]
    where = f"{book.where}, sheet '{sheet}',"
    lines, columns = _corner(content)
    if lines * columns * CELL_BYTES > BYTES.most:
        raise InputRejected(
            f"{where} reaches to line {lines} and column {columns}, which is more than is read here.",
            "Delete the empty rows and columns beside the table, with their formats; a larger table is better saved as CSV.",
        )
    BYTES.check(lines * columns * CELL_BYTES + _shared_bytes(book, content), where)
    content = _tags(content)
    errors = _lines(content, list(ERROR_CELL.finditer(content)), header)
    if errors:
        have = "holds an error" if len(errors) == 1 else "hold an error"
        raise InputRejected(
            f"{counted(len(errors), 'cell')} of {inside(book.where)} {have}, such as #N/A (the first is in line {errors[0]}).",
            "Correct the formula, or empty the cell if the value is missing.",
        )
    stale = _lines(content, _without_result(content), header)
    if stale:
        have = "holds a formula" if len(stale) == 1 else "hold a formula"
        raise InputRejected(
            f"{counted(len(stale), 'cell')} of {inside(book.where)} {have} without a stored value (the first is in line {stale[0]}).",
            "Open the file in Excel or LibreOffice and save it there, which stores the values.",
        )
    merged = [int(first) for _, first, _, last in MERGED.findall(content) if int(last) >= header]
    if merged:
        begins = "line" if len(merged) == 1 else "the first begins in line"
        raise InputRejected(
            f"{book.where} has {counted(len(merged), 'range')} of merged cells ({begins} {min(merged)}).",
            "Unmerge the cells and write the value into each row.",
        )


def _pieces(content: bytes) -> Iterator[bytes]:
    yield from (content[start : start + PIECE + OVERLAP] for start in range(0, len(content), PIECE))


def _corner(content: bytes) -> tuple[int, int]:
    """The last line and column at most that have a cell, by what the rows and cells call themselves."""
    references: set[tuple[bytes, bytes]] = set()
    columns: set[bytes] = set()
    last_row = named = tags = 0
    for piece in _pieces(content):
        listed = REFERENCE.findall(piece)
        named += len(listed)
        tags += len(ROW_OR_CELL.findall(piece))
        references.update(listed)
        if len(references) > PIECE // 64:
            last_row, columns = _further(references, last_row, columns)
            references.clear()
    last_row, columns = _further(references, last_row, columns)
    last_column = max((_column_number(letters) for letters in columns), default=0)
    if named < tags:  # those without a name are the next ones, wherever the named ones end
        last_row += len(ROW.findall(content))
        last_column += max((len(CELL.findall(row)) for row in ROW.split(content)), default=0)
    return last_row, last_column


def _further(references: set[tuple[bytes, bytes]], last_row: int, columns: set[bytes]) -> tuple[int, set[bytes]]:
    return max((int(row) for _, row in references), default=last_row), columns | {letters for letters, _ in references}


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + letter - 64
    return number


def _shared_bytes(book: Workbook, content: bytes) -> int:
    """What the texts take that cells refer to by number, once each cell has its own."""
    texts = next((member for name, member in book.members.items() if name.lower() == "xl/sharedstrings.xml"), b"")
    ends = np.array([match.start() for match in SHARED.finditer(texts)] + [len(texts)], dtype=np.int64)
    lengths = np.diff(ends)
    if not len(lengths):
        return 0
    total = referring = counted_cells = 0
    for start in range(0, len(content), PIECE):
        piece = content[start : start + PIECE + OVERLAP]
        numbers = np.array(BY_NUMBER.findall(piece), dtype=np.int64)
        counted_cells += len(numbers)
        referring += len(NUMBERED.findall(piece))
        total += int(lengths[np.minimum(numbers, len(lengths) - 1)].sum())
    return total + (max(0, referring - counted_cells)) * int(lengths.max())


def _tags(content: bytes) -> bytes:
    """Without comments, and with a sign in place of each literal text: either may look like a cell, or part a formula from its value."""
    kept: list[bytes] = []
    start = 0
    while opened := NOT_TAGS.search(content, start):
        literal = not opened.group().endswith(b"-")
        end = content.find(b"]]>" if literal else b"-->", opened.end())
        if end < 0:
            break
        kept += [content[start : opened.start()], b"x" if literal and end > opened.end() else b""]
        start = end + 3
    return b"".join([*kept, content[start:]]) if kept else content


def _lines(content: bytes, cells: list[re.Match[bytes]], header: int) -> list[int]:
    """The lines of these cells, from the header on. A cell outside all rows may be in any line, so it counts as one of the header's."""
    names = [REFERENCE.search(cell.group().partition(b">")[0]) for cell in cells]
    starts, numbers = ([], []) if all(names) else _rows(content)
    lines: list[int] = []
    for cell, name in zip(cells, names, strict=True):
        before = 0 if name else bisect_left(starts, cell.start())
        line = int(name.group(2)) if name else numbers[before - 1] if before else header
        if line >= header:
            lines.append(line)
    return lines


def _rows(content: bytes) -> tuple[list[int], list[int]]:
    """Where each row begins, and which line it is: what it calls itself, else the line after the row before."""
    starts: list[int] = []
    numbers: list[int] = []
    for row in ROW_TAG.finditer(content):
        name = REFERENCE.search(row.group())
        numbers.append(int(name.group(2)) if name else (numbers[-1] if numbers else 0) + 1)
        starts.append(row.start())
    return starts, numbers


def _without_result(content: bytes) -> list[re.Match[bytes]]:
    """A formula whose result is an empty text has one: Excel says so by the cell's type."""
    return [cell for cell in NO_RESULT.finditer(content) if not TEXT_RESULT.search(cell.group("about") or b"")]
