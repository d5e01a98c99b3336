"""The tree in which the groups near a row are found: halves of the groups, down to a few."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import Records, empty_records, loop
from headgate.grouping.sorting import sorted_order
from headgate.methods.blocks.draft import Groups
from headgate.methods.blocks.sweep import NOWHERE
from headgate.methods.blocks.tree import BOX, STRETCH, Tree

IN_LEAF = 4  # groups of a leaf


def tree_of(groups: Groups) -> Tree:
    many = int(groups.now[0].groups)
    box, span = empty_records(2 * many + 1, BOX), empty_records((2 * many + 1, len(groups.items.axes.of)), STRETCH)
    order = np.arange(many)
    boxes = _halve(groups, order, box, span)
    return Tree(order, box[:boxes], span[:boxes])


@loop
def _halve(groups: Groups, order: NDArray[np.int64], box: Records, span: Records) -> int:
    """Halves of the groups by their middle on the axis on which these differ most, down to a few."""
    many, axes, boxes, at = len(order), groups.items.axes, 1, 0
    middle, keys = np.empty(len(axes.of)), np.empty(many, dtype=np.int64)
    box[0].start, box[0].stop, box[0].parent = 0, many, -1
    while at < boxes:
        own = box[at]
        own.left, own.right, own.group = -1, -1, -1
        widest, most = -1, 0.0
        for axis in range(len(axes.of)):
            stretch = span[at, axis]
            stretch.low, stretch.high = NOWHERE, -1
            low, high = 2 * NOWHERE, -1
            for i in range(own.start, own.stop):
                of = groups.span[order[i], axis]
                stretch.low, stretch.high = min(stretch.low, of.low), max(stretch.high, of.high)
                low, high = min(low, of.low + of.high), max(high, of.low + of.high)
            middle[axis] = (high - low) / (2.0 * max(1, axes.of[axis].count))
            if middle[axis] > most:
                widest, most = axis, middle[axis]
        if own.stop - own.start > IN_LEAF and widest >= 0:
            for i in range(own.start, own.stop):
                of = groups.span[order[i], widest]
                keys[i] = of.low + of.high
            own_order = order[own.start : own.stop].copy()
            by_middle = sorted_order(keys[own.start : own.stop])
            for i in range(len(by_middle)):
                order[own.start + i] = own_order[by_middle[i]]
            half = (own.start + own.stop) // 2
            own.left, own.right = boxes, boxes + 1
            for side in range(2):
                part = box[boxes + side]
                part.start, part.stop, part.parent = (own.start, half, at) if side == 0 else (half, own.stop, at)
            boxes += 2
        else:
            beside = np.int64(-1)
            for i in range(own.stop - 1, own.start - 1, -1):
                groups.of[order[i]].leaf, groups.of[order[i]].beside = at, beside
                beside = order[i]
            own.group = beside
        at += 1
    return boxes
