"""Which rows have a value in an interval: sets of rows as bits, so that a query reads 64 rows at a time.

For each attribute the rows are put in the order of its values, and at some marks along this order the set of all rows before the mark is
kept. The rows of an interval are the difference of the two sets at the marks nearest to its ends; the few rows between a mark and an end
are put right one by one. That is n/64 words per attribute of a query, whatever its values, and 8 bytes of memory per row and attribute.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes
from headgate.core.compiling import inner, loop

MARKS = 32  # an attribute; with so few values or fewer, each value has its own


@dataclass(frozen=True, eq=False)
class Ends:
    """Ends of intervals: the position in `order` before which the rows count, and the mark nearest to it."""

    at: NDArray[np.int64]
    mark: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RowSets:
    """Several attributes of the same rows, one after the other in each array. Rows without a value come first in `order`."""

    rows: int
    order: NDArray[np.int32]
    marks: NDArray[np.int64]  # positions in `order`
    before: NDArray[np.uint64]  # the set of rows of each mark; no row without a value is in any
    places: tuple[NDArray[np.int64], ...]  # of each attribute: the places that rows lie at, ascending
    starts: tuple[NDArray[np.int64], ...]  # where in `order` each place begins, and the end
    first_mark: NDArray[np.int64]  # of each attribute

    @classmethod
    def of(cls, attributes: Sequence[tuple[Codes, NDArray[np.int64]]], rows: int) -> RowSets:
        """Codes of each attribute, −1 for missing, and the place of each code on the attribute's line."""
        order = np.empty(len(attributes) * rows, dtype=np.int32)
        places, starts, marks = [], [], [np.empty(0, dtype=np.int64)]
        for i, (codes, place) in enumerate(attributes):
            lie, rank = np.unique(place, return_inverse=True)
            ranks = np.append(rank + 1, 0).astype(np.int32)[codes]
            sizes = np.bincount(ranks, minlength=len(lie) + 1)
            ends = np.concatenate([[0], np.cumsum(sizes)]) + i * rows
            sort_rows(ranks, ends[:-1].copy(), order)
            places.append(lie)
            starts.append(ends[1:])
            marks.append(ends[1:] if len(lie) <= MARKS else np.linspace(ends[1], ends[-1], MARKS + 1).astype(np.int64))
        first = np.cumsum([len(part) for part in marks])
        at = np.concatenate(marks)
        return cls(rows, order, at, _sets(order, at, first, (rows + 63) // 64), tuple(places), tuple(starts), first)

    def ends(self, chosen: NDArray[np.int64], bounds: NDArray[np.int64]) -> Ends:
        """The rows of attribute `chosen` that lie before place `bounds`, as an end of an interval."""
        at, mark = np.empty(chosen.shape, dtype=np.int64), np.empty(chosen.shape, dtype=np.int64)
        for i, (places, starts) in enumerate(zip(self.places, self.starts, strict=True)):
            here = chosen == i
            position = starts[np.searchsorted(places, bounds[here])]
            marks = self.marks[self.first_mark[i] : self.first_mark[i + 1]]
            after = np.minimum(np.searchsorted(marks, position), len(marks) - 1)
            earlier = np.maximum(after - 1, 0)
            at[here] = position
            mark[here] = self.first_mark[i] + np.where(position - marks[earlier] < marks[after] - position, earlier, after)
        return Ends(at, mark)


@loop
def sort_rows(ranks: NDArray[np.int32], ends: NDArray[np.int64], order: NDArray[np.int32]) -> None:
    """Puts the rows of each rank in their places in `order`; `ends` starts as where each rank begins."""
    for row in range(len(ranks)):
        order[ends[ranks[row]]] = row
        ends[ranks[row]] += 1


@loop
def _sets(order: NDArray[np.int32], marks: NDArray[np.int64], first: NDArray[np.int64], words: int) -> NDArray[np.uint64]:
    out = np.zeros((len(marks), words), np.uint64)
    for i in range(len(first) - 1):
        for mark in range(first[i] + 1, first[i + 1]):
            out[mark] = out[mark - 1]
            for at in range(marks[mark - 1], marks[mark]):
                flip(out[mark], order[at])
    return out


@inner
def flip(words: NDArray[np.uint64], row: int) -> None:
    words[row >> 6] ^= np.uint64(1) << np.uint64(row & 63)


@loop
def keep_interval(
    order: NDArray[np.int32],
    marks: NDArray[np.int64],
    before: NDArray[np.uint64],
    low_at: int,
    low_mark: int,
    high_at: int,
    high_mark: int,
    work: NDArray[np.uint64],
    inside: NDArray[np.uint64],
) -> None:
    """Takes the rows outside one interval out of `inside`; `work` is overwritten."""
    low, high = before[low_mark], before[high_mark]
    for word in range(len(work)):
        work[word] = low[word] ^ high[word]
    for at, mark in ((low_at, marks[low_mark]), (high_at, marks[high_mark])):
        for i in range(min(at, mark), max(at, mark)):
            flip(work, order[i])
    for word in range(len(work)):
        inside[word] &= work[word]
