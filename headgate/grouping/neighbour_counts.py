"""How many rows of a group are similar to each, by the cheapest way that is exact."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from headgate.grouping.nearness import EQUAL, FORM, LISTED, NEAR, NEAR_START, RANGE, SIZE, START, Limits, Nearness, alike, similar
from headgate.grouping.sorting import sorted_order

PAIRS = 48  # up to so many rows comparing all pairs beats sorting


@numba.njit(cache=True, nogil=True, error_model="numpy", inline="never")
def neighbourhoods(limits: Limits, l: int, rows: NDArray[np.int64], counts: NDArray[np.int64]) -> None:  # noqa: E741
    """counts[i] = rows of the group that are similar to rows[i] under limit l, itself included."""
    size = len(rows)
    form = limits.facts[l, FORM]
    if size <= PAIRS or (form >= NEAR and size <= 4 * PAIRS):
        for i in range(size):
            counts[i] = 1
        for i in range(size):
            a = limits.value[rows[i], l]
            for j in range(i):
                if similar(limits, l, a, limits.value[rows[j], l]):
                    counts[i] += 1
                    counts[j] += 1
        return
    values = np.empty(size, dtype=np.int64)
    for i in range(size):
        values[i] = limits.value[rows[i], l]
    order = sorted_order(values)
    different = np.empty(size, dtype=np.int64)
    begins = np.empty(size + 1, dtype=np.int64)
    kinds = 0
    for i in range(size):
        if i == 0 or values[order[i]] != values[order[i - 1]]:
            different[kinds] = values[order[i]]
            begins[kinds] = i
            kinds += 1
    begins[kinds] = size
    totals = np.zeros(kinds, dtype=np.int64)
    if form == EQUAL:
        for u in range(kinds):
            totals[u] = begins[u + 1] - begins[u]
    elif form == RANGE:
        low, high = 0, 0
        for u in range(kinds):
            place = limits.facts[l, START] + different[u]
            while different[low] < limits.ends[place, 0]:
                low += 1
            while high < kinds and different[high] <= limits.ends[place, 1]:
                high += 1
            totals[u] = begins[high] - begins[low]
    else:
        for u in range(kinds):
            own = begins[u + 1] - begins[u]
            totals[u] += own
            for w in range(u):
                if similar(limits, l, different[u], different[w]):
                    totals[u] += begins[w + 1] - begins[w]
                    totals[w] += own
    for u in range(kinds):
        for i in range(begins[u], begins[u + 1]):
            counts[order[i]] = totals[u]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def near_rows(limits: Nearness, l: int, values: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:  # noqa: E741
    """For every value of a group, of which rows[i] rows have values[i], the rows similar to it under limit l, its own included. A value
    may stand more than once."""
    many = len(values)
    near = rows.copy()
    if limits.facts[l, FORM] == LISTED and many > PAIRS:
        tally, lists = np.zeros(limits.facts[l, SIZE], dtype=np.int64), limits.facts[l, NEAR_START]
        for i in range(many):
            tally[values[i]] += rows[i]
        for i in range(many):
            near[i] = 0
            for at in range(limits.begin[lists + values[i]], limits.begin[lists + values[i] + 1]):
                near[i] += tally[limits.listed[at]]
        return near
    if limits.facts[l, FORM] > RANGE:
        for i in range(many):
            for j in range(i):
                if alike(limits, l, values[i], values[j]):
                    near[i] += rows[j]
                    near[j] += rows[i]
        return near
    order, start = sorted_order(values), limits.facts[l, START]
    low, high, within = 0, 0, np.int64(0)
    for i in order:  # the similar ones follow each other: a window that only moves on
        while high < many and values[order[high]] <= limits.ends[start + values[i], 1]:
            within += rows[order[high]]
            high += 1
        while values[order[low]] < limits.ends[start + values[i], 0]:
            within -= rows[order[low]]
            low += 1
        near[i] = within
    return near


@numba.njit(cache=True, nogil=True, error_model="numpy")
def near_in_groups(
    limits: Nearness,
    l: int,  # noqa: E741
    item: NDArray[np.int64],
    rows: NDArray[np.int64],
    bounds: NDArray[np.int64],
) -> NDArray[np.int64]:
    """`near_rows` of many groups: group g has rows[i] rows of item[i], for i from bounds[g] to bounds[g+1]."""
    near = np.empty(len(item), dtype=np.int64)
    values = np.empty(len(item), dtype=np.int64)
    for i in range(len(item)):
        values[i] = limits.value[item[i], l]
    for g in range(len(bounds) - 1):
        near[bounds[g] : bounds[g + 1]] = near_rows(limits, l, values[bounds[g] : bounds[g + 1]], rows[bounds[g] : bounds[g + 1]])
    return near
