"""An order in which each cell is near the next: a snake through all quasi-identifiers.

The axis on which a step costs most is the outermost, and each further one runs up and down in turns. Unlike a curve through a grid this
needs no scales, and along the innermost axis people who follow each other differ by a single step.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import loop, making
from headgate.grouping.axes import Axes, stretch_loss
from headgate.grouping.sorting import sorted_order


@loop
def axes_by_step(axes: Axes, cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """The axes, those first on which two neighbouring positions of these cells, generalized together, lose most."""
    price = np.zeros(len(axes.of))
    for axis in range(len(price)):
        occurs = np.zeros(axes.of[axis].count + 1, dtype=np.bool_)
        for cell in cells:
            occurs[axes.position[cell, axis]] = True
        before, steps = np.int64(-1), 0
        for p in range(len(occurs)):
            if occurs[p]:
                if before >= 0:
                    price[axis] += stretch_loss(axes, axis, before, np.int64(p), np.int64(2))
                    steps += 1
                before = np.int64(p)
        price[axis] /= max(1, steps)
    order = np.argsort(-price, kind="mergesort")
    return order.astype(np.int64)


@making
def snake(axes: Axes, cells: NDArray[np.int64], turns: NDArray[np.int64]) -> NDArray[np.int64]:
    """The cells in an order that runs up and down along each axis of `turns`, the last one within all others."""
    order, keys = cells.copy(), np.empty(len(cells), dtype=np.int64)
    starts = np.zeros(len(cells), dtype=np.bool_)  # of stretches that agree on all axes so far
    starts[0] = True
    for axis in turns:
        begin, up = 0, True
        while begin < len(order):
            end = begin + 1
            while end < len(order) and not starts[end]:
                end += 1
            for i in range(begin, end):
                p = np.int64(axes.position[order[i], axis])
                keys[i] = p if up else -p
            if end > begin + 1:
                order[begin:end] = order[begin:end][sorted_order(keys[begin:end])]
            up = not up
            begin = end
        for i in range(1, len(order)):
            starts[i] = starts[i] or axes.position[order[i], axis] != axes.position[order[i - 1], axis]
    return order
