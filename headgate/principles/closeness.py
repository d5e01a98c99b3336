"""t-closeness: the earth mover's distance between a class's values and the released table's (codip; DEFINITIONS §6).

category, set, vector: ½Σ|p − q|, every two values at distance 1.   ordinal, number: (1/(m−1))·Σ|cumulative difference| over the
declared levels, or the distinct numbers of the released table.   hierarchy: Σ over nodes height/H·min(Σ⁺, Σ⁻) of the children's net extra.

Missing is at distance 1 from every value. On a line that makes an exact partial transport: the surplus |p∅ − q∅| pays 1 a unit, since
no detour through missing (2) beats the line (≤ 1), and the rest must be matched at least cost (see `_partial`).
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from headgate.columns import Column, Kind
from headgate.errors import InputRejected
from headgate.hierarchy import Hierarchy
from headgate.principles.class_counts import ClassCounts, Counted
from headgate.principles.figure import Bound, Figure

LARGEST_WORK = 4 * 10**9  # steps along a line with missing cells: some minutes


@dataclass(frozen=True, eq=False)
class Closeness:
    """Over all values: a distance between distributions has no reading for single sensitive values."""

    figure: Figure

    @property
    def t(self) -> float:
        return self.figure.value


def closeness(counted: Counted) -> Closeness:
    """How far each class is from the released table."""
    total = counted.totals()
    figures = tuple(distances(counted.column, counts, total) for counts in counted.readings)
    return Closeness(Figure("closeness", Bound.AT_MOST, figures, counted.sizes))


def distances(column: Column, counts: ClassCounts, total: NDArray[np.int64]) -> NDArray[np.float64]:
    """EMD of each class from a table with `total` rows of each value, the missing ones last."""
    rows = int(total.sum())
    if column.hierarchy is not None and column.kind is Kind.CATEGORY:
        return _over_hierarchy(counts, total, rows, column.hierarchy)
    if column.kind is Kind.ORDINAL or column.kind.numeric:
        # Numbers: only those that occur in the released table make the line; ordinals: all declared levels do.
        place = np.arange(len(column.values)) if column.kind is Kind.ORDINAL else np.cumsum(total[:-1] > 0) - 1
        points = len(column.values) if column.kind is Kind.ORDINAL else int((total[:-1] > 0).sum())
        table = np.zeros(points, dtype=np.int64)
        np.add.at(table, place[total[:-1] > 0], total[:-1][total[:-1] > 0])
        codes = np.where(counts.codes < 0, -1, np.append(place, -1)[counts.codes]).astype(np.int64)
        if total[-1] == 0:
            return np.asarray(_over_full_line(counts.starts, codes, counts.counts, counts.sizes, np.cumsum(table), rows))
        if len(counts) * points > LARGEST_WORK:
            raise InputRejected(
                f"Closeness of '{column.name}' would compare {len(counts)} groups with {points} values each, some of them missing.",
                "Round its values, or leave it out.",
            )
        return np.asarray(_over_line(counts.starts, codes, counts.counts, counts.sizes, table / rows, total[-1] / rows))
    over = np.maximum(counts.shares - total[counts.codes] / rows, 0.0)
    return np.asarray(np.add.reduceat(over, counts.starts[:-1]))  # ½Σ|p−q| is the sum of what exceeds


def _over_hierarchy(counts: ClassCounts, total: NDArray[np.int64], rows: int, hierarchy: Hierarchy) -> NDArray[np.float64]:
    sizes = hierarchy.nodes.max(axis=0).astype(np.int64) + 1
    parent = np.zeros((hierarchy.height, int(sizes.max())), dtype=np.int64)
    for level in range(hierarchy.height):
        parent[level, hierarchy.nodes[:, level]] = hierarchy.nodes[:, level + 1]
    leaf = np.append(hierarchy.nodes[:, 0], -1).astype(np.int64)  # a leaf's number among the nodes of level 0
    table = np.zeros(int(sizes[0]))
    table[leaf[:-1]] = total[:-1] / rows
    entries = leaf[counts.codes]
    return np.asarray(_over_tree(counts.starts, entries, counts.counts, counts.sizes, table, total[-1] / rows, parent, sizes))


@numba.njit(cache=True, nogil=True)
def _over_tree(
    starts: NDArray[np.int64],
    entries: NDArray[np.int64],
    counts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    table: NDArray[np.float64],
    table_missing: float,
    parent: NDArray[np.int64],
    nodes: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Level by level: what is over at one child of a node and short at another moves at that node's height. Missing is one more child
    of the root."""
    height = len(parent)
    out = np.zeros(len(sizes))
    net, over, short = np.zeros(nodes.max()), np.zeros(nodes.max()), np.zeros(nodes.max())
    for group in range(len(sizes)):
        net[: nodes[0]] = -table
        missing = -table_missing
        for i in range(starts[group], starts[group + 1]):
            share = counts[i] / sizes[group]
            if entries[i] < 0:
                missing += share
            else:
                net[entries[i]] += share
        for level in range(height):
            above = nodes[level + 1]
            over[:above] = 0.0
            short[:above] = 0.0
            for node in range(nodes[level]):
                if net[node] > 0:
                    over[parent[level, node]] += net[node]
                else:
                    short[parent[level, node]] -= net[node]
            if level == height - 1:
                over[0] += max(missing, 0.0)
                short[0] += max(-missing, 0.0)
            for node in range(above):
                out[group] += (level + 1) / height * min(over[node], short[node])
                net[node] = over[node] - short[node]
    return out


@numba.njit(cache=True, nogil=True)
def _over_full_line(
    starts: NDArray[np.int64],
    codes: NDArray[np.int64],
    counts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    below: NDArray[np.int64],
    rows: int,
) -> NDArray[np.float64]:
    """The same where nothing is missing, with `below` the table's rows up to each point. Between two values of a class its own share
    below is constant and the table's ascends, so they cross at most once: a search finds where, and sums of `below` do the rest. That
    takes steps by the class's values and not by the points of the line."""
    points = len(below)
    out = np.zeros(len(sizes))
    if points < 2:
        return out
    area = np.zeros(points + 1, np.int64)  # of `below`, before each point
    for i in range(points):
        area[i + 1] = area[i] + below[i]
    for group in range(len(sizes)):
        size, here, first = sizes[group], 0, 0
        for i in range(starts[group], starts[group + 1] + 1):
            last = codes[i] if i < starts[group + 1] else points - 1
            low, high = first, last  # the first point of the run where the table has more below than the class
            while low < high:
                middle = (low + high) // 2
                if below[middle] * size > here * rows:
                    high = middle
                else:
                    low = middle + 1
            share = here / size
            out[group] += (low - first) * share - (area[low] - area[first]) / rows
            out[group] += (area[last] - area[low]) / rows - (last - low) * share
            if i < starts[group + 1]:
                here += counts[i]
                first = last
        out[group] = max(out[group] / (points - 1), 0.0)
    return out


@numba.njit(cache=True, nogil=True)
def _over_line(
    starts: NDArray[np.int64],
    codes: NDArray[np.int64],
    counts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    table: NDArray[np.float64],
    table_missing: float,
) -> NDArray[np.float64]:
    """EMD over points at equal steps on a line of length 1, and a missing point at distance 1 from all of them."""
    points = len(table)
    out, share = np.zeros(len(sizes)), np.zeros(points)
    for group in range(len(sizes)):
        share[:] = 0.0
        missing = 0.0
        for i in range(starts[group], starts[group + 1]):
            if codes[i] < 0:
                missing = counts[i] / sizes[group]
            else:
                share[codes[i]] = counts[i] / sizes[group]
        surplus = missing - table_missing
        if points < 2:
            out[group] = abs(surplus)
        elif surplus == 0.0:
            gap = 0.0
            for i in range(points - 1):
                gap += share[i] - table[i]
                out[group] += abs(gap)
            out[group] /= points - 1
        elif surplus > 0:
            out[group] = surplus + _partial(share, table, surplus) / (points - 1)
        else:
            out[group] = -surplus + _partial(table, share, -surplus) / (points - 1)
    return out


@numba.njit(cache=True, nogil=True)
def _partial(small: NDArray[np.float64], large: NDArray[np.float64], surplus: float) -> float:
    """Least Σ|cumulative difference| between `small` and what remains of `large` when `surplus` of it may stay unmatched.

    With R(i) the amount of large[0..i] left out, minimize Σ|R(i) − (L(i) − S(i))| over 0 ≤ R(i) − R(i−1) ≤ large[i], R(−1) = 0,
    R(last) = surplus. The cost as a function of R is convex and piecewise linear: two heaps keep its breakpoints (slope trick), the
    step of at most large[i] shifts the right ones, and the left wall at 0 (R ≥ 0) stands behind an empty left heap. The right wall at
    L(i) never binds, since L(i) − S(i) ≤ L(i)."""
    left, right = [0.0 for _ in range(0)], [0.0 for _ in range(0)]  # left holds negated breakpoints; right without its shift
    least, shift, wanted = 0.0, 0.0, 0.0
    for i in range(len(small)):
        shift += large[i]
        if i == len(small) - 1:
            break
        wanted += large[i] - small[i]
        low = -left[0] if len(left) > 0 else 0.0
        if wanted < 0.0:
            least += low - wanted
            heapq.heappush(right, low - shift)
            if len(left) > 0:
                heapq.heappop(left)
            continue
        high = right[0] + shift if len(right) > 0 else np.inf
        if wanted < low:
            least += low - wanted
            heapq.heappush(right, low - shift)
            heapq.heappop(left)
            heapq.heappush(left, -wanted)
            heapq.heappush(left, -wanted)
        elif wanted > high:
            least += wanted - high
            heapq.heappop(right)
            heapq.heappush(left, -high)
            heapq.heappush(right, wanted - shift)
            heapq.heappush(right, wanted - shift)
        else:
            heapq.heappush(left, -wanted)
            heapq.heappush(right, wanted - shift)
    for i in range(len(left)):
        least += max(0.0, -left[i] - surplus)
    for i in range(len(right)):
        least += max(0.0, surplus - (right[i] + shift))
    return least
