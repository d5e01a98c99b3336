"""How often each value occurs in each class: the start of every principle of a single attribute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes, Column
from headgate.core.compiling import loop
from headgate.core.distinct import ends, rows_of_each
from headgate.core.errors import InputRejected
from headgate.counting.figure import Bound, Figure


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """Class c has `counts[i]` rows with value `codes[i]`, for i from starts[c] up to starts[c+1]. Codes ascend; −1 (missing) comes
    first."""

    starts: NDArray[np.int64]
    codes: Codes
    counts: NDArray[np.int64]
    sizes: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def shares(self) -> NDArray[np.float64]:
        """The share of each entry in its class."""
        return self.counts / np.repeat(self.sizes, np.diff(self.starts))

    def largest(self, flags: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """The largest count of a flagged value in each class; 0 if no flagged value occurs. The last flag is for missing cells."""
        counts = self.counts if flags is None else np.where(flags[self.codes], self.counts, 0)
        return np.asarray(np.maximum.reduceat(counts, self.starts[:-1]))

    def concerned(self, flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which classes contain a flagged value."""
        return np.asarray(np.logical_or.reduceat(flags[self.codes], self.starts[:-1]))


@dataclass(frozen=True, eq=False)
class Counted:
    """One attribute, counted once for all principles, in each reading of "class"."""

    column: Column
    readings: tuple[ClassCounts, ...]

    @property
    def sizes(self) -> tuple[NDArray[np.int64], ...]:
        return tuple(counts.sizes for counts in self.readings)

    def totals(self) -> NDArray[np.int64]:
        """The number of rows with each value in the whole table, missing cells last. Adding up the counts is faster than counting rows."""
        counts, last = self.readings[0], len(self.column.values)
        total = np.bincount(np.where(counts.codes < 0, last, counts.codes), weights=counts.counts, minlength=last + 1)
        return np.asarray(total.astype(np.int64))

    def figure(self, name: str, bound: Bound, per_class: Sequence[NDArray[np.float64]]) -> Figure:
        """A figure over the classes that contain a sensitive value; the others have nothing to protect."""
        best = np.inf if bound is Bound.AT_LEAST else 0.0
        kept = tuple(
            np.where(counts.concerned(self.column.sensitive), figures, best)
            for counts, figures in zip(self.readings, per_class, strict=True)
        )
        return Figure(name, bound, kept, self.sizes)

    def figure_all(self, name: str, bound: Bound, per_class: Sequence[NDArray[np.float64]]) -> Figure:
        """A figure over all classes, whatever values they contain."""
        return Figure(name, bound, tuple(per_class), self.sizes)


def count(column: Column, classes: Sequence[Codes]) -> Counted:
    """Counts a column. `classes` has one or two readings; each gives the class number of every row."""
    if not classes:
        raise InputRejected("The table has no classes to measure.", "Give a table with rows.")
    return Counted(column, tuple(class_counts(column.codes, reading) for reading in classes))


def class_counts(codes: Codes, classes: Codes) -> ClassCounts:
    """Counts codes per class. Class numbers are 0, 1, 2 … without gaps, so suppressed rows must have been dropped."""
    if len(codes) != len(classes):
        raise InputRejected(f"{len(classes)} class numbers for {len(codes)} rows.", "Give one class number per row.")
    sizes = class_sizes(classes)
    values = ends(codes)[1] + 2
    if len(sizes) * values <= len(codes):
        starts, entry_codes, counts = _count_dense(codes, classes, len(sizes), values)
    else:
        starts, entry_codes, counts = _count_sorted(codes, classes, sizes, values)
    return ClassCounts(starts, entry_codes, counts, sizes)


def class_sizes(classes: Codes) -> NDArray[np.int64]:
    """The number of rows of each class. Refuses class numbers with gaps."""
    low, high = ends(classes) if len(classes) else (-1, -1)
    sizes = rows_of_each(classes, high + 1) if low == 0 else np.zeros(1, dtype=np.int64)
    if (sizes == 0).any():
        raise InputRejected("Classes must be numbered 0, 1, 2 … without gaps.", "Number them anew, without the suppressed rows.")
    return np.asarray(sizes)


@loop
def _count_dense(
    codes: NDArray[np.int32], classes: NDArray[np.int32], groups: int, values: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Counts in one pass over the rows. It suits a table of all (class, value) pairs that is no larger than the number of rows."""
    table = np.zeros((groups, values), np.int32)
    for row in range(len(codes)):
        table[classes[row], codes[row] + 1] += 1
    starts = np.zeros(groups + 1, np.int64)
    for group in range(groups):
        starts[group + 1] = starts[group] + np.count_nonzero(table[group])
    entry_codes, counts = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.int64)
    entry = 0
    for group in range(groups):
        for value in range(values):
            if table[group, value] > 0:
                entry_codes[entry], counts[entry] = value - 1, table[group, value]
                entry += 1
    return starts, entry_codes, counts


@loop
def _count_sorted(
    codes: NDArray[np.int32], classes: NDArray[np.int32], sizes: NDArray[np.int64], values: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Counts by two counting sorts, by value and then by class, so that the values of a class ascend. Each takes one pass over the rows."""
    place = np.zeros(values + 1, np.int64)
    for code in codes:
        place[code + 2] += 1
    for value in range(values):
        place[value + 1] += place[value]
    by_value = np.empty(len(codes), np.int32)
    for row in range(len(codes)):
        by_value[place[codes[row] + 1]] = row
        place[codes[row] + 1] += 1
    free = np.cumsum(sizes) - sizes  # where the next row of each class goes
    sorted_codes = np.empty(len(codes), np.int32)
    for i in range(len(by_value)):
        row = by_value[i]
        sorted_codes[free[classes[row]]] = codes[row]
        free[classes[row]] += 1
    starts = np.zeros(len(sizes) + 1, np.int64)
    entries, first = 0, 0
    for size in sizes:
        for i in range(first, first + size):
            entries += i == first or sorted_codes[i] != sorted_codes[i - 1]
        first += size
    entry_codes, counts = np.empty(entries, np.int32), np.zeros(entries, np.int64)
    entry, first = -1, 0
    for group in range(len(sizes)):
        starts[group] = entry + 1
        for i in range(first, first + sizes[group]):
            if i == first or sorted_codes[i] != sorted_codes[i - 1]:
                entry += 1
                entry_codes[entry] = sorted_codes[i]
            counts[entry] += 1
        first += sizes[group]
    starts[len(sizes)] = entries
    return starts, entry_codes, counts
