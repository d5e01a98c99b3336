"""The best guess for each person from the rows that fit: the value, or the neighbourhood, that most of these rows hold.

Every row of the fitting classes is equally likely to be the person's. Whoever fits no class, or no row with the known value, is guessed
from the overall distribution. Ties go to the value more frequent overall, then to the first in domain order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from headgate.attacks.matching import Matches, fitting_classes, last_is_missing
from headgate.core.columns import Codes, Column
from headgate.core.distinct import distinct_rows
from headgate.counting.class_counts import class_counts


@dataclass(frozen=True, eq=False)
class Guesses:
    """By person: the guessed value (a missing cell is the number after the last), and the share of the fitting rows that hold it,
    0 where nothing fits."""

    value: NDArray[np.int64]
    belief: NDArray[np.float64]
    overall: int  # the guess without any groups


@dataclass(frozen=True, eq=False)
class Reach:
    """Which values are near which: codes low[v] … high[v] on a line, else the rows of a matrix. A guess is then a centre."""

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    matrix: NDArray[np.bool_]  # 0 × 0 on a line

    @classmethod
    def equal(cls, size: int) -> Reach:
        own = np.arange(size, dtype=np.int64)
        return cls(own, own, np.zeros((0, 0), dtype=np.bool_))

    def near(self, centre: NDArray[np.int64], value: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each value is within reach of its centre; a negative value is near nothing."""
        seen, place = value >= 0, np.maximum(value, 0)
        if len(self.matrix):
            return np.asarray(seen & self.matrix[centre, place])
        return np.asarray(seen & (self.low[centre] <= place) & (place <= self.high[centre]))

    def rows(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each value the rows within its reach."""
        if len(self.matrix):
            return np.asarray(self.matrix.astype(np.int64) @ counts)
        before = np.concatenate([[0], np.cumsum(counts)])
        return np.asarray(before[self.high + 1] - before[self.low])


def guess(
    matches: Matches, column: Column, reach: Reach | None = None, known: Codes | None = None, told: NDArray[np.int64] | None = None
) -> Guesses:
    """`known` has a number for each published row, and `told` the number that the attacker knows of each person."""
    size = len(column.values) + 1
    reach = Reach.equal(size) if reach is None else reach
    values = last_is_missing(column)
    known = np.zeros(len(values), dtype=np.int32) if known is None else known
    told = np.zeros(len(matches.cell), dtype=np.int64) if told is None else told
    pairs, place = distinct_rows(np.stack([known, values], axis=1))
    counted = class_counts(place, matches.classes)
    around = reach.rows(np.bincount(values, minlength=size))
    order = np.lexsort((np.arange(size), -around))
    rank = np.empty(size, dtype=np.int64)
    rank[order] = np.arange(size)
    queries, asked = distinct_rows(np.stack([matches.cell, told.astype(np.int32)], axis=1))
    best, most, total = _best(
        matches.bits,
        matches.wanted,
        queries.astype(np.int64),
        counted.starts,
        pairs[counted.codes].astype(np.int64),
        counted.counts,
        rank,
        reach.low,
        reach.high,
        reach.matrix,
        len(matches.sizes),
    )
    best = np.where(total > 0, best, order[0])
    rows = np.maximum(total, 1)
    return Guesses(best[asked], (most / rows)[asked], int(order[0]))


@numba.njit(cache=True, nogil=True)
def _best(
    bits: NDArray[np.uint64],
    wanted: NDArray[np.int64],
    queries: NDArray[np.int64],
    starts: NDArray[np.int64],
    entries: NDArray[np.int64],
    counts: NDArray[np.int64],
    rank: NDArray[np.int64],
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    matrix: NDArray[np.bool_],
    classes: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Per query (combination, known number): the best guess, the rows near it, and all rows.
    Entries of a class are pairs of known number and value in ascending order."""
    many = len(queries)
    best, most = np.full(many, -1, np.int64), np.zeros(many, np.int64)
    total = np.zeros(many, np.int64)
    fits, tally = np.empty(classes, np.int64), np.zeros(len(rank), np.int64)
    touched, before = np.empty(len(rank), np.int64), np.zeros(len(rank) + 1, np.int64)
    last, fitting = -1, 0
    for query in range(many):
        if queries[query, 0] != last:  # queries are sorted by combination
            last = queries[query, 0]
            fitting = fitting_classes(bits, wanted[last], fits)
        told, different = queries[query, 1], 0
        for i in range(fitting):
            entry, end = starts[fits[i]], starts[fits[i] + 1]
            above = end
            while entry < above:  # the first entry with the known number
                middle = (entry + above) // 2
                if entries[middle, 0] < told:
                    entry = middle + 1
                else:
                    above = middle
            while entry < end and entries[entry, 0] == told:
                value = entries[entry, 1]
                if tally[value] == 0:
                    touched[different] = value
                    different += 1
                tally[value] += counts[entry]
                total[query] += counts[entry]
                entry += 1
        found = np.sort(touched[:different])
        for i in range(different):
            before[i + 1] = before[i] + tally[found[i]]
        first, past = 0, 0
        for i in range(different):
            value, near = found[i], 0
            if len(matrix) > 0:
                for j in range(different):
                    if matrix[value, found[j]]:
                        near += tally[found[j]]
            else:
                while found[first] < low[value]:
                    first += 1
                while past < different and found[past] <= high[value]:
                    past += 1
                near = before[past] - before[first]
            if near > most[query] or (near == most[query] and rank[value] < rank[best[query]]):
                best[query], most[query] = value, near
        for i in range(different):
            tally[found[i]] = 0
    return best, most, total
