"""Values put into boxes, where they are too many for a table of pairs and for lists of similar ones.

Two boxes are near if any two of their values could be similar, and a box is a centre if any of its values is: on the safe side.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes
from headgate.core.compiling import inner, loop
from headgate.core.distance import DISCRETE, LINE, DistanceLayout
from headgate.grouping.limits import NeighbourhoodLimit

SAFE = 1e-12  # more than rounding moves a distance
FINEST = 1024.0  # boxes on a line to begin with


@dataclass(frozen=True, eq=False)
class BoxedValues:
    box: Codes  # of each distinct value
    centre: NDArray[np.bool_]  # a flag a box
    near: NDArray[np.bool_]  # boxes × boxes


def boxed(limit: NeighbourhoodLimit, most: int) -> BoxedValues:
    """Divides the values into at most the given number of boxes. Lines are divided ever more coarsely; after that, attributes of little
    weight are merged, until the boxes are few enough."""
    layout, codes = limit.layout, limit.distinct
    components = range(codes.shape[1])
    lines = [i for i in components if layout.mode[i] == LINE]
    steps, merged = FINEST, list[int]()
    box = _numbered(layout, codes, lines, steps, merged)
    while box.max() >= most:
        if lines and steps > 1.0:
            steps /= 2.0
        else:
            merged.append(min((i for i in components if i not in merged), key=lambda i: layout.weight[i]))
        box = _numbered(layout, codes, lines, steps, merged)
    boxes = int(box.max()) + 1
    low, high = np.full((boxes, len(components)), np.inf), np.full((boxes, len(components)), -np.inf)
    for i in components:
        place = np.append(_points(layout, i), -np.inf)[codes[:, i]] if i in lines else codes[:, i].astype(np.float64)
        np.minimum.at(low[:, i], box, place)
        np.maximum.at(high[:, i], box, place)
    away = np.array([i in merged for i in components])
    near = _near_boxes(layout, low, high, away, limit.radius)
    return BoxedValues(box.astype(np.int32), np.bincount(box, weights=limit.centre).astype(bool), near)


def _points(layout: DistanceLayout, i: int) -> NDArray[np.float64]:
    """The positions of a line's codes on the line."""
    return layout.buffer[int(layout.offset[i]) : int(layout.offset[i]) + int(layout.size[i])]


def _numbered(layout: DistanceLayout, codes: Codes, lines: list[int], steps: float, merged: list[int]) -> NDArray[np.int64]:
    """The box of every value if lines are divided into this many steps and the attributes in `merged` are ignored."""
    keys = codes.astype(np.int64)
    for i in lines:
        place = np.append(np.floor(_points(layout, i) * steps), -(2.0**40))
        keys[:, i] = np.unique(place, return_inverse=True)[1][codes[:, i]]
    keys[:, merged] = 0
    return np.unique(keys, axis=0, return_inverse=True)[1].ravel()


@loop
def _near_boxes(
    layout: DistanceLayout, low: NDArray[np.float64], high: NDArray[np.float64], away: NDArray[np.bool_], reach: float
) -> NDArray[np.bool_]:
    """Whether any two values of two boxes could be within reach: each attribute at its least distance, those put away at 0."""
    boxes, parts = low.shape
    near = np.empty((boxes, boxes), dtype=np.bool_)
    for a in range(boxes):
        for b in range(a + 1):
            total, smallest = 0.0, np.inf
            for i in range(parts):
                gap = 0.0 if away[i] else _least_gap(layout, i, low[a, i], high[a, i], low[b, i], high[b, i])
                smallest = min(smallest, gap)
                total += layout.weight[i] * (gap if layout.power == 1.0 else gap**layout.power)
            reached = smallest if layout.least else total if layout.power == 1.0 else total ** (1.0 / layout.power)
            near[a, b] = near[b, a] = reached <= reach + SAFE
    return near


@inner
def _least_gap(layout: DistanceLayout, i: int, low: float, high: float, other_low: float, other_high: float) -> float:
    """The least distance in one attribute between two stretches of it; off lines a box has one value."""
    if layout.mode[i] == LINE:
        if np.isinf(low) or np.isinf(other_low):  # a missing cell, which no box shares with others
            return 0.0 if low == other_low else 1.0
        return float(max(0.0, low - other_high, other_low - high))
    if low == other_low:
        return 0.0
    x, y = int(low), int(other_low)
    if layout.mode[i] == DISCRETE or x < 0 or y < 0:
        return 1.0
    return float(layout.buffer[layout.offset[i] + x * layout.size[i] + y])
