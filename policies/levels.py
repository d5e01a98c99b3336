"""Hierarchies that a policy describes instead of listing: intervals of given widths, and texts masked from the right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from headgate.encode import value_text
from headgate.errors import InputRejected
from headgate.hierarchy import ROOT

MASK = "*"
Rows = list[tuple[str, ...]]


def widths_hierarchy(cells: Iterable[Any], widths: Sequence[int], name: str) -> Rows:
    """Leaf, then the interval it lies in for each width, then the root: 23 → [20..24] → [20..29] → *. Intervals start at multiples
    of their width, so each lies in one of the next width."""
    numbers = sorted(_whole(cells, name))
    if not numbers:
        raise InputRejected(f"Column '{name}' has no value to build intervals over.", "Give data, or take the hierarchy out of the policy.")
    return [(str(number), *(_interval(number, width) for width in widths), ROOT) for number in numbers]


def mask_hierarchy(cells: Iterable[Any], characters: int, name: str) -> Rows:
    """Leaf, then one more character masked per level, then the root: 20121 → 2012* → 201** → *. A text's length stays visible until
    the root."""
    texts = sorted(present_texts(cells))
    if not texts:
        raise InputRejected(f"Column '{name}' has no value to mask.", "Give data, or take the hierarchy out of the policy.")
    if any(MASK in text for text in texts):
        raise InputRejected(
            f"Column '{name}' has values with a {MASK}, which masking would confuse.", "Give a hierarchy file instead of a mask."
        )
    shortest = min(map(len, texts))
    if characters >= shortest:
        raise InputRejected(
            f"mask: {characters} hides the whole of a value of '{name}': its shortest has {shortest} characters.",
            f"Write a mask below {shortest}; after the last level comes {ROOT} by itself."
            if shortest > 1
            else "Give a hierarchy file instead.",
        )
    return [(text, *(text[:-hidden] + MASK * hidden for hidden in range(1, characters + 1)), ROOT) for text in texts]


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
            raise InputRejected(f"Column '{name}' has a value that is no whole number.", "Correct the data, or declare kind: number.")
        numbers.add(int(number))
    return numbers


def _interval(number: int, width: int) -> str:
    low = number // width * width
    return f"[{low}..{low + width - 1}]"
