"""The best guess for each person from the rows that fit: the value, or the neighbourhood, that most of these rows hold.

Every row of the fitting classes is equally likely to be the person's. For a person who fits no class, or no row with the known value, the
guess comes from the overall distribution. Ties go to the value more frequent overall, then to the first in domain order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.attacks.matching import Matches, fitting_classes, last_is_missing
from headgate.core.columns import Codes, Column
from headgate.core.compiling import inner, loop, making
from headgate.core.distinct import distinct_rows
from headgate.counting.class_counts import class_counts


@dataclass(frozen=True, eq=False)
class Guesses:
    """By person: the guessed value (a missing cell has the number after the last value), and the share of the fitting rows that have it;
    0 if no row fits."""

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
        """The number of rows within reach of each value."""
        if len(self.matrix):
            return np.asarray(self.matrix.astype(np.int64) @ counts)
        before = np.concatenate([[0], np.cumsum(counts)])
        return np.asarray(before[self.high + 1] - before[self.low])


def guess(
    matches: Matches, column: Column, reach: Reach | None = None, known: Codes | None = None, known_values: NDArray[np.int64] | None = None
) -> Guesses:
    """`known` has a number for each published row, and `known_values` the number that the attacker knows of each person."""
    size = len(column.values) + 1
    reach = Reach.equal(size) if reach is None else reach
    values = last_is_missing(column)
    known = np.zeros(len(values), dtype=np.int32) if known is None else known
    known_values = np.zeros(len(matches.cell), dtype=np.int64) if known_values is None else known_values
    pairs, place = distinct_rows(np.stack([known, values], axis=1))
    counted = class_counts(place, matches.classes)
    entries = pairs[counted.codes].astype(np.int64)
    owners = np.repeat(np.arange(len(counted)), np.diff(counted.starts))
    of_known = np.argsort(entries[:, 0], kind="stable")
    known_starts = np.searchsorted(entries[of_known, 0], np.arange(int(max(known.max(initial=0), known_values.max(initial=0))) + 2))
    around = reach.rows(np.bincount(values, minlength=size))
    order = np.lexsort((np.arange(size), -around))
    rank = np.empty(size, dtype=np.int64)
    rank[order] = np.arange(size)
    queries, query_of = distinct_rows(np.stack([matches.cell, known_values.astype(np.int32)], axis=1))
    best, most, total = _best(
        matches.bits,
        matches.wanted,
        queries.astype(np.int64),
        counted.starts,
        entries,
        counted.counts,
        owners,
        of_known,
        known_starts,
        rank,
        reach.low,
        reach.high,
        reach.matrix,
        len(matches.sizes),
    )
    best = np.where(total > 0, best, order[0])
    rows = np.maximum(total, 1)
    return Guesses(best[query_of], (most / rows)[query_of], int(order[0]))


@loop
def _best(
    bits: NDArray[np.uint64],
    wanted: NDArray[np.int64],
    queries: NDArray[np.int64],
    starts: NDArray[np.int64],
    entries: NDArray[np.int64],
    counts: NDArray[np.int64],
    owners: NDArray[np.int64],
    of_known: NDArray[np.int64],
    known_starts: NDArray[np.int64],
    rank: NDArray[np.int64],
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    matrix: NDArray[np.bool_],
    classes: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Per query (combination, known number): the best guess, the rows near it, and all rows.

    Entries of a class are pairs of known number and value in ascending order; `owners` are their classes. `of_known` has the entries by
    known number: where more classes fit than there are entries with the number, those entries are looked through instead."""
    many = len(queries)
    best, most = np.full(many, -1, np.int64), np.zeros(many, np.int64)
    total = np.zeros(many, np.int64)
    fits, tally = np.empty(classes, np.int64), np.zeros(len(rank), np.int64)
    touched, fitted_by = np.empty(len(rank), np.int64), np.full(classes, -1, np.int64)
    last, fitting = -1, 0
    for query in range(many):
        if queries[query, 0] != last:  # queries are sorted by combination
            last = queries[query, 0]
            fitting = fitting_classes(bits, wanted[last], fits)
            for i in range(fitting):
                fitted_by[fits[i]] = last
        different, known = 0, queries[query, 1]
        if known < 0:
            continue
        first, end = known_starts[known], known_starts[known + 1]
        if end - first < fitting:
            different, total[query] = _looked_through(of_known[first:end], owners, fitted_by, last, entries, counts, tally, touched)
        else:
            for i in range(fitting):
                different, rows = _tallied(starts[fits[i]], starts[fits[i] + 1], entries, counts, known, tally, touched, different)
                total[query] += rows
        values = np.sort(touched[:different])
        rows_near = _rows_near(values, tally, low, high, matrix)
        for i in range(different):
            value, near = values[i], rows_near[i]
            if near > most[query] or (near == most[query] and rank[value] < rank[best[query]]):
                best[query], most[query] = value, near
            tally[value] = 0
    return best, most, total


@inner
def _looked_through(
    candidates: NDArray[np.int64],
    owners: NDArray[np.int64],
    fitted_by: NDArray[np.int64],
    combination: int,
    entries: NDArray[np.int64],
    counts: NDArray[np.int64],
    tally: NDArray[np.int64],
    touched: NDArray[np.int64],
) -> tuple[int, int]:
    """Adds those of the candidate entries whose class fits the combination to the tally. Returns how many values are tallied, and how many
    rows were added."""
    different, rows = 0, 0
    for entry in candidates:
        if fitted_by[owners[entry]] == combination:
            value = entries[entry, 1]
            if tally[value] == 0:
                touched[different] = value
                different += 1
            tally[value] += counts[entry]
            rows += counts[entry]
    return different, rows


@inner
def _tallied(
    entry: int,
    end: int,
    entries: NDArray[np.int64],
    counts: NDArray[np.int64],
    known: int,
    tally: NDArray[np.int64],
    touched: NDArray[np.int64],
    different: int,
) -> tuple[int, int]:
    """Adds a class's rows with the known number to the tally by value. Returns how many values are tallied, and how many rows were
    added."""
    above, rows = end, 0
    while entry < above:  # the first entry with the known number
        middle = (entry + above) // 2
        if entries[middle, 0] < known:
            entry = middle + 1
        else:
            above = middle
    while entry < end and entries[entry, 0] == known:
        value = entries[entry, 1]
        if tally[value] == 0:
            touched[different] = value
            different += 1
        tally[value] += counts[entry]
        rows += counts[entry]
        entry += 1
    return different, rows


@making
def _rows_near(
    values: NDArray[np.int64], tally: NDArray[np.int64], low: NDArray[np.int64], high: NDArray[np.int64], matrix: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """The tallied rows within reach of each of these ascending values."""
    many = len(values)
    near = np.zeros(many, np.int64)
    if len(matrix) > 0:
        for i in range(many):
            for j in range(many):
                if matrix[values[i], values[j]]:
                    near[i] += tally[values[j]]
        return near
    before = np.zeros(many + 1, np.int64)
    for i in range(many):
        before[i + 1] = before[i] + tally[values[i]]
    first, past = 0, 0
    for i in range(many):
        while values[first] < low[values[i]]:
            first += 1
        while past < many and values[past] <= high[values[i]]:
            past += 1
        near[i] = before[past] - before[first]
    return near
