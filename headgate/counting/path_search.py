"""The longest chain and the longest cycle in a connected component of the graph of ε-neighbours, in rows.

If Chvátal's degree condition (1972) holds, a chain or cycle passes through all rows of the component (for a cycle, rows with fewer than two
neighbours are removed first, repeatedly). Otherwise, dynamic programming over sets of rows (Held, Karp 1962) is exact up to
LARGEST_PATH_SEARCH rows. For larger components, the number of rows is an upper bound.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.bits import lowest, population
from headgate.core.compiling import loop, making

LARGEST_PATH_SEARCH = 16  # rows of a component: 2^16 sets


@loop
def longest_chain(near: NDArray[np.bool_], weights: NDArray[np.int64], wanted: NDArray[np.bool_]) -> tuple[int, bool]:
    """The longest chain in a connected component."""
    total = weights.sum()
    if _passes_all(near, weights, False):
        return total, True
    if total <= LARGEST_PATH_SEARCH:
        return _longest_walk(near, weights, wanted, False), True
    return total, False


@loop
def longest_cycle(near: NDArray[np.bool_], weights: NDArray[np.int64], wanted: NDArray[np.bool_]) -> tuple[int, bool]:
    """The longest cycle. A row with fewer than two neighbours is in no cycle; without such rows the component may fall apart."""
    kept = _peeled(near, weights)
    best, bound = 0, 0
    for first in range(len(weights)):
        if not kept[first]:
            continue
        members = _connected(near, kept, first)
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


@making
def _peeled(near: NDArray[np.bool_], weights: NDArray[np.int64]) -> NDArray[np.bool_]:
    """The values that remain after repeatedly removing rows with fewer than two neighbours."""
    kept = np.ones(len(weights), np.bool_)
    peeled = True
    while peeled:
        peeled = False
        for i in range(len(weights)):
            if kept[i] and weights[i] - 1 + weights[near[i] & kept].sum() < 2:
                kept[i] = False
                peeled = True
    return kept


@making
def _connected(near: NDArray[np.bool_], kept: NDArray[np.bool_], first: int) -> NDArray[np.int64]:
    """The kept values that can be reached by paths of kept values."""
    inside = np.zeros(len(kept), np.bool_)
    inside[first] = True
    stack = [first]
    while len(stack) > 0:
        i = stack.pop()
        for j in range(len(kept)):
            if kept[j] and near[i, j] and not inside[j]:
                inside[j] = True
                stack.append(j)
    return np.flatnonzero(inside)


@making
def _passes_all(near: NDArray[np.bool_], weights: NDArray[np.int64], closed: bool) -> bool:
    """Whether Chvátal's condition holds for the degrees d₁ ≤ … ≤ d_n: a cycle passes through all n ≥ 3 rows if d_i ≤ i < n/2 always
    implies d_{n−i} ≥ n−i. For a chain, the condition is that of a cycle through one more row that is a neighbour of all."""
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


@making
def _longest_walk(near: NDArray[np.bool_], weights: NDArray[np.int64], wanted: NDArray[np.bool_], closed: bool) -> int:
    """The rows of the longest chain (`closed`: cycle) that contains a wanted row. `ends[set]` holds the rows at which a chain through
    exactly this set can end. Rows with the same value can be exchanged, so they are entered in order. A cycle starts at its first row."""
    bit = np.int64(1)
    neighbours, before, wishes = _rows_as_bits(near, weights, wanted)
    rows = len(neighbours)
    ends = np.zeros(bit << rows, np.int64)
    for i in range(rows):
        if before[i] == 0:
            ends[bit << i] = bit << i
    best = 0
    for chain in range(1, bit << rows):
        if ends[chain] == 0:
            continue
        first, length = lowest(chain), int(population(np.uint64(chain)))
        if length > best and chain & wishes and (not closed or (length > 2 and ends[chain] & neighbours[first])):
            best = length
        for i in range(first + 1 if closed else 0, rows):
            if chain >> i & 1 == 0 and ends[chain] & neighbours[i] and chain & before[i] == before[i]:
                ends[chain | bit << i] |= bit << i
    return best


@making
def _rows_as_bits(
    near: NDArray[np.bool_], weights: NDArray[np.int64], wanted: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64], np.int64]:
    """For each row, its neighbours and the previous row with the same value, as bits; and the wanted rows."""
    bit = np.int64(1)
    value = np.repeat(np.arange(len(weights)), weights)
    neighbours, before, wishes = np.zeros(len(value), np.int64), np.zeros(len(value), np.int64), np.int64(0)
    for i in range(len(value)):
        if wanted[value[i]]:
            wishes |= bit << i
        if i > 0 and value[i - 1] == value[i]:
            before[i] = bit << (i - 1)
        for j in range(len(value)):
            if i != j and (value[i] == value[j] or near[value[i], value[j]]):
                neighbours[i] |= bit << j
    return neighbours, before, wishes
