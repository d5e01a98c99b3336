"""The text of a generalized cell, its parser, and what a cell covers.

    20          a single value           [20..29]          an interval of numbers, or of an ordinal's levels
    Europe      a hierarchy's node       {red|blue}        a set of values, in domain order
    *           everything               (empty)           missing, in the whole group
    2025-03-04, 2025-03, 2025-Q1, 2025, [2025..2029]   a day, a month, a quarter, a year, a band of years

Escapes, by a backslash: `| { } [ \\` in labels; a label that is just `*`; and, inside an interval, the dots of a label that has
two in a row or one at its end. A set that holds the missing value has an empty first member: `{|red}` (no category is empty).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from headgate.core.errors import InputRejected

EVERYTHING = "*"
_ESCAPED = "|{}[\\"
_PLAIN = re.compile(r"[^|{}\[\\]+")  # nearly all labels: nothing in them is escaped
_CURE = "A cell is a value, [low..high], {a|b}, a calendar part or *; | { } [ \\ inside a value take a backslash."


@dataclass(frozen=True)
class Everything:
    """`*`: any value, including a missing one."""


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


def format_label(label: str) -> str:
    if label == EVERYTHING:
        return "\\*"
    if _PLAIN.fullmatch(label):
        return label
    return "".join("\\" + sign if sign in _ESCAPED else sign for sign in label)


def format_interval(low: str, high: str) -> str:
    return f"[{_format_end(low)}..{_format_end(high)}]"


def format_members(labels: Sequence[str | None]) -> str:
    """Labels in domain order, the missing value first."""
    return "{" + "|".join("" if label is None else format_label(label) for label in labels) + "}"


def parse_cell(text: str) -> Cell:
    """Reads what the functions above write, and refuses any other text."""
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
    """The stretch [low..high] in the label of a node over numbers. None for any other label, which is a name."""
    ends = label[1:-1].split("..") if label.startswith("[") and label.endswith("]") else []
    if len(ends) != 2 or not all(is_number(end) for end in ends) or format_interval(*ends) != label:
        return None
    low, high = float(ends[0]), float(ends[1])
    return (low, high) if low <= high else None


def _format_end(label: str) -> str:
    text = format_label(label)
    return text.replace(".", "\\.") if ".." in label or label.startswith(".") or label.endswith(".") else text


def cell_refused() -> InputRejected:
    return InputRejected("A published cell cannot be read.", _CURE)


def _parse_label(text: str, dots: bool = False) -> str:
    """Takes the escapes off one label; a bare special sign is refused."""
    if _PLAIN.fullmatch(text) and text == (_format_end(text) if dots else format_label(text)):
        return text
    out: list[str] = []
    signs = iter(text)
    for sign in signs:
        if sign == "\\":
            sign = next(signs, "")
            if sign == "" or sign not in _ESCAPED + ("*." if dots else "*"):
                raise cell_refused()
        elif sign in _ESCAPED:
            raise cell_refused()
        out.append(sign)
    label = "".join(out)
    if label == "" or text != (_format_end(label) if dots else format_label(label)):
        raise cell_refused()
    return label


def _split(text: str, mark: str) -> list[str]:
    """Splits at every mark that no backslash precedes."""
    if "\\" not in text:
        return text.split(mark)
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
        raise cell_refused()
    return Interval(_parse_label(ends[0], dots=True), _parse_label(ends[1], dots=True))


def _parse_members(text: str) -> Members:
    parts = _split(text[1:-1], "|") if len(text) > 2 and text[-1] == "}" else []
    if len(parts) < 2 or "" in parts[1:]:
        raise cell_refused()
    return Members(tuple(None if part == "" else _parse_label(part) for part in parts))


def is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
