"""Hierarchies that are computed from a rule, not listed in a file: intervals of given widths, and texts masked from the right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from headgate.core.columns import Kind
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import ROOT
from headgate.core.spelling import value_text
from headgate.core.tolerance import is_whole

MASK = "*"
Rows = list[tuple[str, ...]]


def computed_hierarchy(described: Mapping[str, Any], cells: Iterable[Any], kind: Kind, name: str) -> Rows:
    """{widths: [5, 10]} over the whole numbers present, or {mask: 2} over the texts."""
    if set(described) == {"widths"}:
        if "widths" not in kind.rules.described:
            raise InputRejected(f"The hierarchy of '{name}' has widths, and '{name}' is a {kind}.", "Give widths to whole numbers only.")
        if not nested(described["widths"]):
            raise InputRejected(f"The widths of '{name}' do not nest.", f"Give {NESTED}.")
        return widths_hierarchy(cells, described["widths"], name)
    if set(described) == {"mask"}:
        if "mask" not in kind.rules.described:
            raise InputRejected(f"The hierarchy of '{name}' is a mask, and '{name}' is a {kind}.", "Mask a category; `kinds` makes it one.")
        if not is_whole(described["mask"], 1):
            raise InputRejected(f"The mask of '{name}' is not a number of characters.", "Give a whole number from 1 up.")
        return mask_hierarchy(cells, described["mask"], name)
    raise InputRejected(f"The hierarchy of '{name}' is described by neither widths nor a mask.", "Give {'widths': [5, 10]} or {'mask': 2}.")


NESTED = "widths above 1, each a multiple of the one before, such as [5, 10]"


def nested(widths: Any) -> bool:
    """Whether each interval of one width lies in one of the next, and a value in one of the first."""
    if not isinstance(widths, Sequence) or not widths or not all(is_whole(width, 1) for width in widths):
        return False
    return all(wide > narrow and wide % narrow == 0 for narrow, wide in pairwise((1, *widths)))


def widths_hierarchy(cells: Iterable[Any], widths: Sequence[int], name: str) -> Rows:
    """Leaf, then the interval it lies in for each width, then the root: 23 → [20..24] → [20..29] → *. Intervals start at multiples
    of their width, so each lies in one of the next width."""
    numbers = sorted(_whole(cells, name))
    if not numbers:
        raise InputRejected(f"Column '{name}' has no value to build intervals over.", "Give data, or take the hierarchy away.")
    return [_widths_path(number, widths) for number in numbers]


def mask_hierarchy(cells: Iterable[Any], characters: int, name: str) -> Rows:
    """Leaf, then one more character masked per level, then the root: 20121 → 2012* → 201** → *. A text's length stays visible until
    the root."""
    texts = sorted(present_texts(cells))
    if not texts:
        raise InputRejected(f"Column '{name}' has no value to mask.", "Give data, or take the hierarchy away.")
    if any(MASK in text for text in texts):
        raise InputRejected(
            f"Column '{name}' has values with a {MASK}, which masking would confuse.", "List the hierarchy instead of a mask."
        )
    shortest = min(map(len, texts))
    if characters >= shortest:
        raise InputRejected(
            f"mask: {characters} hides the whole of a value of '{name}': its shortest has {shortest} characters.",
            f"Write a mask below {shortest}; after the last level comes {ROOT} by itself."
            if shortest > 1
            else "List the hierarchy instead.",
        )
    return [_mask_path(text, characters) for text in texts]


def computed_path(described: Mapping[str, Any], value: str) -> tuple[str, ...] | None:
    """The path of one more value; None if the rule cannot place it, because it is not a whole number or is too short to be masked."""
    if "widths" in described:
        number = float(value)
        return _widths_path(int(number), described["widths"]) if number.is_integer() else None
    return None if MASK in value or len(value) <= described["mask"] else _mask_path(value, described["mask"])


def _widths_path(number: int, widths: Sequence[int]) -> tuple[str, ...]:
    return (str(number), *(_interval(number, width) for width in widths), ROOT)


def _mask_path(text: str, characters: int) -> tuple[str, ...]:
    return (text, *(text[:-hidden] + MASK * hidden for hidden in range(1, characters + 1)), ROOT)


def present_texts(cells: Iterable[Any]) -> set[str]:
    """Distinct cells as text; empty ones and NaN are missing."""
    return {text for text in (value_text(cell).strip() for cell in cells if cell is not None and cell == cell) if text}


def _whole(cells: Iterable[Any], name: str) -> set[int]:
    numbers = set()
    for text in present_texts(cells):
        try:
            number = float(text)
        except ValueError:
            number = float("nan")
        if not number.is_integer():
            raise InputRejected(
                f"Column '{name}' has a value that is not a whole number.", "Correct the data; widths are for whole numbers."
            )
        numbers.add(int(number))
    return numbers


def _interval(number: int, width: int) -> str:
    low = number // width * width
    return f"[{low}..{low + width - 1}]"
