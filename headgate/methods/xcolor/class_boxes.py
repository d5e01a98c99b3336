"""The losses of a coloring's classes, and how they change if a row leaves or another takes its place, in O(axes) each.

Losses are whole numbers, so that sums are exact in any order, equal losses tie, and no bound is wrong by a rounding error. Adding a row to
a class never lowers its loss.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import copied, inner, loop
from headgate.grouping.axes import FLAT, Axes, stretch_loss

UNIT = 144_403_552_893_600.0  # a whole domain: the least common multiple of 1 … 36, so that shares of small domains are whole too
BEYOND = np.int64(2**31)  # stands for "no other member", above every position; its negative below

LOW, NEXT_LOW, HIGH, NEXT_HIGH = 0, 1, 2, 3  # places in `ends`


class Boxes(NamedTuple):
    """The boxes of all classes. A member that lies at an end leaves the next end behind; equal positions count twice."""

    ends: NDArray[np.int64]  # classes × axes × 4: the two lowest and the two highest positions
    different: NDArray[np.int64]  # classes × axes; FLAT: how many values
    alone: NDArray[np.bool_]  # rows × axes; FLAT: no other member of the row's class has its value
    loss: NDArray[np.int64]  # of each class
    departure: NDArray[np.int64]  # of each row: loss(V ∖ {v}) − loss(V), at most 0
    seen: NDArray[np.int64]  # scratch as long as the positions of all axes: when last met
    holder: NDArray[np.int64]  # and with whom
    clock: NDArray[np.int64]  # one number: now


def empty_boxes(axes: Axes, rows: int, classes: int) -> Boxes:
    count = len(axes.of)
    return Boxes(
        ends=np.empty((classes, count, 4), dtype=np.int64),
        different=np.zeros((classes, count), dtype=np.int64),
        alone=np.zeros((rows, count), dtype=np.bool_),
        loss=np.zeros(classes, dtype=np.int64),
        departure=np.zeros(rows, dtype=np.int64),
        seen=np.zeros(len(axes.at) + 1, dtype=np.int64),
        holder=np.zeros(len(axes.at) + 1, dtype=np.int64),
        clock=np.zeros(1, dtype=np.int64),
    )


@copied
def whole_loss(axes: Axes, axis: int, low: int, high: int, different: int) -> int:
    """The loss of one axis in UNITs of its domain."""
    return int(stretch_loss(axes, axis, low, high, different) * UNIT + 0.5)


@loop
def measure_class(axes: Axes, boxes: Boxes, g: int, members: NDArray[np.int64]) -> None:
    """Box and loss of a class, and what every departure would change, from its members alone."""
    boxes.clock[0] += 1
    boxes.loss[g] = 0
    for row in members:
        boxes.departure[row] = 0
    for axis in range(len(axes.of)):
        _find_ends(axes, boxes, g, axis, members)
        if axes.of[axis].form == FLAT:
            _find_different(axes, boxes, g, axis, members)
        _add_losses(axes, boxes, g, axis, members)


@inner
def _find_ends(axes: Axes, boxes: Boxes, g: int, axis: int, members: NDArray[np.int64]) -> None:
    low, next_low, high, next_high = BEYOND, BEYOND, -BEYOND, -BEYOND
    for row in members:
        p = np.int64(axes.position[row, axis])
        if p < low:
            low, next_low = p, low
        elif p < next_low:
            next_low = p
        if p > high:
            high, next_high = p, high
        elif p > next_high:
            next_high = p
    ends = boxes.ends[g, axis]
    ends[LOW], ends[NEXT_LOW], ends[HIGH], ends[NEXT_HIGH] = low, next_low, high, next_high


@inner
def _find_different(axes: Axes, boxes: Boxes, g: int, axis: int, members: NDArray[np.int64]) -> None:
    """How many values there are, and who has a value alone."""
    now, first, different = boxes.clock[0], axes.of[axis].first, np.int64(0)
    for row in members:
        p = first + axes.position[row, axis]
        if boxes.seen[p] != now:
            boxes.seen[p] = now
            boxes.holder[p] = row
            boxes.alone[row, axis] = True
            different += 1
        else:
            boxes.alone[row, axis] = False
            boxes.alone[boxes.holder[p], axis] = False
    boxes.different[g, axis] = different


@inner
def _add_losses(axes: Axes, boxes: Boxes, g: int, axis: int, members: NDArray[np.int64]) -> None:
    ends, different, flat = boxes.ends[g, axis], boxes.different[g, axis], axes.of[axis].form == FLAT
    low, high = ends[LOW], ends[HIGH]
    whole = whole_loss(axes, axis, low, high, different)
    boxes.loss[g] += whole
    if whole == 0:
        return
    for row in members:
        p, alone = np.int64(axes.position[row, axis]), flat and boxes.alone[row, axis]
        if p in (low, high) or alone:
            least, most = ends[NEXT_LOW] if p == low else low, ends[NEXT_HIGH] if p == high else high
            left = different - 1 if alone else different
            boxes.departure[row] += whole_loss(axes, axis, least, most, left) - whole


@loop
def replaced_loss(axes: Axes, boxes: Boxes, g: int, leaving: int, joining: int, occupied: NDArray[np.bool_]) -> int:
    """loss(V ∖ {leaving} ∪ {joining}). `held[axis]`: has a member of V the joining row's position? Asked on FLAT axes only."""
    total = 0
    for axis in range(len(axes.of)):
        p, q = np.int64(axes.position[joining, axis]), np.int64(axes.position[leaving, axis])
        ends = boxes.ends[g, axis]
        low, high, different = ends[LOW], ends[HIGH], boxes.different[g, axis]
        if p != q:
            low = min(ends[NEXT_LOW] if q == low else low, p)
            high = max(ends[NEXT_HIGH] if q == high else high, p)
            if axes.of[axis].form == FLAT:
                different += (0 if occupied[axis] else 1) - (1 if boxes.alone[leaving, axis] else 0)
        total += whole_loss(axes, axis, low, high, different)
    return total


@loop
def mark_positions(axes: Axes, boxes: Boxes, members: NDArray[np.int64]) -> int:
    """Remembers the positions of a class; `seen[FIRST + position]` equals the number returned until the next class is looked at."""
    boxes.clock[0] += 1
    for row in members:
        for axis in range(len(axes.of)):
            if axes.of[axis].form == FLAT:
                boxes.seen[axes.of[axis].first + axes.position[row, axis]] = boxes.clock[0]
    return int(boxes.clock[0])


@loop
def find_positions(axes: Axes, row: int, members: NDArray[np.int64], occupied: NDArray[np.bool_]) -> None:
    """held[axis]: a member has the row's position, on FLAT axes."""
    for axis in range(len(axes.of)):
        occupied[axis] = False
        if axes.of[axis].form == FLAT:
            p = axes.position[row, axis]
            for member in members:
                if axes.position[member, axis] == p:
                    occupied[axis] = True
                    break
