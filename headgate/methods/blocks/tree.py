"""The table as a tree of boxes: each is cut in two where that lowers the information loss most, as long as both parts hold k rows.

Sensitive values have no say here. Letting them refuse cuts, as the sketches of this method did, keeps crowded regions in large boxes: what
a box holds too many of is one row in a hundred, and better placed afterwards (headgate.methods.blocks.placing).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.grouping.axes import COUNT, FIRST, FLAT, SHAPE, TREE, Axes, stretch_loss
from headgate.grouping.compiling import inner, loop, making
from headgate.grouping.items import Items
from headgate.grouping.nearness import FORM, RANGE, SIZE, START
from headgate.grouping.neighbour_counts import near_rows
from headgate.grouping.sorting import sorted_order
from headgate.grouping.watch import DONE, STOP

SAMPLE = 512  # cells on which the cuts of a large box are compared
LEAST_GAIN = 1e-9  # of what a box loses


class Tree(NamedTuple):
    """Box b covers the cells order[start[b]] … order[stop[b]]; its parts are left[b] and right[b], −1 for a leaf."""

    order: NDArray[np.int64]
    start: NDArray[np.int64]
    stop: NDArray[np.int64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    parent: NDArray[np.int64]
    low: NDArray[np.int64]  # boxes × axes: the positions that it spans
    high: NDArray[np.int64]


@loop
def grow_tree(items: Items, part: NDArray[np.int64], k: int, price: NDArray[np.float64], at_most: int, state: NDArray[np.int64]) -> Tree:
    """Cuts some cells of a table down to leaves, or until there are as many boxes as there may be. `price`: for each limit, how many rows
    are widened for each that is too many."""
    axes, weight = items.axes, items.weight
    cells, width = len(part), axes.position.shape[1]
    most = 2 * max(1, min(cells, weight[part].sum() // k)) + 1
    order, spare = part.copy(), np.empty(cells, dtype=np.int64)
    start, stop = np.zeros(most, dtype=np.int64), np.zeros(most, dtype=np.int64)
    left, right = np.full(most, -1, dtype=np.int64), np.full(most, -1, dtype=np.int64)
    parent = np.full(most, -1, dtype=np.int64)
    low, high = np.zeros((most, width), dtype=np.int64), np.zeros((most, width), dtype=np.int64)
    seen, clock = np.full(len(axes.place) + 1, -1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    longest = 1
    for l in range(len(price)):  # noqa: E741
        longest = max(longest, items.limits.facts[l, SIZE])
    tally = np.zeros(longest + 1, dtype=np.int64)
    along, place, cost = np.empty(width, dtype=np.int64), np.empty(width, dtype=np.int64), np.empty(width)
    stack, paid = np.zeros(most + 1, dtype=np.int64), np.zeros(most)
    stop[0] = cells
    paid[0] = to_pay(items, order, price, tally)
    height, boxes = 1, 1
    while height > 0 and state[STOP] == 0:
        height -= 1
        box = stack[height]
        inside = order[start[box] : stop[box]]
        rows = np.int64(0)
        for axis in range(width):
            low[box, axis], high[box, axis] = axes.position[inside[0], axis], axes.position[inside[0], axis]
        for cell in inside:
            rows += weight[cell]
            for axis in range(width):
                p = np.int64(axes.position[cell, axis])
                low[box, axis], high[box, axis] = min(low[box, axis], p), max(high[box, axis], p)
        middle, here, there = start[box], 0.0, 0.0
        if rows >= 2 * k and len(inside) > 1 and boxes < at_most:
            whole, many = propose_cuts(axes, weight, inside, k, rows, seen, clock, along, place, cost)
            loss, best, chosen = whole / rows, whole * (1.0 - LEAST_GAIN), -1
            for c in range(many):
                if cost[c] >= best:
                    break
                cut = _divide(axes, weight, order, start[box], stop[box], along[c], place[c], k, spare)
                if cut == start[box]:
                    continue
                one, two = to_pay(items, order[start[box] : cut], price, tally), to_pay(items, order[cut : stop[box]], price, tally)
                priced = cost[c] + (one + two - paid[box]) * loss
                if priced < best:
                    best, chosen, middle, here, there = priced, c, cut, one, two
            if chosen >= 0:
                middle = _divide(axes, weight, order, start[box], stop[box], along[chosen], place[chosen], k, spare)
        if middle == start[box]:
            if at_most > 3:
                state[DONE] += rows
            continue
        left[box], right[box] = boxes, boxes + 1
        start[boxes], stop[boxes], start[boxes + 1], stop[boxes + 1] = start[box], middle, middle, stop[box]
        parent[boxes] = parent[boxes + 1] = box
        paid[boxes], paid[boxes + 1] = here, there
        stack[height], stack[height + 1] = boxes + 1, boxes
        height += 2
        boxes += 2
    return Tree(order, start[:boxes], stop[:boxes], left[:boxes], right[:boxes], parent[:boxes], low[:boxes], high[:boxes])


@making
def to_pay(items: Items, cells: NDArray[np.int64], price: NDArray[np.float64], tally: NDArray[np.int64]) -> float:
    """The price of the rows that a box holds too many of, were it one group. `tally` is a scratch of zeros, and zeros again afterwards."""
    limits, total, rows, entries = items.limits, 0.0, np.int64(0), 0
    for cell in cells:
        rows += items.weight[cell]
        entries += items.start[cell + 1] - items.start[cell]
    values, counts = np.empty(entries, dtype=np.int64), np.empty(entries, dtype=np.int64)
    for l in range(len(price)):  # noqa: E741
        many, cap, size, first = 0, limits.allowed[l, rows], limits.facts[l, SIZE], limits.facts[l, START]
        if cap >= rows:
            continue
        for cell in cells:
            for item in range(items.start[cell], items.start[cell + 1]):
                v = limits.value[item, l]
                if tally[v] == 0:
                    values[many] = v
                    many += 1
                tally[v] += items.rows[item]
        if limits.facts[l, FORM] <= RANGE and size < 12 * many:
            before = np.int64(0)
            for v in range(size):  # from here on tally[v] is the rows of all values before v
                before += tally[v]
                tally[v] = before - tally[v]
            tally[size] = before
            for i in range(many):
                v = values[i]
                near = tally[limits.ends[first + v, 1] + 1] - tally[limits.ends[first + v, 0]]
                if near > cap and limits.centre[first + v]:
                    total += price[l] * (tally[v + 1] - tally[v]) * (near - cap) / near
            tally[: size + 1] = 0
        else:
            for i in range(many):
                counts[i] = tally[values[i]]
                tally[values[i]] = 0
            near = near_rows(limits, l, values[:many], counts[:many])
            for i in range(many):
                if near[i] > cap and limits.centre[first + values[i]]:
                    total += price[l] * counts[i] * (near[i] - cap) / near[i]
    return total


@making
def propose_cuts(
    axes: Axes,
    weight: NDArray[np.int64],
    inside: NDArray[np.int64],
    k: int,
    rows: int,
    seen: NDArray[np.int64],
    clock: NDArray[np.int64],
    along: NDArray[np.int64],
    place: NDArray[np.int64],
    cost: NDArray[np.float64],
) -> tuple[float, int]:
    """What the rows of a box lose together, and how many axes it can be cut along: `along`, at `place` (the left part is ≤ it), after
    which they lose `cost`, cheapest first.

    Every step between two positions of every axis is tried, by one sweep from each end. Of a large box by a sample of its cells."""
    step = 1 + (len(inside) - 1) // SAMPLE
    cells = inside[::step]
    size, width, total = len(cells), len(axes.facts), np.int64(0)
    for cell in cells:
        total += weight[cell]
    scale = rows / total
    least = max(1.0, k / scale)
    keys = np.empty(size, dtype=np.int64)
    after = np.empty(size + 1)
    low, high, different = np.empty(width, dtype=np.int64), np.empty(width, dtype=np.int64), np.empty(width, dtype=np.int64)
    whole, many = 0.0, 0
    for axis in range(width):
        lowest = highest = np.int64(axes.position[cells[0], axis])
        for i in range(size):
            keys[i] = axes.position[cells[i], axis]
            lowest, highest = min(lowest, keys[i]), max(highest, keys[i])
        if lowest == highest:
            continue
        by_place, best, cut = sorted_order(keys), np.inf, np.int64(0)
        for side in range(2):  # from the right: what all from i on lose; then from the left
            clock[0] += 1
            now = clock[0]
            low[:], high[:], different[:] = 2**31, -1, 0
            count = np.int64(0)
            for j in range(size):
                i = size - 1 - j if side == 0 else j
                cell = cells[by_place[i]]
                count += weight[cell]
                for a in range(width):
                    p = np.int64(axes.position[cell, a])
                    low[a], high[a] = min(low[a], p), max(high[a], p)
                    if axes.facts[a, SHAPE] == FLAT and seen[axes.facts[a, FIRST] + p] != now:
                        seen[axes.facts[a, FIRST] + p] = now
                        different[a] += 1
                if side == 0:
                    after[i] = np.inf
                    if i == 0:
                        whole = rows * _loss(axes, low, high, different)
                    elif keys[by_place[i]] != keys[by_place[i - 1]] and count >= least:
                        after[i] = count * _loss(axes, low, high, different)
                elif i + 1 < size and after[i + 1] < best and count >= least:
                    both = count * _loss(axes, low, high, different) + after[i + 1]
                    if both < best:
                        best, cut = both, keys[by_place[i]]
        if best < np.inf:
            at = many
            while at > 0 and cost[at - 1] > best * scale:
                along[at], place[at], cost[at] = along[at - 1], place[at - 1], cost[at - 1]
                at -= 1
            along[at], place[at], cost[at] = axis, cut, best * scale
            many += 1
    return whole, many


@inner
def _loss(axes: Axes, low: NDArray[np.int64], high: NDArray[np.int64], different: NDArray[np.int64]) -> float:
    """On a tree half of it is the share of leaves spanned: between siblings a cut lowers no node yet, but brings the next one nearer."""
    total = 0.0
    for a in range(len(low)):
        own = stretch_loss(axes, a, low[a], high[a], different[a])
        if axes.facts[a, SHAPE] == TREE and low[a] != high[a] and high[a] < axes.facts[a, COUNT]:
            own = 0.5 * own + 0.5 * (high[a] - low[a] + 1) / axes.facts[a, COUNT]
        total += own
    return total


@inner
def _divide(
    axes: Axes,
    weight: NDArray[np.int64],
    order: NDArray[np.int64],
    start: int,
    stop: int,
    axis: int,
    place: int,
    k: int,
    spare: NDArray[np.int64],
) -> int:
    """Moves the cells at or below `place` to the left, keeping their order; gives where the right part begins, `start` if a part has fewer
    than k rows."""
    here, there = 0, 0
    for i in range(start, stop):
        if axes.position[order[i], axis] <= place:
            here += weight[order[i]]
        else:
            there += weight[order[i]]
    if here < k or there < k:
        return start
    left, right = start, 0
    for i in range(start, stop):
        cell = order[i]
        if axes.position[cell, axis] <= place:
            order[left] = cell
            left += 1
        else:
            spare[right] = cell
            right += 1
    for i in range(right):
        order[left + i] = spare[i]
    return left
