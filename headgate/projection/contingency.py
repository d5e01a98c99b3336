"""Contingency tables of every pair of attributes, as counts that add up over chunks of rows.

Only joint values that occur are kept, so a pair of attributes with thousands of values each needs a place a row at most. What is counted
in two halves of a table, on two machines say, is with `+` exactly what is counted in the whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes, Column
from headgate.core.errors import InputRejected

Whole = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Joint:
    """The joint values of a pair that occur, ascending, and how many rows have each. The cell of value v and value v' is
    (v + 1)·width + v' + 1, where −1 is missing and `width` is one more than the number of values of the other attribute."""

    cells: Whole
    counts: Whole

    def __add__(self, other: Joint) -> Joint:
        both = np.concatenate([self.cells, other.cells])
        cells, place = np.unique(both, return_inverse=True)
        counts = np.zeros(len(cells), dtype=np.int64)
        np.add.at(counts, place, np.concatenate([self.counts, other.counts]))
        return Joint(cells, counts)


@dataclass(frozen=True, eq=False)
class Counts:
    """`alone[i]` counts the values of attribute i, missing first; `joint` has a table for each pair, in the order of `pairs`."""

    names: tuple[str, ...]
    values: tuple[NDArray[Any], ...]
    sensitive: tuple[NDArray[np.bool_], ...]
    alone: tuple[Whole, ...]
    joint: tuple[Joint, ...]

    @property
    def rows(self) -> int:
        return int(self.alone[0].sum()) if self.alone else 0

    def __add__(self, other: Counts) -> Counts:
        """Codes mean the same in both only if both were encoded with the same values, and that is required."""
        alike = self.names == other.names and all(
            np.array_equal(one, two)
            for mine, its in ((self.values, other.values), (self.sensitive, other.sensitive))
            for one, two in zip(mine, its, strict=True)
        )
        if not alike:
            raise InputRejected(
                "Two chunks of a table were encoded with different values.",
                "Encode the whole first, or declare the values of every column.",
            )
        alone = tuple(one + two for one, two in zip(self.alone, other.alone, strict=True))
        joint = tuple(one + two for one, two in zip(self.joint, other.joint, strict=True))
        return Counts(self.names, self.values, self.sensitive, alone, joint)


def counts_of(columns: Sequence[Column]) -> Counts:
    return Counts(
        tuple(column.name for column in columns),
        tuple(column.values for column in columns),
        tuple(column.sensitive for column in columns),
        tuple(count_alone(column) for column in columns),
        tuple(joint for _, _, joint in joints(columns)),
    )


def count_alone(column: Column) -> Whole:
    return np.bincount(column.codes + 1, minlength=len(column.values) + 1)


def pairs(size: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(size) for j in range(i + 1, size)]


def joints(columns: Sequence[Column]) -> Iterator[tuple[int, int, Joint]]:
    """The tables of all pairs, one after the other, so that whoever needs only figures of them holds one at a time."""
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
            found = _meet(order, ends, columns[j].codes, widths[j], seen, touched, cells, counts)
            yield i, j, Joint(cells[:found].copy(), counts[:found].copy())


@numba.njit(cache=True, nogil=True)
def _meet(
    order: Codes, ends: Whole, codes: Codes, width: int, seen: Whole, touched: Whole, cells: Whole, counts: Whole
) -> int:  # pragma: no cover - compiled
    """Rows come sorted by the first attribute, so one counter for each value of the second is enough. `seen` is all 0 before and after."""
    found, start = 0, 0
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
            cells[found] = value * width + other
            counts[found] = seen[other]
            seen[other] = 0
            found += 1
        start = stop
    return found
