"""The price of the surplus rows of a box if it were one group: they must go elsewhere, and other rows with them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import inner, making
from headgate.grouping.items import Items
from headgate.grouping.nearness import RANGE
from headgate.grouping.neighbour_counts import near_rows

SPARSE = 12  # going through all values of a limit beats sorting if there are fewer than so many times those that occur


class Till(NamedTuple):
    """The prices, and scratch space for counting."""

    price: NDArray[np.float64]  # for each limit, how many rows are widened for each that is too many
    tally: NDArray[np.int64]  # of each value; zeros in between
    values: NDArray[np.int64]  # those that occur
    counts: NDArray[np.int64]


def till_of(items: Items, price: NDArray[np.float64]) -> Till:
    longest, different = int(items.limits.of.values.max(initial=1)) + 1, len(items.item)
    return Till(price, np.zeros(longest, dtype=np.int64), np.empty(different, dtype=np.int64), np.empty(different, dtype=np.int64))


@inner
def to_pay(items: Items, cells: NDArray[np.int64], till: Till) -> float:
    """The price of the rows of some cells that are too many."""
    total, rows = 0.0, np.int64(0)
    for cell in cells:
        rows += items.cell[cell].rows
    for l in range(len(till.price)):  # noqa: E741
        limit, cap = items.limits.of[l], items.limits.allowed[l, rows]
        if cap >= rows:
            continue
        many = _tally_values(items, cells, l, till)
        if limit.form <= RANGE and limit.values < SPARSE * many:
            total += till.price[l] * _too_many_in_order(items, l, cap, many, till)
        else:
            total += till.price[l] * _too_many(items, l, cap, many, till)
    return total


@inner
def _tally_values(items: Items, cells: NDArray[np.int64], l: int, till: Till) -> int:  # noqa: E741
    """How many rows of the cells have each value; gives how many values occur."""
    many = 0
    for cell in cells:
        for item in range(items.cell[cell].start, items.cell[cell + 1].start):
            v = items.limits.value[item, l]
            if till.tally[v] == 0:
                till.values[many] = v
                many += 1
            till.tally[v] += items.rows[item]
    return many


@inner
def _too_many_in_order(items: Items, l: int, cap: int, many: int, till: Till) -> float:  # noqa: E741
    """Similar values follow each other, so their rows are a difference of two sums."""
    limits, size, start, tally = items.limits, items.limits.of[l].values, items.limits.of[l].start, till.tally
    before, total = np.int64(0), 0.0
    for v in range(size):  # from here on tally[v] is the rows of all values before v
        before += tally[v]
        tally[v] = before - tally[v]
    tally[size] = before
    for i in range(many):
        v = till.values[i]
        own = limits.own[start + v]
        near = tally[own.last + 1] - tally[own.first]
        if near > cap and own.centre:
            total += (tally[v + 1] - tally[v]) * (near - cap) / near
    tally[: size + 1] = 0
    return total


@making
def _too_many(items: Items, l: int, cap: int, many: int, till: Till) -> float:  # noqa: E741
    total, values, counts = 0.0, till.values[:many], till.counts[:many]
    for i in range(many):
        counts[i] = till.tally[values[i]]
        till.tally[values[i]] = 0
    near = near_rows(items.limits, l, values, counts)
    for i in range(many):
        if near[i] > cap and items.limits.own[items.limits.of[l].start + values[i]].centre:
            total += counts[i] * (near[i] - cap) / near[i]
    return total
