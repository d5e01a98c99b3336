"""Largest clique, longest chain and longest cycle in the graph of ε-neighbours of a group: the searches behind `proximity_shapes`.

A group is looked at component by component, on its distinct values, which stand for as many rows as have them. What is not found
exactly is bounded from above: every function answers (rows, whether that is exact), and rows never fall below the truth.

clique: Bron–Kerbosch with a pivot and weights, over the later neighbours of each value in turn; beyond LARGEST_CLIQUE_SEARCH of them
the weights of a greedy colouring are the bound, exact where a greedily chosen clique reaches it.
chain, cycle: all rows of the component (for a cycle: without rows of fewer than two neighbours, again and again) where Chvátal's
degree condition (1972) says that one passes through all of them; else dynamic programming over sets of rows (Held, Karp 1962) up to
LARGEST_PATH_SEARCH rows; beyond that the component's rows are the bound.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from headgate.core.distance import DistanceLayout, pair_distance

LARGEST_CLIQUE_SEARCH = 40  # values that are later neighbours of one: at most 3^(40/3) maximal cliques
LARGEST_PATH_SEARCH = 16  # rows of a component: 2^16 sets
LARGEST_COMPARED = 20_000  # distinct values of a group: 2·10^8 pairs, some seconds; a larger one is a bound for its own shapes
LARGEST_COMPONENT = 4_096  # distinct values; a larger one's pairs are not kept, and its bounds are the star and the component


@numba.njit(cache=True, nogil=True)
def shapes_in_groups(
    layout: DistanceLayout,
    values: NDArray[np.int32],
    starts: NDArray[np.int64],
    counts: NDArray[np.int64],
    flags: NDArray[np.bool_],
    reach: float,
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Rows of the largest clique, chain and cycle that hold a flagged value (3 × groups; 0 where there is none), and which are exact."""
    groups = len(starts) - 1
    rows, exact = np.zeros((3, groups), np.int64), np.ones((3, groups), np.bool_)
    for group in range(groups):
        start, size = starts[group], starts[group + 1] - starts[group]
        if size > LARGEST_COMPARED:
            if flags[start : start + size].any():
                rows[:, group], exact[:, group] = counts[start : start + size].sum(), False
            continue
        component, star = _components(layout, values, counts, start, size, reach)
        sure = np.zeros(3, np.int64)
        for root in range(size):
            if component[root] != root:
                continue
            members = np.flatnonzero(component == root)
            weights, wanted = counts[start + members], flags[start + members]
            if not wanted.any():
                continue
            if len(members) > LARGEST_COMPONENT:
                total = weights.sum()
                rows[0, group] = max(rows[0, group], star[members][wanted].max())
                rows[1, group], rows[2, group] = max(rows[1, group], total), max(rows[2, group], total)
                continue
            near = _neighbour_matrix(layout, values, start + members, reach)
            for shape in range(3):
                if shape == 0:
                    found, is_exact = largest_clique(near, weights, wanted)
                elif shape == 1:
                    found, is_exact = longest_chain(near, weights, wanted)
                else:
                    found, is_exact = longest_cycle(near, weights, wanted)
                rows[shape, group] = max(rows[shape, group], found)
                if is_exact:
                    sure[shape] = max(sure[shape], found)
        for shape in range(3):
            exact[shape, group] = sure[shape] == rows[shape, group]
    return rows, exact


@numba.njit(cache=True, nogil=True)
def _components(
    layout: DistanceLayout, values: NDArray[np.int32], counts: NDArray[np.int64], start: int, size: int, reach: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each value of a group the first value of its component, and the rows within reach of it, its own included."""
    parent, star = np.arange(size), counts[start : start + size].copy()
    for i in range(size):
        for j in range(i + 1, size):
            if pair_distance(layout, values[start + i], values[start + j]) <= reach:
                star[i] += counts[start + j]
                star[j] += counts[start + i]
                one, other = i, j
                while parent[one] != one:
                    parent[one] = parent[parent[one]]
                    one = parent[one]
                while parent[other] != other:
                    parent[other] = parent[parent[other]]
                    other = parent[other]
                parent[max(one, other)] = min(one, other)
    for i in range(size):
        parent[i] = parent[parent[i]]  # a parent comes first, and has its root already
    return parent, star


@numba.njit(cache=True, nogil=True)
def _neighbour_matrix(layout: DistanceLayout, values: NDArray[np.int32], places: NDArray[np.int64], reach: float) -> NDArray[np.bool_]:
    near = np.zeros((len(places), len(places)), np.bool_)
    for i in range(len(places)):
        for j in range(i):
            near[i, j] = near[j, i] = pair_distance(layout, values[places[i]], values[places[j]]) <= reach
    return near


@numba.njit(cache=True, nogil=True)
def largest_clique(near: NDArray[np.bool_], weights: NDArray[np.int64], wanted: NDArray[np.bool_]) -> tuple[int, bool]:
    """Each value with its later neighbours, wanted values first, so that a clique with a wanted value is found at its first one."""
    size = len(weights)
    degree = np.zeros(size, np.int64)
    for i in range(size):
        degree[i] = near[i].sum() + (0 if wanted[i] else size)
    order = np.argsort(degree, kind="mergesort")
    best, bound = 0, 0
    for place in range(size):
        value = order[place]
        if not wanted[value]:
            break
        later = order[place + 1 :]
        later = later[near[value][later]]
        total = weights[value] + weights[later].sum()
        if total <= best:
            continue
        if len(later) <= LARGEST_CLIQUE_SEARCH:
            masks = np.zeros(len(later), np.int64)
            for i in range(len(later)):
                for j in range(len(later)):
                    if near[later[i], later[j]]:
                        masks[i] |= np.int64(1) << j
            everyone = (np.int64(1) << len(later)) - 1
            best = _heaviest(masks, weights[later], everyone, weights[value], best)
        else:
            best = max(best, weights[value] + _greedy(near, weights, later))
            bound = max(bound, weights[value] + _colouring(near, weights, later))
    return max(best, bound), best >= bound


@numba.njit(cache=True, nogil=True)
def _heaviest(masks: NDArray[np.int64], weights: NDArray[np.int64], everyone: int, current: int, best: int) -> int:
    """The heaviest clique of `current` rows and some of these values, or `best` if none is heavier. A stack of its own, since a compiled
    function that calls itself does not survive being read from numba's cache."""
    left, branches = np.zeros(len(masks) + 1, np.int64), np.zeros(len(masks) + 1, np.int64)
    sums = np.zeros(len(masks) + 1, np.int64)
    left[0], branches[0], sums[0] = everyone, _branches(masks, weights, everyone, current, best), current
    depth, best = 0, max(best, current)
    while depth >= 0:
        if branches[depth] == 0:
            depth -= 1
            continue
        value = 0
        while not branches[depth] >> value & 1:
            value += 1
        branches[depth] &= branches[depth] - 1
        rest, heavier = left[depth] & masks[value], sums[depth] + weights[value]
        left[depth] &= ~(1 << value)
        best = max(best, heavier)
        depth += 1
        left[depth], branches[depth], sums[depth] = rest, _branches(masks, weights, rest, heavier, best), heavier
    return best


@numba.njit(cache=True, nogil=True)
def _branches(masks: NDArray[np.int64], weights: NDArray[np.int64], left: int, current: int, best: int) -> int:
    """The values to go on with: some heaviest clique holds the pivot or one that is no neighbour of it. None where `best` is out of
    reach."""
    total, most, pivot = current, -1, -1
    for i in range(len(masks)):
        if left >> i & 1:
            total += weights[i]
            common, number = left & masks[i], 0
            while common:
                common &= common - 1
                number += 1
            if number > most:
                most, pivot = number, i
    return left & ~masks[pivot] if total > best and pivot >= 0 else 0


@numba.njit(cache=True, nogil=True)
def _greedy(near: NDArray[np.bool_], weights: NDArray[np.int64], chosen: NDArray[np.int64]) -> int:
    """Some clique: the heaviest value first, then whichever is near all before. Where it reaches the bound, that is exact."""
    clique, members, total = np.empty(len(chosen), np.int64), 0, 0
    for place in np.argsort(-weights[chosen], kind="mergesort"):
        value = chosen[place]
        if near[value][clique[:members]].all():
            clique[members] = value
            members += 1
            total += weights[value]
    return total


@numba.njit(cache=True, nogil=True)
def _colouring(near: NDArray[np.bool_], weights: NDArray[np.int64], chosen: NDArray[np.int64]) -> int:
    """A clique takes at most one value of each colour: the sum of the colours' largest weights."""
    colour, largest, colours = np.full(len(chosen), -1), np.zeros(len(chosen), np.int64), 0
    for i in range(len(chosen)):
        taken = np.zeros(colours + 1, np.bool_)
        for j in range(i):
            if near[chosen[i], chosen[j]]:
                taken[colour[j]] = True
        free = 0
        while taken[free]:
            free += 1
        colour[i] = free
        colours = max(colours, free + 1)
        largest[free] = max(largest[free], weights[chosen[i]])
    return int(largest.sum())


@numba.njit(cache=True, nogil=True)
def longest_chain(near: NDArray[np.bool_], weights: NDArray[np.int64], wanted: NDArray[np.bool_]) -> tuple[int, bool]:
    """Of a connected component."""
    total = weights.sum()
    if _passes_all(near, weights, False):
        return total, True
    if total <= LARGEST_PATH_SEARCH:
        return _longest_walk(near, weights, wanted, False), True
    return total, False


@numba.njit(cache=True, nogil=True)
def longest_cycle(near: NDArray[np.bool_], weights: NDArray[np.int64], wanted: NDArray[np.bool_]) -> tuple[int, bool]:
    """Rows of fewer than two neighbours are in no cycle; without them the component may fall apart."""
    size = len(weights)
    kept = np.ones(size, np.bool_)
    peeled = True
    while peeled:
        peeled = False
        for i in range(size):
            if kept[i] and weights[i] - 1 + weights[near[i] & kept].sum() < 2:
                kept[i] = False
                peeled = True
    best, bound = 0, 0
    for first in range(size):
        if not kept[first]:
            continue
        inside = np.zeros(size, np.bool_)
        inside[first] = True
        stack = [first]
        while len(stack) > 0:
            i = stack.pop()
            for j in range(size):
                if kept[j] and near[i, j] and not inside[j]:
                    inside[j] = True
                    stack.append(j)
        members = np.flatnonzero(inside)
        kept[members] = False
        if not wanted[members].any():
            continue
        part, rows = near[members][:, members], weights[members]
        if _passes_all(part, rows, True):
            best = max(best, rows.sum())
        elif rows.sum() <= LARGEST_PATH_SEARCH:
            best = max(best, _longest_walk(part, rows, wanted[members], True))
        else:
            bound = max(bound, rows.sum())
    return max(best, bound), best >= bound


@numba.njit(cache=True, nogil=True)
def _passes_all(near: NDArray[np.bool_], weights: NDArray[np.int64], closed: bool) -> bool:
    """Chvátal: with degrees d₁ ≤ … ≤ d_n a cycle passes through all n ≥ 3 rows if d_i ≤ i < n/2 always comes with d_{n−i} ≥ n−i. A chain
    is a cycle through one more row that is a neighbour of all."""
    rows = int(weights.sum())
    if not closed and rows == 1:
        return True
    if closed and rows < 3:
        return False
    extra = 0 if closed else 1
    n = rows + extra
    degrees, place = np.empty(n, np.int64), 0
    for i in range(len(weights)):
        degrees[place : place + weights[i]] = weights[i] - 1 + weights[near[i]].sum() + extra
        place += weights[i]
    degrees[rows:] = rows
    degrees.sort()
    low = np.arange(1, (n + 1) // 2)
    return not ((degrees[low - 1] <= low) & (degrees[n - low - 1] < n - low)).any()


@numba.njit(cache=True, nogil=True)
def _longest_walk(near: NDArray[np.bool_], weights: NDArray[np.int64], wanted: NDArray[np.bool_], closed: bool) -> int:
    """Rows of the longest chain (closed: cycle) with a wanted row: `ends[set]` are the rows at which a chain through just this set of
    rows can end. Rows of one value are entered in their order, since they can be exchanged; a cycle starts at its first row."""
    rows = int(weights.sum())
    value = np.empty(rows, np.int64)
    place = 0
    for i in range(len(weights)):
        value[place : place + weights[i]] = i
        place += weights[i]
    one = np.int64(1)
    neighbours, wishes = np.zeros(rows, np.int64), np.int64(0)
    for i in range(rows):
        if wanted[value[i]]:
            wishes |= one << i
        for j in range(rows):
            if i != j and (value[i] == value[j] or near[value[i], value[j]]):
                neighbours[i] |= one << j
    ends = np.zeros(one << rows, np.int64)
    for i in range(rows):
        if i == 0 or value[i - 1] != value[i]:
            ends[one << i] = one << i
    best = 0
    for chain in range(1, one << rows):
        if ends[chain] == 0:
            continue
        first, length, rest = 0, 0, chain
        while not chain >> first & 1:
            first += 1
        while rest:
            rest &= rest - 1
            length += 1
        if length > best and chain & wishes and (not closed or (length > 2 and ends[chain] & neighbours[first])):
            best = length
        for i in range(first + 1 if closed else 0, rows):
            if chain >> i & 1 or not ends[chain] & neighbours[i]:
                continue
            if i == 0 or value[i - 1] != value[i] or chain >> (i - 1) & 1:
                ends[chain | one << i] |= one << i
    return best
