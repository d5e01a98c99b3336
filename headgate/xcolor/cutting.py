"""Where to cut a block of rows in two: at the place that lowers the information loss most, among a few candidates an axis.

A block is a stretch of `order`; cutting it rearranges that stretch in place. Losses are estimated on a sample of the block's rows;
what a cut is accepted for (sizes, limits) is always counted in full.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from headgate.xcolor.axes import COUNT, FIRST, FLAT, HEIGHT, NODES, SHAPE, TREE, Axes, stretch_loss
from headgate.xcolor.sorting import sorted_order

SAMPLE = 384  # rows on which candidate cuts are compared
FRACTIONS = 3
CANDIDATES = 8  # an axis


@numba.njit(cache=True, nogil=True, inline="never")
def propose_cuts(
    axes: Axes, rows: NDArray[np.int64], k: int, widest: bool, seen: NDArray[np.int64], clock: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Axes and positions (the left side is ≤ position) in the order in which they should be tried.

    By the drop in row-weighted loss; with `widest` as Mondrian does: the axis with the widest range first, at its median."""
    width = len(axes.facts)
    step = max(1, len(rows) // SAMPLE)
    sample = rows[::step]
    size = len(sample)
    axis_of = np.empty(width * CANDIDATES, dtype=np.int64)
    place_of = np.empty(width * CANDIDATES, dtype=np.int64)
    gain = np.empty(width * CANDIDATES)
    count = 0
    for axis in range(width):
        positions = np.empty(size, dtype=np.int64)
        for i in range(size):
            positions[i] = axes.position[sample[i], axis]
        positions = positions[sorted_order(positions)]
        if positions[0] == positions[-1]:
            continue
        begin = count
        near_k = min(0.5, (k + 0.0) / len(rows) * 1.05)
        for f in range(1 if widest else FRACTIONS):
            target = (0.5, 0.25, 0.75)[f]
            if f > 0 and len(rows) < 4 * k:
                target = near_k if f == 1 else 1.0 - near_k
            count = _add(axis_of, place_of, begin, count, axis, _boundary(positions, int(target * size)))
        if not widest:
            if positions[-1] == axes.facts[axis, COUNT] and positions[0] < axes.facts[axis, COUNT]:  # present | missing
                count = _add(axis_of, place_of, begin, count, axis, axes.facts[axis, COUNT] - 1)
            if axes.facts[axis, SHAPE] == TREE:
                count = _add(axis_of, place_of, begin, count, axis, _between_nodes(axes, axis, positions))
            if axes.facts[axis, SHAPE] != 0:
                for i in range(1, size):
                    if count - begin >= CANDIDATES:
                        break
                    if positions[i] != positions[i - 1]:
                        count = _add(axis_of, place_of, begin, count, axis, positions[i - 1])
        for c in range(begin, count):
            if widest:
                gain[c] = _span_of(axes, axis, positions)
            else:
                gain[c] = -_loss_of_cut(axes, sample, axis, place_of[c], seen, clock)
    for c in range(1, count):  # best first
        here, axis, place = gain[c], axis_of[c], place_of[c]
        j = c - 1
        while j >= 0 and gain[j] < here:
            gain[j + 1], axis_of[j + 1], place_of[j + 1] = gain[j], axis_of[j], place_of[j]
            j -= 1
        gain[j + 1], axis_of[j + 1], place_of[j + 1] = here, axis, place
    return axis_of[:count], place_of[:count]


@numba.njit(cache=True, nogil=True, inline="never")
def _add(axes: NDArray[np.int64], places: NDArray[np.int64], begin: int, count: int, axis: int, place: int) -> int:
    if place < 0 or count - begin >= CANDIDATES:
        return count
    for c in range(begin, count):
        if places[c] == place:
            return count
    axes[count], places[count] = axis, place
    return count + 1


@numba.njit(cache=True, nogil=True, inline="never")
def _boundary(positions: NDArray[np.int64], index: int) -> int:
    """The position to the left of the step that lies nearest to `index` in the sorted positions."""
    size = len(positions)
    for gap in range(size):
        low, high = index - gap, index + gap
        if 1 <= low < size and positions[low] != positions[low - 1]:
            return int(positions[low - 1])
        if 1 <= high < size and positions[high] != positions[high - 1]:
            return int(positions[high - 1])
    return -1


@numba.njit(cache=True, nogil=True, inline="never")
def _between_nodes(axes: Axes, axis: int, positions: NDArray[np.int64]) -> int:
    """The most even step between two children of the lowest node over the present positions."""
    size = axes.facts[axis, COUNT]
    base = axes.facts[axis, NODES]
    low = positions[0]
    last = len(positions) - 1
    while last > 0 and positions[last] == size:
        last -= 1
    high = positions[last]
    if low in (high, size):
        return -1
    level = 1
    while level < axes.facts[axis, HEIGHT] and axes.node[base + level * size + low] != axes.node[base + level * size + high]:
        level += 1
    under = base + (level - 1) * size
    best, found = len(positions), -1
    for i in range(1, last + 1):
        if axes.node[under + positions[i]] != axes.node[under + positions[i - 1]]:
            off = abs(2 * i - last - 1)
            if off < best:
                best, found = off, positions[i - 1]
    return int(found)


@numba.njit(cache=True, nogil=True, inline="never")
def _span_of(axes: Axes, axis: int, positions: NDArray[np.int64]) -> float:
    different = 1
    for i in range(1, len(positions)):
        if positions[i] != positions[i - 1]:
            different += 1
    return float(stretch_loss(axes, axis, positions[0], positions[-1], different))


@numba.njit(cache=True, nogil=True, inline="never")
def _loss_of_cut(axes: Axes, sample: NDArray[np.int64], axis: int, place: int, seen: NDArray[np.int64], clock: NDArray[np.int64]) -> float:
    """Row-weighted loss of the two sides. On a tree half of it is the share of leaves spanned: between siblings a cut lowers no node
    yet, but brings the next one nearer."""
    width = len(axes.facts)
    total = 0.0
    for side in range(2):
        clock[0] += 1
        now = clock[0]
        low = np.full(width, 2**31, dtype=np.int64)
        high = np.full(width, -1, dtype=np.int64)
        different = np.zeros(width, dtype=np.int64)
        rows = 0
        for row in sample:
            if (axes.position[row, axis] <= place) != (side == 0):
                continue
            rows += 1
            for a in range(width):
                p = np.int64(axes.position[row, a])
                low[a], high[a] = min(low[a], p), max(high[a], p)
                if axes.facts[a, SHAPE] == FLAT and seen[axes.facts[a, FIRST] + p] != now:
                    seen[axes.facts[a, FIRST] + p] = now
                    different[a] += 1
        if rows == 0:
            continue
        loss = 0.0
        for a in range(width):
            own = stretch_loss(axes, a, low[a], high[a], different[a])
            if axes.facts[a, SHAPE] == TREE and low[a] != high[a] and high[a] < axes.facts[a, COUNT]:
                own = 0.5 * own + 0.5 * (high[a] - low[a] + 1) / axes.facts[a, COUNT]
            loss += own
        total += rows * loss
    return total


@numba.njit(cache=True, nogil=True, inline="never")
def cut_in_place(axes: Axes, order: NDArray[np.int64], start: int, stop: int, axis: int, place: int, spare: NDArray[np.int64]) -> int:
    """Moves the rows at or below `place` to the left, keeping their order; returns where the right side begins."""
    left, right = start, 0
    for i in range(start, stop):
        row = order[i]
        if axes.position[row, axis] <= place:
            order[left] = row
            left += 1
        else:
            spare[right] = row
            right += 1
    for i in range(right):
        order[left + i] = spare[i]
    return left
