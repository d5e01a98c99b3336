"""Does a group hold every condition and neighbourhood limit? Compiled, on how often each value occurs in it.

A group without any sensitive value of an attribute has nothing to protect there (DEFINITIONS §5), but for closeness, which compares all
values. Real figures get half of the tolerance that the check at the end gives, so that rounding lets nothing through that it refuses.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from headgate.counting.line_transport import over_line
from headgate.grouping.condition_rules import DISTINCT, ENTROPY, FLAT, LEVEL, LINE_MISSING, PRINCIPLE, REAL, TREE, WHOLE, Rules
from headgate.grouping.nearness import EQUAL, FORM, RANGE, SIZE, START, Limits, similar
from headgate.grouping.sorting import sorted_order
from headgate.grouping.watch import STOP

HALF_TOLERANCE = 5e-10
EXACT = 2_048  # different values in a block beyond which cuts are guessed; what is guessed is counted in full before it stands
SAMPLED = 128


class Scratch(NamedTuple):
    """Zeros between two questions."""

    tally: NDArray[np.int64]  # rows of each value
    values: NDArray[np.int64]  # those that occur
    share: NDArray[np.float64]  # of the nodes of a hierarchy
    state: NDArray[np.int64]  # of the run: once it is to stop, any answer will do
    exact: int  # up to so many different values every neighbourhood is counted; of more, those of SAMPLED centres


@numba.njit(cache=True, nogil=True, inline="never")
def scratch_for(rules: Rules, limits: Limits, state: NDArray[np.int64], exact: int) -> Scratch:
    room = 1
    for i in range(len(rules.slot) - 1):
        room = max(room, rules.slot[i + 1, 0] - rules.slot[i, 0])
    for l in range(len(limits.facts)):  # noqa: E741
        room = max(room, limits.facts[l, SIZE])
    nodes = 1
    for c in range(len(rules.facts)):
        if rules.facts[c, PRINCIPLE] == TREE:
            nodes = max(nodes, len(rules.real) - rules.facts[c, REAL])
    return Scratch(np.zeros(room, np.int64), np.zeros(room, np.int64), np.zeros(nodes), state, exact)


@numba.njit(cache=True, nogil=True, inline="never")
def holds(rules: Rules, limits: Limits, rows: NDArray[np.int64], weight: NDArray[np.int64], scratch: Scratch) -> bool:
    """The group of these rows, each standing for `weight` equal ones. Cheap questions first."""
    size = np.int64(0)
    for w in weight:
        size += w
    for i in range(len(rules.slot) - 1):
        different = _tally(rules.value, i, rows, weight, scratch)
        kept = True
        for c in range(rules.slot[i, 1], rules.slot[i + 1, 1]):
            if not _holds_one(rules, i, c, scratch, different, size):
                kept = False
                break
        _forget(scratch, different)
        if not kept:
            return False
    for l in range(len(limits.facts)):  # noqa: E741
        if limits.allowed[l, size] >= size:
            continue
        different = _tally(limits.value, l, rows, weight, scratch)
        kept = _neighbourhoods_hold(limits, l, scratch, different, limits.allowed[l, size])
        _forget(scratch, different)
        if not kept:
            return False
    return True


@numba.njit(cache=True, nogil=True, inline="never")
def _tally(value: NDArray[np.int32], slot: int, rows: NDArray[np.int64], weight: NDArray[np.int64], scratch: Scratch) -> int:
    """How many different values there are; scratch.values lists them."""
    different = 0
    for i in range(len(rows)):
        v = value[rows[i], slot]
        if scratch.tally[v] == 0:
            scratch.values[different] = v
            different += 1
        scratch.tally[v] += weight[i]
    return different


@numba.njit(cache=True, nogil=True, inline="never")
def _forget(scratch: Scratch, different: int) -> None:
    for i in range(different):
        scratch.tally[scratch.values[i]] = 0


@numba.njit(cache=True, nogil=True, inline="never")
def _holds_one(rules: Rules, slot: int, c: int, scratch: Scratch, different: int, size: int) -> bool:
    principle = rules.facts[c, PRINCIPLE]
    if principle >= FLAT:
        return bool(_distance(rules, slot, c, scratch, different, size) <= rules.bound[c] + HALF_TOLERANCE * max(1.0, rules.bound[c]))
    largest = np.int64(0)
    for i in range(different):
        v = scratch.values[i]
        if rules.sensitive[rules.slot[slot, 0] + v]:
            largest = max(largest, scratch.tally[v])
    if largest == 0:
        return True
    if principle == DISTINCT:
        return bool(different >= rules.facts[c, LEVEL])
    if principle == ENTROPY:
        total = 0.0
        for i in range(different):
            count = scratch.tally[scratch.values[i]]
            total += count * np.log(count)
        # e^H with H = ln s − Σ n·ln n / s
        return bool(size * np.exp(-total / size) >= rules.bound[c] - HALF_TOLERANCE * rules.bound[c])
    return bool(_rest(scratch, different, size, largest, rules.facts[c, LEVEL]) > rules.whole[rules.facts[c, WHOLE] + largest])


@numba.njit(cache=True, nogil=True, inline="never")
def _rest(scratch: Scratch, different: int, size: int, largest: int, level: int) -> int:
    """What remains when the most frequent sensitive value and the l − 2 most frequent of the others are ruled out."""
    counts = scratch.tally[scratch.values[:different]]
    falling = counts[sorted_order(-counts)]
    left, others, passed = np.int64(size - largest), 0, False
    for count in falling:
        if count == largest and not passed:
            passed = True
            continue
        if others == level - 2:
            break
        left -= count
        others += 1
    return left  # type: ignore[return-value]


@numba.njit(cache=True, nogil=True, inline="never")
def _distance(rules: Rules, slot: int, c: int, scratch: Scratch, different: int, size: int) -> float:
    """The earth mover's distance from the table to the group."""
    principle = rules.facts[c, PRINCIPLE]
    own = rules.real[rules.facts[c, REAL] :]
    place = rules.whole[rules.facts[c, WHOLE] :]
    missing = rules.slot[slot + 1, 0] - rules.slot[slot, 0] - 1
    if principle == FLAT:
        over = 0.0  # ½Σ|p − q| is the sum of what exceeds
        for i in range(different):
            v = scratch.values[i]
            over += max(scratch.tally[v] / size - own[v], 0.0)
        return over
    if principle == TREE:
        return float(_over_tree(own, place, missing, rules.facts[c, LEVEL], scratch, different, size))
    points = rules.facts[c, LEVEL]
    at = np.empty(different, np.int64)
    for i in range(different):
        at[i] = place[scratch.values[i]] if scratch.values[i] < missing else -1
    order = sorted_order(at)
    if principle == LINE_MISSING:
        counts = scratch.tally[scratch.values[order]]
        bounds, sizes = np.array([0, different]), np.array([size])
        return float(over_line(bounds, at[order], counts, sizes, own[:points], own[points])[0])
    return float(_over_line(own[:points], own[points : 2 * points + 1], at, order, scratch, size))


@numba.njit(cache=True, nogil=True, inline="never")
def _over_line(
    upto: NDArray[np.float64],
    area: NDArray[np.float64],
    at: NDArray[np.int64],
    order: NDArray[np.int64],
    scratch: Scratch,
    size: int,
) -> float:
    """Σ|cumulative difference| / (m − 1). Between two values of the group its own share stands still and the table's only rises: the
    point where they cross is searched for, and `area`, the sums of `upto` before each point, does the rest."""
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


@numba.njit(cache=True, nogil=True, inline="never")
def _over_tree(
    own: NDArray[np.float64], node: NDArray[np.int64], missing: int, height: int, scratch: Scratch, different: int, size: int
) -> float:
    """A tree of height H in which every edge is 1/(2H) long puts two leaves (height of the LCA)/H apart. So the distance is the sum over
    nodes of what must pass the edge above, |p − q|/(2H). Missing hangs from the root by an edge of ½."""
    leaves, table_missing, above = missing, own[0], own[1:]
    absent, total = 0.0, 0.0
    for i in range(different):
        v = scratch.values[i]
        part = scratch.tally[v] / size
        if v == missing:
            absent = part
            continue
        for level in range(height):
            scratch.share[node[level * leaves + v]] += part
    for i in range(different):
        v = scratch.values[i]
        if v == missing:
            continue
        for level in range(height):
            at = node[level * leaves + v]
            if scratch.share[at] > 0.0:
                total += abs(scratch.share[at] - above[at]) - above[at]
                scratch.share[at] = 0.0
    untouched = height * (1.0 - table_missing)  # the table's shares over all nodes below the root
    return float(max(0.0, (untouched + total) / (2.0 * height) + abs(absent - table_missing) / 2.0))


@numba.njit(cache=True, nogil=True, inline="never")
def _neighbourhoods_hold(limits: Limits, l: int, scratch: Scratch, different: int, cap: int) -> bool:  # noqa: E741
    """At most `cap` rows are similar to any centre."""
    start = limits.facts[l, START]
    for i in range(different):
        v = scratch.values[i]
        if scratch.tally[v] > cap and limits.centre[start + v]:
            return False
    if limits.facts[l, FORM] == EQUAL:
        return True
    if limits.facts[l, FORM] == RANGE:
        return bool(_ranges_hold(limits, start, scratch, different, cap))
    step = 1 if different <= scratch.exact else different // SAMPLED
    for i in range(0, different, step):
        v = scratch.values[i]
        if scratch.state[STOP] != 0:
            return False
        if not limits.centre[start + v]:
            continue
        if _rows_near(limits, l, v, scratch.values[:different], scratch.tally, cap) > cap:
            return False
    return True


@numba.njit(cache=True, nogil=True, inline="never")
def _rows_near(limits: Limits, l: int, v: int, values: NDArray[np.int64], tally: NDArray[np.int64], cap: int) -> int:  # noqa: E741
    """Rows similar to a value; no further than needed to see that they are more than `cap`."""
    near = np.int64(0)
    for other in values:
        if similar(limits, l, v, other):
            near += tally[other]
            if near > cap:
                break
    return near  # type: ignore[return-value]


@numba.njit(cache=True, nogil=True, inline="never")
def _ranges_hold(limits: Limits, start: int, scratch: Scratch, different: int, cap: int) -> bool:
    """Similar values stand side by side: two ends that only move on."""
    values = scratch.values[:different]
    rising = values[sorted_order(values)]
    low, high, near = 0, 0, np.int64(0)
    for v in rising:
        while high < different and rising[high] <= limits.ends[start + v, 1]:
            near += scratch.tally[rising[high]]
            high += 1
        while rising[low] < limits.ends[start + v, 0]:
            near -= scratch.tally[rising[low]]
            low += 1
        if near > cap and limits.centre[start + v]:
            return False
    return True
