"""The text of a generalized cell, its parser, and what a cell covers.

    20          a single value           [20..29]          an interval of numbers, or of an ordinal's levels
    Europe      a hierarchy's node       {red|blue}        a set of values, in domain order
    *           everything               (empty)           missing, in the whole group
    2025-03-04, 2025-03, 2025-Q1, 2025   a day, a month, a quarter, a year

Escapes, by a backslash: `| { } [ \\` in labels; a label that is just `*`; and, inside an interval, the dots of a label that has
two in a row or one at its end. A set that holds the missing value has an empty first member: `{|red}` (no category is empty).
"""

from __future__ import annotations

import calendar
import datetime
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Column, Kind
from headgate.core.errors import InputRejected

EVERYTHING = "*"
_ESCAPED = "|{}[\\"
_EPOCH = datetime.date(1970, 1, 1).toordinal()
_CURE = "A cell is a value, [low..high], {a|b}, a calendar part or *; | { } [ \\ inside a value take a backslash."


@dataclass(frozen=True)
class Everything:
    """`*`: any value, a missing one too."""


@dataclass(frozen=True)
class Missing:
    """The empty cell: every row of the group lacks the value."""


@dataclass(frozen=True)
class Single:
    """One value, or one node of a hierarchy or of the calendar."""

    label: str


@dataclass(frozen=True)
class Interval:
    low: str
    high: str


@dataclass(frozen=True)
class Members:
    """Several values; None, which comes first, stands for missing."""

    labels: tuple[str | None, ...]


Cell = Everything | Missing | Single | Interval | Members


def format_number(value: Any) -> str:
    """Whole numbers without decimals, others so that reading them gives the same number again."""
    number = float(value)
    return str(int(value)) if number.is_integer() else repr(number)


def format_day(days: int) -> str:
    return datetime.date.fromordinal(int(days) + _EPOCH).isoformat()


def format_label(label: str) -> str:
    if label == EVERYTHING:
        return "\\*"
    return "".join("\\" + sign if sign in _ESCAPED else sign for sign in label)


def format_interval(low: str, high: str) -> str:
    return f"[{_format_end(low)}..{_format_end(high)}]"


def format_members(labels: Sequence[str | None]) -> str:
    """Labels in domain order, the missing value first."""
    return "{" + "|".join("" if label is None else format_label(label) for label in labels) + "}"


def format_cell(cell: Cell) -> str:
    match cell:
        case Everything():
            return EVERYTHING
        case Missing():
            return ""
        case Single(label):
            return format_label(label)
        case Interval(low, high):
            return format_interval(low, high)
        case Members(labels):
            return format_members(labels)


def parse_cell(text: str) -> Cell:
    """The exact inverse of `format_cell`; anything that it never writes is refused."""
    if text == "":
        return Missing()
    if text == EVERYTHING:
        return Everything()
    if text[0] == "[":
        return _parse_interval(text)
    if text[0] == "{":
        return _parse_members(text)
    return Single(_parse_label(text))


def interval_of_node(label: str) -> tuple[float, float] | None:
    """The stretch that a node over numbers is labelled with, [low..high]. None for any other label: it is a name."""
    ends = label[1:-1].split("..") if label.startswith("[") and label.endswith("]") else []
    if len(ends) != 2 or not all(_is_number(end) for end in ends) or format_interval(*ends) != label:
        return None
    low, high = float(ends[0]), float(ends[1])
    return (low, high) if low <= high else None


def _format_end(label: str) -> str:
    text = format_label(label)
    return text.replace(".", "\\.") if ".." in label or label.startswith(".") or label.endswith(".") else text


def _refused() -> InputRejected:
    return InputRejected("A published cell cannot be read.", _CURE)


def _parse_label(text: str, dots: bool = False) -> str:
    """Takes the escapes off one label; a bare special sign is refused."""
    out: list[str] = []
    signs = iter(text)
    for sign in signs:
        if sign == "\\":
            sign = next(signs, "")
            if sign == "" or sign not in _ESCAPED + ("*." if dots else "*"):
                raise _refused()
        elif sign in _ESCAPED:
            raise _refused()
        out.append(sign)
    label = "".join(out)
    if label == "" or text != (_format_end(label) if dots else format_label(label)):
        raise _refused()
    return label


def _split(text: str, mark: str) -> list[str]:
    """Splits at every mark that no backslash precedes."""
    parts, start, at = [], 0, 0
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text.startswith(mark, at):
            parts.append(text[start:at])
            at += len(mark)
            start = at
        else:
            at += 1
    return [*parts, text[start:]]


def _parse_interval(text: str) -> Interval:
    ends = _split(text[1:-1], "..") if len(text) > 2 and text[-1] == "]" else []
    if len(ends) != 2:
        raise _refused()
    return Interval(_parse_label(ends[0], dots=True), _parse_label(ends[1], dots=True))


def _parse_members(text: str) -> Members:
    parts = _split(text[1:-1], "|") if len(text) > 2 and text[-1] == "}" else []
    if len(parts) < 2 or "" in parts[1:]:
        raise _refused()
    return Members(tuple(None if part == "" else _parse_label(part) for part in parts))


def calendar_span(label: str) -> tuple[int, int] | None:
    """First and last day of a day, month, quarter or year, as days since 1970-01-01; None if it is none of them."""
    found = re.fullmatch(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?|-Q([1-4]))?", label)
    if found is None:
        return None
    year, month, day, quarter = (None if part is None else int(part) for part in found.groups())
    if year is None or not 1 <= year <= 9999 or (month is not None and not 1 <= month <= 12):
        return None
    first, last = (month, month) if month is not None else (3 * quarter - 2, 3 * quarter) if quarter is not None else (1, 12)
    end = calendar.monthrange(year, last)[1]
    if day is not None and not 1 <= day <= end:
        return None
    begin, until = (day, day) if day is not None else (1, end)
    return datetime.date(year, first, begin).toordinal() - _EPOCH, datetime.date(year, last, until).toordinal() - _EPOCH


class CellReader:
    """Reads the published cells of one quasi-identifier against its domain.

    A label or interval that reaches beyond the column's own values covers the values it reaches."""

    def __init__(self, column: Column) -> None:
        self.column = column
        self.size = len(column.values)
        self._line = column.kind.numeric
        self._values = column.values.astype(np.float64) if self._line else np.arange(self.size, dtype=np.float64)
        self._place = {} if self._line else {str(value): code for code, value in enumerate(column.values)}
        self._nodes: dict[str, NDArray[np.bool_]] = {}
        if column.hierarchy is not None:
            labels = column.hierarchy.labels
            for level in range(labels.shape[1]):
                for label in set(labels[:, level]):
                    under = labels[:, level] == label
                    self._nodes[label] = under | self._nodes[label] if label in self._nodes else under

    def covers(self, text: str) -> NDArray[np.bool_]:
        """One flag a value of the column, and a last one for missing."""
        out = np.zeros(self.size + 1, dtype=bool)
        cell = parse_cell(text)
        match cell:
            case Everything():
                out[:] = True
            case Missing():
                out[-1] = True
            case Members(labels):
                for label in labels:
                    if label is None:
                        out[-1] = True
                    else:
                        self._add(out, Single(label))
            case Single() | Interval():
                self._add(out, cell)
        return out

    def interval(self, text: str) -> tuple[float, float] | None:
        """The stretch of the line that a cell names: numbers, days, or an ordinal's ranks. None for what is no stretch."""
        cell = parse_cell(text)
        return self._stretch(cell) if isinstance(cell, Single | Interval) else None

    def places(self, text: str) -> tuple[int, int] | None:
        """Which of the column's values lie on that stretch: the first, and the one past the last. None for what is no stretch."""
        stretch = self.interval(text)
        if stretch is None:
            return None
        return int(np.searchsorted(self._values, stretch[0])), int(np.searchsorted(self._values, stretch[1], side="right"))

    def _stretch(self, cell: Single | Interval) -> tuple[float, float] | None:
        if self.column.kind is Kind.DATE:
            span = calendar_span(cell.label) if isinstance(cell, Single) else None
            if span is None:
                raise _refused()
            return float(span[0]), float(span[1])
        ends = (cell.label, cell.label) if isinstance(cell, Single) else (cell.low, cell.high)
        if isinstance(cell, Single) and cell.label in self._nodes:
            return None  # even where the name is a number: a decade called 2 is no age
        if self._line:
            if not all(_is_number(end) for end in ends):
                raise _refused()
            return float(ends[0]), float(ends[1])
        if self.column.kind is not Kind.ORDINAL:
            if isinstance(cell, Interval):
                raise _refused()
            return None
        low, high = (self._place.get(end) for end in ends)
        if low is None or high is None:
            raise InputRejected(f"A published cell of '{self.column.name}' names a level that is not declared.", "Declare every level.")
        return float(low), float(high)

    def _add(self, out: NDArray[np.bool_], cell: Single | Interval) -> None:
        stretch = self._stretch(cell)
        if stretch is not None:
            out[:-1] |= (self._values >= stretch[0]) & (self._values <= stretch[1])
        elif isinstance(cell, Single) and cell.label in self._nodes:
            out[:-1] |= self._nodes[cell.label]
        elif isinstance(cell, Single) and cell.label in self._place:
            out[self._place[cell.label]] = True


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
