"""The earth mover's distance from the table to a group, compiled, on how often each value occurs in the group."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import dividing
from headgate.counting.line_transport import over_line
from headgate.grouping.condition_rules import FLAT, LINE_MISSING, TREE
from headgate.grouping.sorting import sorted_order


class Scratch(NamedTuple):
    """Zeros between two questions."""

    tally: NDArray[np.int64]  # rows of each value
    values: NDArray[np.int64]  # those that occur
    share: NDArray[np.float64]  # of the nodes of a hierarchy
    state: NDArray[np.int64]  # of the run: once it is to stop, any answer will do
    exact: int  # up to so many different values every neighbourhood is counted; of more, those of some centres


@dividing
def distance_from_table(
    rule: Any, numbers: NDArray[np.int64], shares: NDArray[np.float64], missing: int, scratch: Scratch, different: int, size: int
) -> float:
    """`numbers` and `shares` are the rule's own; `missing` is the number of a missing cell."""
    if rule.principle == FLAT:
        over = 0.0  # ½Σ|p − q| is the sum of what exceeds
        for i in range(different):
            v = scratch.values[i]
            over += max(scratch.tally[v] / size - shares[v], 0.0)
        return over
    if rule.principle == TREE:
        return float(_over_tree(rule, numbers, shares, missing, scratch, different, size))
    at = np.empty(different, np.int64)
    for i in range(different):
        at[i] = numbers[scratch.values[i]] if scratch.values[i] < missing else -1
    order = sorted_order(at)
    if rule.principle == LINE_MISSING:
        counts = scratch.tally[scratch.values[order]]
        bounds, sizes = np.array([0, different]), np.array([size])
        return float(over_line(bounds, at[order], counts, sizes, shares, rule.missing)[0])
    return float(_over_line(shares[: rule.level], shares[rule.level :], at, order, scratch, size))


@dividing
def _over_line(
    upto: NDArray[np.float64],
    area: NDArray[np.float64],
    at: NDArray[np.int64],
    order: NDArray[np.int64],
    scratch: Scratch,
    size: int,
) -> float:
    """Σ|cumulative difference| / (m − 1). Between two values of the group, the group's share is constant and the table's only rises. A
    binary search finds where they cross; `area`, the sums of `upto` before each point, gives the rest."""
    points = len(upto)
    if points < 2:
        return 0.0
    total, here, first = 0.0, np.int64(0), np.int64(0)
    for i in range(len(order) + 1):
        last = at[order[i]] if i < len(order) else np.int64(points - 1)
        share = here / size
        low, high = first, last
        while low < high:
            middle = (low + high) // 2
            if upto[middle] > share:
                high = middle
            else:
                low = middle + 1
        total += (low - first) * share - (area[low] - area[first]) + (area[last] - area[low]) - (last - low) * share
        if i < len(order):
            here += scratch.tally[scratch.values[order[i]]]
            first = last
    return max(0.0, total / (points - 1))


@dividing
def _over_tree(
    rule: Any, node: NDArray[np.int64], above: NDArray[np.float64], leaves: int, scratch: Scratch, different: int, size: int
) -> float:
    """A tree of height H in which every edge is 1/(2H) long puts two leaves (height of the LCA)/H apart. So the distance is the sum over
    nodes of what must pass the edge above, |p − q|/(2H). Missing hangs from the root by an edge of ½; its number follows the leaves'."""
    absent, total, height = 0.0, 0.0, rule.level
    for i in range(different):
        v = scratch.values[i]
        part = scratch.tally[v] / size
        if v == leaves:
            absent = part
            continue
        for level in range(height):
            scratch.share[node[level * leaves + v]] += part
    for i in range(different):
        v = scratch.values[i]
        if v == leaves:
            continue
        for level in range(height):
            at = node[level * leaves + v]
            if scratch.share[at] > 0.0:
                total += abs(scratch.share[at] - above[at]) - above[at]
                scratch.share[at] = 0.0
    untouched = height * (1.0 - rule.missing)  # the table's shares over all nodes below the root
    return float(max(0.0, (untouched + total) / (2.0 * height) + abs(absent - rule.missing) / 2.0))
