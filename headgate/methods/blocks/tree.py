"""The table as a tree of boxes: each is cut in two where that lowers the information loss most, as long as both parts hold k rows.

Sensitive values have no say here. Letting them refuse cuts, as the sketches of this method did, keeps crowded regions in large boxes: what
a box holds too many of is one row in a hundred, and better placed afterwards (headgate.methods.blocks.placing).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import Records, empty_records, inner, loop, record
from headgate.grouping.axes import TREE, Axes, stretch_loss
from headgate.grouping.items import Items
from headgate.grouping.sorting import sort_into
from headgate.grouping.watch import DONE, STOP
from headgate.methods.blocks.prices import Till, till_of, to_pay
from headgate.methods.blocks.sweep import NOWHERE, SPAN, begin_sweep, meet

SAMPLE = 512  # cells on which the cuts of a large box are compared
LEAST_GAIN = 1e-9  # of what a box loses

BOX = record(
    left=np.int32,  # its parts; −1 for a leaf
    right=np.int32,
    group=np.int32,  # of a leaf: its first group; −1 without
    parent=np.int32,  # −1 for the root
    start=np.int32,  # it covers order[start] … order[stop]
    stop=np.int32,
)
STRETCH = record(low=np.int32, high=np.int32)  # the positions that a box spans on an axis
CUT = record(axis=np.int64, place=np.int64, cost=np.float64)  # the left part is at or below the place; what the rows lose after it


class Tree(NamedTuple):
    order: NDArray[np.int64]  # cells; in the tree of a draft, groups
    box: Records  # a BOX each
    span: Records  # boxes × axes: a STRETCH each

    def leaves(self) -> list[NDArray[np.int64]]:
        """The cells of each."""
        return [self.order[box.start : box.stop] for box in self.box[self.box.left < 0]]


class Growth(NamedTuple):
    """A tree that is growing, and what is needed for it."""

    items: Items
    tree: Tree
    k: int
    till: Till
    paid: NDArray[np.float64]  # what the rows of each box that are too many cost
    cut: Records  # a CUT for each axis, scratch as all that follows
    span: Records  # a SPAN for each axis
    seen: NDArray[np.int64]
    clock: NDArray[np.int64]
    spare: NDArray[np.int64]
    keys: NDArray[np.int64]  # of a sample of cells: their places on an axis
    by_place: NDArray[np.int64]
    after: NDArray[np.float64]  # what the rows lose after a cut there


def grow_tree(items: Items, part: NDArray[np.int64], k: int, price: NDArray[np.float64], at_most: int, state: NDArray[np.int64]) -> Tree:
    """Cuts some cells of a table down to leaves, or until there are as many boxes as there may be. `price`: for each limit, how many rows
    are widened for each that is too many."""
    most = 2 * max(1, min(len(part), int(items.cell.rows[part].sum()) // k)) + 1
    width = len(items.axes.of)
    box = empty_records(most, BOX)
    box.left = box.right = box.parent = box.group = -1
    box.stop[0] = len(part)
    tree = Tree(part.copy(), box, empty_records((most, width), STRETCH))
    growth = Growth(
        items,
        tree,
        k,
        till_of(items, price),
        np.zeros(most),
        empty_records(width, CUT),
        empty_records(width, SPAN),
        np.full(len(items.axes.at) + 1, -1, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        np.empty(max(len(part), SAMPLE), dtype=np.int64),
        np.empty(SAMPLE, dtype=np.int64),
        np.empty(SAMPLE, dtype=np.int64),
        np.empty(SAMPLE + 1),
    )
    boxes = _grow(growth, at_most, state)
    return tree._replace(box=tree.box[:boxes], span=tree.span[:boxes])


@loop
def _grow(growth: Growth, at_most: int, state: NDArray[np.int64]) -> int:
    """How many boxes there are in the end."""
    tree, k = growth.tree, growth.k
    stack = np.zeros(len(tree.box) + 1, dtype=np.int64)
    growth.paid[0] = to_pay(growth.items, tree.order, growth.till)
    height, boxes = 1, 1
    while height > 0 and state[STOP] == 0:
        height -= 1
        box = stack[height]
        own = tree.box[box]
        rows, middle = _measure(growth, box), own.start
        if rows >= 2 * k and own.stop - own.start > 1 and boxes < at_most:
            middle = _cut(growth, box, boxes, rows)
        if middle == own.start:
            if at_most > 3:
                state[DONE] += rows
            continue
        for half in range(2):
            part = tree.box[boxes + half]
            part.start, part.stop, part.parent = (own.start, middle, box) if half == 0 else (middle, own.stop, box)
        own.left, own.right = boxes, boxes + 1
        stack[height], stack[height + 1] = boxes + 1, boxes
        height += 2
        boxes += 2
    return boxes


@inner
def _measure(growth: Growth, box: int) -> int:
    """The span of a box, and its number of rows."""
    items, tree = growth.items, growth.tree
    rows, own = np.int64(0), tree.box[box]
    for axis in range(len(items.axes.of)):
        tree.span[box, axis].low, tree.span[box, axis].high = NOWHERE, -1
    for i in range(own.start, own.stop):
        cell = tree.order[i]
        rows += items.cell[cell].rows
        for axis in range(len(items.axes.of)):
            p, span = np.int64(items.axes.position[cell, axis]), tree.span[box, axis]
            span.low, span.high = min(span.low, p), max(span.high, p)
    return rows  # type: ignore[return-value]


@inner
def _cut(growth: Growth, box: int, boxes: int, rows: int) -> int:
    """Makes the best cut there is, and gives where the right part begins; the box's own start if no cut lowers what its rows lose and
    what is to be paid. What its parts will cost is noted for them."""
    tree, paid = growth.tree, growth.paid
    start, stop = tree.box[box].start, tree.box[box].stop
    whole, many = propose_cuts(growth, tree.order[start:stop], rows)
    best, chosen, middle = whole * (1.0 - LEAST_GAIN), -1, start
    for c in range(many):
        cut = growth.cut[c]
        if cut.cost >= best:
            break
        at = _divide(growth, start, stop, cut.axis, cut.place)
        if at == start:
            continue
        left = to_pay(growth.items, tree.order[start:at], growth.till)
        right = to_pay(growth.items, tree.order[at:stop], growth.till)
        priced = cut.cost + (left + right - paid[box]) * (whole / rows)
        if priced < best:
            best, chosen, middle, paid[boxes], paid[boxes + 1] = priced, c, at, left, right
    if chosen >= 0:
        middle = _divide(growth, start, stop, growth.cut[chosen].axis, growth.cut[chosen].place)
    return middle  # type: ignore[no-any-return]


@inner
def propose_cuts(growth: Growth, inside: NDArray[np.int64], rows: int) -> tuple[float, int]:
    """The total loss of a box's rows, and the number of axes along which it can be cut: `growth.cut`, the cheapest first.

    Every step between two positions of every axis is tried; for a large box, on a sample of its cells."""
    position, cut = growth.items.axes.position, growth.cut
    cells, total, whole, many = inside[:: 1 + (len(inside) - 1) // SAMPLE], np.int64(0), 0.0, 0
    for cell in cells:
        total += growth.items.cell[cell].rows
    scale, keys = rows / total, growth.keys
    for axis in range(len(cut)):
        lowest = highest = np.int64(position[cells[0], axis])
        for i in range(len(cells)):
            keys[i] = position[cells[i], axis]
            lowest, highest = min(lowest, keys[i]), max(highest, keys[i])
        if lowest == highest:
            continue
        loss, best, place = _best_step(growth, cells, max(1.0, growth.k / scale))
        whole = rows * loss
        if best < np.inf:
            at = many
            while at > 0 and cut[at - 1].cost > best * scale:
                cut[at].axis, cut[at].place, cut[at].cost = cut[at - 1].axis, cut[at - 1].place, cut[at - 1].cost
                at -= 1
            cut[at].axis, cut[at].place, cut[at].cost = axis, place, best * scale
            many += 1
    return whole, many


@inner
def _best_step(growth: Growth, cells: NDArray[np.int64], least: float) -> tuple[float, float, int]:
    """Along one axis, by a sweep from each end: what a row loses in all of the cells, what they lose after the best cut with `least` rows
    on each side (infinity without one), and where that is."""
    axes, cell, span, size = growth.items.axes, growth.items.cell, growth.span, len(cells)
    keys, by_place, after = growth.keys, growth.by_place, growth.after
    sort_into(keys[:size], by_place, growth.spare)
    rows = np.int64(0)
    begin_sweep(span, growth.clock)
    for i in range(size - 1, -1, -1):  # what all from i on lose
        c = cells[by_place[i]]
        meet(axes, span, growth.seen, growth.clock[0], c)
        rows += cell[c].rows
        after[i] = np.inf
        if i > 0 and keys[by_place[i]] != keys[by_place[i - 1]] and rows >= least:
            after[i] = rows * _loss(axes, span)
    whole, best, place = _loss(axes, span), np.inf, np.int64(0)
    rows = np.int64(0)
    begin_sweep(span, growth.clock)
    for i in range(size - 1):
        c = cells[by_place[i]]
        meet(axes, span, growth.seen, growth.clock[0], c)
        rows += cell[c].rows
        if after[i + 1] < best and rows >= least:
            both = rows * _loss(axes, span) + after[i + 1]
            if both < best:
                best, place = both, keys[by_place[i]]
    return whole, best, place  # type: ignore[return-value]


@inner
def _loss(axes: Axes, span: Records) -> float:
    """On a tree half of it is the share of leaves spanned: between siblings a cut lowers no node yet, but brings the next one nearer."""
    total = 0.0
    for a in range(len(span)):
        own, axis = span[a], axes.of[a]
        loss = stretch_loss(axes, a, own.low, own.high, own.different)
        if axis.form == TREE and own.low != own.high and own.high < axis.count:
            loss = 0.5 * loss + 0.5 * (own.high - own.low + 1) / axis.count
        total += loss
    return total


@inner
def _divide(growth: Growth, start: int, stop: int, axis: int, place: int) -> int:
    """Moves the cells at or below `place` to the left, keeping their order; gives where the right part begins, `start` if a part has fewer
    than k rows."""
    order, position, spare = growth.tree.order, growth.items.axes.position, growth.spare
    here, there = 0, 0
    for i in range(start, stop):
        if position[order[i], axis] <= place:
            here += growth.items.cell[order[i]].rows
        else:
            there += growth.items.cell[order[i]].rows
    if here < growth.k or there < growth.k:
        return start
    left, right = start, 0
    for i in range(start, stop):
        cell = order[i]
        if position[cell, axis] <= place:
            order[left] = cell
            left += 1
        else:
            spare[right] = cell
            right += 1
    for i in range(right):
        order[left + i] = spare[i]
    return left
