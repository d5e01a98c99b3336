"""The largest clique in a connected component of the graph of ε-neighbours. A vertex is a distinct value, and weighs as many rows as have
it.

Bron–Kerbosch with a pivot and weights, over the later neighbours of each value in turn; beyond LARGEST_CLIQUE_SEARCH of them the weights of
a greedy colouring are the bound, exact where a greedily chosen clique reaches it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.bits import lowest, population
from headgate.core.compiling import inner, loop, making

LARGEST_CLIQUE_SEARCH = 40  # the most later neighbours of one value: at most 3^(40/3) maximal cliques


@loop
def largest_clique(near: NDArray[np.bool_], weights: NDArray[np.int64], wanted: NDArray[np.bool_]) -> tuple[int, bool]:
    """Searches each value together with its later neighbours. Wanted values come first, so the first wanted member of a clique finds it."""
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
            everyone = (np.int64(1) << len(later)) - 1
            best = _heaviest(_masks(near, later), weights[later], everyone, weights[value], best)
        else:
            best = max(best, weights[value] + _greedy(near, weights, later))
            bound = max(bound, weights[value] + _colouring(near, weights, later))
    return max(best, bound), best >= bound


@making
def _masks(near: NDArray[np.bool_], chosen: NDArray[np.int64]) -> NDArray[np.int64]:
    """The neighbours of each chosen value among the chosen values, as bits."""
    masks = np.zeros(len(chosen), np.int64)
    for i in range(len(chosen)):
        for j in range(len(chosen)):
            if near[chosen[i], chosen[j]]:
                masks[i] |= np.int64(1) << j
    return masks


@making
def _heaviest(masks: NDArray[np.int64], weights: NDArray[np.int64], everyone: int, current: int, best: int) -> int:
    """The weight of the heaviest clique that consists of `current` rows and some of these values, or `best` if none is heavier. The
    search keeps its own stack, because a recursive function cannot be read from numba's cache."""
    left, branches = np.zeros(len(masks) + 1, np.int64), np.zeros(len(masks) + 1, np.int64)
    sums = np.zeros(len(masks) + 1, np.int64)
    left[0], branches[0], sums[0] = everyone, _branches(masks, weights, everyone, current, best), current
    depth, best = 0, max(best, current)
    while depth >= 0:
        if branches[depth] == 0:
            depth -= 1
            continue
        value = lowest(branches[depth])
        branches[depth] &= branches[depth] - 1
        rest, heavier = left[depth] & masks[value], sums[depth] + weights[value]
        left[depth] &= ~(1 << value)
        best = max(best, heavier)
        depth += 1
        left[depth], branches[depth], sums[depth] = rest, _branches(masks, weights, rest, heavier, best), heavier
    return best


@inner
def _branches(masks: NDArray[np.int64], weights: NDArray[np.int64], left: int, current: int, best: int) -> int:
    """The values to branch on: some heaviest clique contains the pivot or a value that is not its neighbour. There are none if `best`
    cannot be exceeded."""
    total, most, pivot = current, -1, -1
    for i in range(len(masks)):
        if left >> i & 1:
            total += weights[i]
            number = int(population(np.uint64(left & masks[i])))
            if number > most:
                most, pivot = number, i
    return left & ~masks[pivot] if total > best and pivot >= 0 else 0


@making
def _greedy(near: NDArray[np.bool_], weights: NDArray[np.int64], chosen: NDArray[np.int64]) -> int:
    """The weight of a greedy clique: the heaviest value, then every value near all chosen so far. It is exact if it reaches the bound."""
    clique, members, total = np.empty(len(chosen), np.int64), 0, 0
    for place in np.argsort(-weights[chosen], kind="mergesort"):
        value = chosen[place]
        if near[value][clique[:members]].all():
            clique[members] = value
            members += 1
            total += weights[value]
    return total


@making
def _colouring(near: NDArray[np.bool_], weights: NDArray[np.int64], chosen: NDArray[np.int64]) -> int:
    """An upper bound: a clique contains at most one value of each colour, so the largest weights of all colours are added up."""
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
