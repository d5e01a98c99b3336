"""Contingency tables of every pair of attributes.

Only joint values that occur are kept, so a pair of attributes with thousands of values each needs one place per row at most.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes, Column
from headgate.core.compiling import loop
from headgate.core.errors import InputRejected

Whole = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Joint:
    """The joint values of a pair that occur, ascending, and how many rows have each. The cell of value v and value v' is
    (v + 1)·width + v' + 1, where −1 is missing and `width` is one more than the number of values of the other attribute."""

    cells: Whole
    counts: Whole


def count_alone(column: Column) -> Whole:
    return np.bincount(column.codes + 1, minlength=len(column.values) + 1)


def joints(columns: Sequence[Column]) -> Iterator[tuple[int, int, Joint]]:
    """The contingency tables of all pairs, one after the other, so that only one is in memory at a time."""
    if len({len(column) for column in columns}) > 1:
        raise InputRejected("Two attributes have different numbers of rows.", "Take both from one table.")
    widths = [len(column.values) + 1 for column in columns]
    widest = max(widths, default=1)
    seen, touched = np.zeros(widest, dtype=np.int64), np.empty(widest, dtype=np.int64)
    for i, column in enumerate(columns[:-1]):
        order = np.argsort(column.codes, kind="stable").astype(np.int32)
        ends = np.cumsum(count_alone(column))
        for j in range(i + 1, len(columns)):
            most = min(len(column), widths[i] * widths[j])
            cells, counts = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
            filled = _meet(order, ends, columns[j].codes, widths[j], seen, touched, cells, counts)
            yield i, j, Joint(cells[:filled].copy(), counts[:filled].copy())


@loop
def _meet(
    order: Codes, ends: Whole, codes: Codes, width: int, seen: Whole, touched: Whole, cells: Whole, counts: Whole
) -> int:  # pragma: no cover - compiled
    """Rows come sorted by the first attribute, so one counter for each value of the second is enough. `seen` is all 0 before and after."""
    filled, start = 0, 0
    for value in range(len(ends)):
        stop = ends[value]
        met = 0
        for place in range(start, stop):
            other = codes[order[place]] + 1
            if seen[other] == 0:
                touched[met] = other
                met += 1
            seen[other] += 1
        ordered = touched[:met]
        ordered.sort()
        for n in range(met):
            other = ordered[n]
            cells[filled] = value * width + other
            counts[filled] = seen[other]
            seen[other] = 0
            filled += 1
        start = stop
    return filled
