"""Rows near a value on a line, counted per class over its sorted distinct values. Missing is near missing only."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit(cache=True, nogil=True)
def rows_near(
    starts: NDArray[np.int64], codes: NDArray[np.int32], counts: NDArray[np.int64], values: NDArray[np.float64], reach: NDArray[np.float64]
) -> NDArray[np.int64]:
    """For every entry (a distinct value x of a class) the rows y of its class with |y − x| ≤ reach[x], x included."""
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


@numba.njit(cache=True, nogil=True)
def largest_windows(
    starts: NDArray[np.int64],
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    values: NDArray[np.float64],
    length: float,
    flags: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Per class the largest number of rows in a closed interval of this length: any, and one that holds a flagged value
    (the last flag is for missing)."""
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
