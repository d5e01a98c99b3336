"""What is shown where there are very many tables or columns: the part that matters most, and how many there are. The files of a release
hold all of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")
MOST_TABLES = 12  # that have pictures
MOST_BARS = 40  # of one picture
MOST_LINES = 200  # of one list on a page
MOST_CELLS = 50  # of one sample row on a page
MOST_METRICS = 100  # attributes of one MLflow run, each with all its figures


def foremost(things: Sequence[T], most: int, key: Callable[[T], Any]) -> list[T]:
    """Those with the largest keys, in the order in which they stand."""
    if len(things) <= most:
        return list(things)
    order = sorted(range(len(things)), key=lambda place: key(things[place]), reverse=True)
    return [things[place] for place in sorted(order[:most])]


def out_of(shown: Sequence[Any], everything: Sequence[Any], which: str) -> str:
    """What stands behind a label where something is left out: which part it is."""
    return "" if len(shown) == len(everything) else f"; the {len(shown):,} {which} of {len(everything):,}"
