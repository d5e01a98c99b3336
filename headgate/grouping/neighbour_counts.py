"""How many rows of a group are similar to each, by the cheapest way that is exact."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import loop, making
from headgate.grouping.nearness import LISTED, RANGE, Nearness, similar
from headgate.grouping.sorting import sorted_order

PAIRS = 48  # up to so many values comparing all pairs beats everything else


@loop
def near_rows(limits: Nearness, l: int, values: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:  # noqa: E741
    """The number of rows similar to each value of a group under limit l, its own included. rows[i] rows have values[i], and a value may
    occur more than once."""
    form = limits.of[l].form
    if form <= RANGE:
        return _by_order(limits, l, values, rows)  # type: ignore[no-any-return]
    if len(values) <= PAIRS:
        return _by_pairs(limits, l, values, rows)  # type: ignore[no-any-return]
    if form == LISTED:
        return _by_lists(limits, l, values, rows)  # type: ignore[no-any-return]
    return _by_different_pairs(limits, l, values, rows)  # type: ignore[no-any-return]


@making
def _by_order(limits: Nearness, l: int, values: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:  # noqa: E741
    """Similar values follow each other: a window that only moves on."""
    many, start = len(values), limits.of[l].start
    order, near = sorted_order(values), np.empty(many, dtype=np.int64)
    low, high, within = 0, 0, np.int64(0)
    for i in order:
        while high < many and values[order[high]] <= limits.own[start + values[i]].last:
            within += rows[order[high]]
            high += 1
        while values[order[low]] < limits.own[start + values[i]].first:
            within -= rows[order[low]]
            low += 1
        near[i] = within
    return near


@making
def _by_lists(limits: Nearness, l: int, values: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:  # noqa: E741
    tally, start = np.zeros(limits.of[l].values, dtype=np.int64), limits.of[l].start
    near = np.zeros(len(values), dtype=np.int64)
    for i in range(len(values)):
        tally[values[i]] += rows[i]
    for i in range(len(values)):
        own = limits.own[start + values[i]]
        for at in range(own.first, own.last + 1):
            near[i] += tally[limits.listed[at]]
    return near


@making
def _by_pairs(limits: Nearness, l: int, values: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:  # noqa: E741
    near = rows.copy()
    for i in range(len(values)):
        for j in range(i):
            if similar(limits, l, values[i], values[j]):
                near[i] += rows[j]
                near[j] += rows[i]
    return near


@making
def _by_different_pairs(limits: Nearness, l: int, values: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:  # noqa: E741
    """Compares values that occur more than once only once."""
    order, many = sorted_order(values), 0
    place = np.empty(len(values), dtype=np.int64)
    different, total = np.empty(len(values), dtype=np.int64), np.zeros(len(values), dtype=np.int64)
    for at in range(len(order)):
        i = order[at]
        if at == 0 or values[i] != values[order[at - 1]]:
            different[many] = values[i]
            many += 1
        place[i] = many - 1
        total[many - 1] += rows[i]
    return _by_pairs(limits, l, different[:many], total[:many])[place]  # type: ignore[no-any-return]


@loop
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
