"""Turning one block of rows into groups: as few rows as possible in each, every group within the limits.

A block is dealt like cards: its rows are sorted by sensitive value and cut into strata of as many rows as there are groups; every
group gets one row of each stratum, so similar values are spread as evenly as they can be. Within a stratum rows go to the groups
in the order of the block's widest quasi-identifier, which keeps the groups' boxes narrow.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from headgate.xcolor.axes import FLAT, SHAPE, Axes, group_loss, published_key, stretch_loss
from headgate.xcolor.compiled import FORM, LAYOUT, START, Limits
from headgate.xcolor.counting import group_passes, neighbourhoods
from headgate.xcolor.sorting import sorted_order

LARGEST_COUNTED = 8_192  # rows of one group whose pairs are still compared
DEALS = 8  # numbers of groups that are tried for one block
SWAPS = 24  # exchanges of rows between the groups of one block


@numba.njit(cache=True, nogil=True, inline="never")
def deal(
    axes: Axes, rows: NDArray[np.int64], ranks: NDArray[np.int64], groups: int, dealt: NDArray[np.int64], bounds: NDArray[np.int64]
) -> None:
    """Writes the rows group by group to `dealt`; group g is dealt[bounds[g] : bounds[g+1]]. Sizes differ by at most one."""
    size = len(rows)
    own = np.empty(size, dtype=np.int64)
    for i in range(size):
        own[i] = ranks[rows[i]]
    by_value = sorted_order(own)
    axis = _widest(axes, rows)
    base, extra = size // groups, size % groups
    bounds[0] = 0
    for g in range(groups):
        bounds[g + 1] = bounds[g] + base + (1 if g < extra else 0)
    filled = np.zeros(groups, dtype=np.int64)
    keys = np.empty(groups, dtype=np.int64)
    for begin in range(0, size, groups):
        many = min(groups, size - begin)
        for i in range(many):
            keys[i] = axes.position[rows[by_value[begin + i]], axis] if axis >= 0 else i
        along = sorted_order(keys[:many])
        for i in range(many):
            g = i
            dealt[bounds[g] + filled[g]] = rows[by_value[begin + along[i]]]
            filled[g] += 1


@numba.njit(cache=True, nogil=True, inline="never")
def _widest(axes: Axes, rows: NDArray[np.int64]) -> int:
    widest, found = 0.0, -1
    for axis in range(len(axes.facts)):
        low = high = np.int64(axes.position[rows[0], axis])
        for row in rows:
            p = np.int64(axes.position[row, axis])
            low, high = min(low, p), max(high, p)
        loss = stretch_loss(axes, axis, low, high, high - low + 1 if axes.facts[axis, SHAPE] == FLAT else 0)
        if loss > widest:
            widest, found = loss, axis
    return found


@numba.njit(cache=True, nogil=True, inline="never")
def _by_distance(limits: Limits) -> bool:
    """Does some limit need the distance itself, pair by pair?"""
    return len(limits.facts) > 0 and limits.facts[-1, FORM] == LAYOUT


@numba.njit(cache=True, nogil=True, inline="never")
def groups_pass(
    axes: Axes,
    limits: Limits,
    dealt: NDArray[np.int64],
    bounds: NDArray[np.int64],
    groups: int,
    tally: NDArray[np.int64],
    seen: NDArray[np.int64],
    clock: NDArray[np.int64],
) -> bool:
    """Every group keeps the limits, and so does every union of groups that are published with the same quasi-identifiers."""
    for g in range(groups):
        if not group_passes(limits, dealt[bounds[g] : bounds[g + 1]], tally):
            return False
    keys = np.empty(groups, dtype=np.int64)
    for g in range(groups):
        keys[g] = published_key(axes, dealt[bounds[g] : bounds[g + 1]], seen, clock)[0]
    alike = sorted_order(keys)
    union = np.empty(bounds[groups], dtype=np.int64)
    begin = 0
    while begin < groups:
        end = begin + 1
        while end < groups and keys[alike[end]] == keys[alike[begin]]:
            end += 1
        if end > begin + 1:
            filled = 0
            for i in range(begin, end):
                for j in range(bounds[alike[i]], bounds[alike[i] + 1]):
                    union[filled] = dealt[j]
                    filled += 1
            if (filled > LARGEST_COUNTED and _by_distance(limits)) or not group_passes(limits, union[:filled], tally):
                return False
        begin = end
    return True


@numba.njit(cache=True, nogil=True, inline="never")
def excess(limits: Limits, rows: NDArray[np.int64]) -> int:
    """Similar rows too many, over all centres and limits of one group; 0 if it passes."""
    size = len(rows)
    counts = np.empty(size, dtype=np.int64)
    total = 0
    for l in range(len(limits.facts)):  # noqa: E741
        cap = limits.allowed[l, size]
        if cap >= size:
            continue
        neighbourhoods(limits, l, rows, counts)
        for i in range(size):
            if counts[i] > cap and limits.centre[limits.facts[l, START] + limits.value[rows[i], l]]:
                total += counts[i] - cap
    return total


@numba.njit(cache=True, nogil=True, inline="never")
def swap_until_passing(limits: Limits, dealt: NDArray[np.int64], bounds: NDArray[np.int64], groups: int) -> bool:
    """Exchanges rows between the groups of one block while that lowers the excess; at most SWAPS times."""
    over = np.empty(groups, dtype=np.int64)
    for g in range(groups):
        over[g] = excess(limits, dealt[bounds[g] : bounds[g + 1]])
    for _ in range(SWAPS):
        g = 0
        for h in range(groups):
            if over[h] > over[g]:
                g = h
        if over[g] == 0:
            return True
        improved = False
        for i in range(bounds[g], bounds[g + 1]):
            for h in range(groups):
                if h == g:
                    continue
                for j in range(bounds[h], bounds[h + 1]):
                    dealt[i], dealt[j] = dealt[j], dealt[i]
                    here = excess(limits, dealt[bounds[g] : bounds[g + 1]])
                    if here < over[g]:
                        there = excess(limits, dealt[bounds[h] : bounds[h + 1]])
                        if here + there < over[g] + over[h]:
                            over[g], over[h] = here, there
                            improved = True
                            break
                    dealt[i], dealt[j] = dealt[j], dealt[i]
                if improved:
                    break
            if improved:
                break
        if not improved:
            return False
    return bool(over.sum() == 0)


@numba.njit(cache=True, nogil=True, inline="never")
def settle(
    axes: Axes,
    limits: Limits,
    rows: NDArray[np.int64],
    ranks: NDArray[np.int64],
    k: int,
    alone: bool,
    tally: NDArray[np.int64],
    seen: NDArray[np.int64],
    clock: NDArray[np.int64],
    dealt: NDArray[np.int64],
    bounds: NDArray[np.int64],
) -> int:
    """Makes groups of a block and returns how many, 0 if no way that was tried keeps the limits. `alone`: only as one group.

    One group if that passes and dealing loses as much; else as many groups as possible, then larger ones (sizes matter, DEFINITIONS §4)."""
    size = len(rows)
    whole = (size <= LARGEST_COUNTED or not _by_distance(limits)) and group_passes(limits, rows, tally)
    most = 1 if alone else size // k
    best = 0
    if whole:
        dealt[:size] = rows
        bounds[0], bounds[1] = 0, size
        best = 1
    if most < 2:
        return best
    loss = size * group_loss(axes, rows, seen, clock) if whole else np.inf
    if whole and loss == 0.0:
        return best
    trial = np.empty(size, dtype=np.int64)
    cuts = np.empty(most + 1, dtype=np.int64)
    groups = most
    for attempt in range(DEALS):
        deal(axes, rows, ranks, groups, trial, cuts)
        passed = groups_pass(axes, limits, trial, cuts, groups, tally, seen, clock)
        if not passed and not whole and attempt < 2 and size <= 8 * k and swap_until_passing(limits, trial, cuts, groups):
            passed = groups_pass(axes, limits, trial, cuts, groups, tally, seen, clock)
        if passed:
            total = 0.0
            for g in range(groups):
                total += (cuts[g + 1] - cuts[g]) * group_loss(axes, trial[cuts[g] : cuts[g + 1]], seen, clock)
            if total < loss:
                dealt[:size] = trial
                bounds[: groups + 1] = cuts[: groups + 1]
                return groups
            return best
        larger = size // groups
        groups = min(groups - 1, size // (larger + 1 if attempt < 2 else larger * 3 // 2))
        if groups < 2:
            break
    return best
