"""Counts the rows of each class that are near a value on a line, over the sorted distinct values of the class. A missing cell is near
only to missing cells."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import inner, loop, making
from headgate.counting.class_counts import ClassCounts


def largest_stars(
    counts: ClassCounts, values: NDArray[np.float64], reach: NDArray[np.float64], flags: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The largest number of rows within reach of one value, per class: for any value, and for a flagged value (0 if there is none). The
    last flag is for missing cells."""
    near, starts = rows_near(counts.starts, counts.codes, counts.counts, values, reach), counts.starts[:-1]
    return np.maximum.reduceat(near, starts), np.maximum.reduceat(np.where(flags[counts.codes], near, 0), starts)


@loop
def rows_near(
    starts: NDArray[np.int64], codes: NDArray[np.int32], counts: NDArray[np.int64], values: NDArray[np.float64], reach: NDArray[np.float64]
) -> NDArray[np.int64]:
    """The number of rows y of a class with |y − x| ≤ reach[x], for every entry (a distinct value x of the class). The rows of x itself
    count."""
    near = np.zeros(len(codes), np.int64)
    before = np.zeros(len(codes) + 1, np.int64)
    before[1:] = np.cumsum(counts)
    for group in range(len(starts) - 1):
        start, end = starts[group], starts[group + 1]
        if start < end and codes[start] < 0:
            near[start] = counts[start]
            start += 1
        for i in range(start, end):
            x, r = values[codes[i]], reach[codes[i]]
            low, above = start, i
            while low < above:  # first entry that is near from below
                middle = (low + above) // 2
                if x - values[codes[middle]] <= r:
                    above = middle
                else:
                    low = middle + 1
            high, above = i + 1, end
            while high < above:  # first entry past x that is no longer near
                middle = (high + above) // 2
                if values[codes[middle]] - x <= r:
                    high = middle + 1
                else:
                    above = middle
            near[i] = before[high] - before[low]
    return near


@loop
def largest_windows(
    starts: NDArray[np.int64],
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    values: NDArray[np.float64],
    length: float,
    flags: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The largest number of rows in a closed interval of this length, per class: for any interval, and for one that contains a flagged
    value. The last flag is for missing cells."""
    most, flagged = np.zeros(len(starts) - 1, np.int64), np.zeros(len(starts) - 1, np.int64)
    for group in range(len(starts) - 1):
        start, end = starts[group], starts[group + 1]
        if start < end and codes[start] < 0:
            most[group] = counts[start]
            if flags[-1]:
                flagged[group] = counts[start]
            start += 1
        high, inside, marks = start, 0, 0
        for low in range(start, end):
            while high < end and values[codes[high]] - values[codes[low]] <= length:
                inside += counts[high]
                marks += flags[codes[high]]
                high += 1
            most[group] = max(most[group], inside)
            if marks > 0:
                flagged[group] = max(flagged[group], inside)
            inside -= counts[low]
            marks -= flags[codes[low]]
    return most, flagged


@making
def rows_within(line: NDArray[np.float64], counts: NDArray[np.int64], reach: float) -> NDArray[np.int64]:
    """The number of rows y with |y − x| ≤ reach, for every value x of one class, in any order."""
    order, low, high = _reached(line, reach)
    before = np.zeros(len(line) + 1, np.int64)
    before[1:] = np.cumsum(counts[order])
    near = np.empty(len(line), np.int64)
    near[order] = before[high] - before[low]
    return near


@making
def rows_in_squares(u: NDArray[np.float64], v: NDArray[np.float64], counts: NDArray[np.int64], reach: float) -> NDArray[np.int64]:
    """The number of rows within reach on both lines, for every value of one class.

    The first line is swept with a window. For the second line, a binary indexed tree (Fenwick 1994) adds up the rows in the window."""
    size = len(u)
    second, low, high = _reached(v, reach)
    place = np.empty(size, np.int64)
    place[second] = np.arange(size)
    first, begin, end = _reached(u, reach)
    sums, near = np.zeros(size + 1, np.int64), np.zeros(size, np.int64)
    inside, gone = 0, 0
    for i in range(size):
        while inside < end[i]:
            _add(sums, place[first[inside]], counts[first[inside]])
            inside += 1
        while gone < begin[i]:
            _add(sums, place[first[gone]], -counts[first[gone]])
            gone += 1
        value = first[i]
        near[value] = _sum(sums, high[place[value]]) - _sum(sums, low[place[value]])
    return near


@making
def _reached(line: NDArray[np.float64], reach: float) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The order that sorts the values, and, for each sorted value, the first place within reach and the first place beyond it."""
    order = np.argsort(line, kind="mergesort")
    ascending = line[order]
    low, high = np.empty(len(line), np.int64), np.empty(len(line), np.int64)
    first, beyond = 0, 0
    for i in range(len(line)):
        while ascending[i] - ascending[first] > reach:
            first += 1
        while beyond < len(line) and ascending[beyond] - ascending[i] <= reach:
            beyond += 1
        low[i], high[i] = first, beyond
    return order, low, high


@inner
def _add(sums: NDArray[np.int64], place: int, count: int) -> None:
    i = place + 1
    while i < len(sums):
        sums[i] += count
        i += i & -i


@inner
def _sum(sums: NDArray[np.int64], end: int) -> int:
    """The sum over the places before `end`."""
    total, i = 0, end
    while i > 0:
        total += sums[i]
        i -= i & -i
    return total
