"""Counts neighbours within one class by a tree of boxes of codes. For two boxes, either all pairs are near, or no pair is, or the larger
box is halved (the dual tree of Gray and Moore, "N-Body Problems in Statistical Learning", 2000). It is exact for any number of components,
and fast for two or three.

Distances within a hair of the reach are computed by the operations of `pair_distance`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import copied, inner, loop, making
from headgate.core.distance import DISCRETE, LINE, DistanceLayout

HAIR = 1e-12  # more than rounding moves a distance in [0, 1], less than the tolerance
LEAF = 32  # values in the smallest box
PAIR = 6  # what comparing two values by Δ itself costs, in differences of two numbers


class Boxes(NamedTuple):
    """Box b contains the values first[b] … last[b] of `order`, and all their codes lie between low[b] and high[b]. Its halves are
    child[b] and the next box."""

    order: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    child: NDArray[np.int64]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    rows: NDArray[np.int64]


def largest_differences(layout: DistanceLayout) -> NDArray[np.float64]:
    """The largest possible difference in each component."""
    ends = [*layout.offset[1:], len(layout.buffer)]
    matrices = (layout.mode != LINE) & (layout.mode != DISCRETE)
    parts = zip(matrices, layout.offset, ends, strict=True)
    return np.array([max(1.0, float(layout.buffer[start:end].max(initial=1.0))) if matrix else 1.0 for matrix, start, end in parts])


@copied
def _gap(layout: DistanceLayout, i: int, x: int, y: int) -> float:
    """The same as `component_distance`, but without a function call."""
    if x == y:
        return 0.0
    mode = layout.mode[i]
    if x < 0 or y < 0 or mode == DISCRETE:
        return 1.0
    if mode == LINE:
        return float(abs(layout.buffer[layout.offset[i] + x] - layout.buffer[layout.offset[i] + y]))
    return float(layout.buffer[layout.offset[i] + x * layout.size[i] + y])


@copied
def close(layout: DistanceLayout, values: NDArray[np.int32], a: int, b: int, reach: float) -> bool:
    """Whether Δ ≤ reach, by the operations of `pair_distance`. The sum never decreases, so adding stops as soon as it exceeds the reach."""
    if layout.least:
        for i in range(values.shape[1]):  # noqa: SIM110 - compiled
            if _gap(layout, i, values[a, i], values[b, i]) <= reach:
                return True
        return False
    total = 0.0
    if layout.power == 1.0:
        for i in range(values.shape[1]):
            total += layout.weight[i] * _gap(layout, i, values[a, i], values[b, i])
            if total > reach:
                return False
        return True
    for i in range(values.shape[1]):
        total += layout.weight[i] * _gap(layout, i, values[a, i], values[b, i]) ** layout.power
    return bool(total ** (1.0 / layout.power) <= reach)


@inner
def compare(
    layout: DistanceLayout,
    values: NDArray[np.int32],
    counts: NDArray[np.int64],
    stretch: tuple[int, int],
    other_stretch: tuple[int, int],
    reach: float,
    near: NDArray[np.int64],
) -> None:
    """Compares all values of one stretch with all of another stretch, or with itself."""
    for i in range(stretch[0], stretch[1]):
        if stretch[0] == other_stretch[0]:
            near[i] += counts[i]
        for j in range(other_stretch[0] if stretch[0] != other_stretch[0] else i + 1, other_stretch[1]):
            if close(layout, values, i, j, reach):
                near[i] += counts[j]
                near[j] += counts[i]


@loop
def rows_by_boxes(
    layout: DistanceLayout,
    tops: NDArray[np.float64],
    values: NDArray[np.int32],
    counts: NDArray[np.int64],
    reach: float,
    budget: NDArray[np.int64],
) -> NDArray[np.int64]:
    """The number of rows within reach of every value of one class; `largest_differences` gives `tops`. Counting stops when the budget of
    comparisons is used up: the budget is then negative, and the counts are meaningless."""
    boxes = _boxes(layout, values, counts)
    order, first, last, child = boxes.order, boxes.first, boxes.last, boxes.child
    values, counts = values[order], counts[order]
    lines, sure, perhaps = _coordinates(layout, values), max(reach - HAIR, 0.0) ** layout.power, (reach + HAIR) ** layout.power
    near, whole = np.zeros(len(counts), np.int64), np.zeros(len(first), np.int64)
    gaps = np.empty(len(counts))
    stack = np.zeros((64, 2), np.int64)
    depth = 1
    while depth > 0:
        depth -= 1
        a, b = stack[depth]
        budget[0] -= PAIR
        least, most = _between(layout, tops, boxes, a, b)
        if least > perhaps:
            continue
        if most <= sure:
            whole[a] += boxes.rows[b]
            if a != b:
                whole[b] += boxes.rows[a]
            continue
        if depth + 3 > len(stack):
            stack = np.concatenate((stack, np.zeros_like(stack)))
        if child[a] < 0 and child[b] < 0:
            cost = (last[a] - first[a]) * (last[b] - first[b])
            budget[0] -= cost * (len(lines) if len(lines) else PAIR)
            if budget[0] < 0:
                return near
            stretch, other_stretch = (first[a], last[a]), (first[b], last[b])
            if len(lines):
                _compare_coordinates(layout, lines, values, counts, stretch, other_stretch, reach, sure, perhaps, gaps, near)
            else:
                compare(layout, values, counts, stretch, other_stretch, reach, near)
        else:
            depth += _halved(boxes, a, b, stack[depth:])
    total: NDArray[np.int64] = _near_each(boxes, near, whole)
    return total


@inner
def _halved(boxes: Boxes, a: int, b: int, stack: NDArray[np.int64]) -> int:
    """Halves the larger box of a pair, puts the new pairs on the stack, and returns their number."""
    child = boxes.child
    if a == b:
        left = child[a]
        stack[0] = left, left
        stack[1] = left + 1, left + 1
        stack[2] = left, left + 1
        return 3
    if child[a] < 0 or (child[b] >= 0 and boxes.last[b] - boxes.first[b] > boxes.last[a] - boxes.first[a]):
        a, b = b, a
    stack[0] = child[a], b
    stack[1] = child[a] + 1, b
    return 2


@making
def _near_each(boxes: Boxes, near: NDArray[np.int64], whole: NDArray[np.int64]) -> NDArray[np.int64]:
    """Adds the counts of whole boxes to all their values, and returns them in the order of the values."""
    out = np.empty(len(near), np.int64)
    for box in range(len(boxes.first)):  # parents come before their halves
        if boxes.child[box] >= 0:
            whole[boxes.child[box]] += whole[box]
            whole[boxes.child[box] + 1] += whole[box]
        else:
            for i in range(boxes.first[box], boxes.last[box]):
                out[boxes.order[i]] = near[i] + whole[box]
    return out


@making
def _coordinates(layout: DistanceLayout, values: NDArray[np.int32]) -> NDArray[np.float64]:
    """The weighted positions on all lines on which these values differ; empty unless only lines decide."""
    none = np.empty((0, len(values)))
    if layout.least:
        return none
    lines, filled = np.empty((len(layout.mode), len(values))), 0
    for i in range(len(layout.mode)):
        if (values[:, i] == values[0, i]).all():
            continue
        if layout.mode[i] != LINE or values[:, i].min() < 0:
            return none
        lines[filled] = layout.weight[i] ** (1.0 / layout.power) * layout.buffer[layout.offset[i] + values[:, i]]
        filled += 1
    return lines[:filled]


@inner
def _compare_coordinates(
    layout: DistanceLayout,
    lines: NDArray[np.float64],
    values: NDArray[np.int32],
    counts: NDArray[np.int64],
    stretch: tuple[int, int],
    other_stretch: tuple[int, int],
    reach: float,
    sure: float,
    perhaps: float,
    gaps: NDArray[np.float64],
    near: NDArray[np.int64],
) -> None:
    """Compares all values of one box with all of another box, or with itself, in plain loops that the compiler can vectorize."""
    for i in range(stretch[0], stretch[1]):
        start = other_stretch[0] if stretch[0] != other_stretch[0] else i
        size = other_stretch[1] - start
        _sum_gaps(lines, i, start, size, layout.power, gaps)
        own, unsure, near_rows = counts[i], 0, 0
        for j in range(size):
            near_enough = gaps[j] <= sure
            unsure += (gaps[j] <= perhaps) != near_enough
            near_rows += counts[start + j] if near_enough else 0
            near[start + j] += own if near_enough else 0
        if unsure > 0:
            for j in range(size):
                if sure < gaps[j] <= perhaps and close(layout, values, i, start + j, reach):
                    near_rows += counts[start + j]
                    near[start + j] += own
        near[i] += near_rows - (own if start == i else 0)  # a value is near itself once


@inner
def _sum_gaps(lines: NDArray[np.float64], i: int, start: int, size: int, power: float, gaps: NDArray[np.float64]) -> None:
    """Δ^p between one value and each value of a stretch."""
    gaps[:size] = 0.0
    for line in range(len(lines)):
        x = lines[line, i]
        if power == 1.0:
            for j in range(size):
                gaps[j] += abs(x - lines[line, start + j])
        else:
            for j in range(size):
                gap = abs(x - lines[line, start + j])
                gaps[j] += gap * gap if power == 2.0 else gap**power


@inner
def _between(layout: DistanceLayout, tops: NDArray[np.float64], boxes: Boxes, a: int, b: int) -> tuple[float, float]:
    """Lower and upper bounds of Δ^p between any value of one box and any value of another."""
    low, high = (np.inf, np.inf) if layout.least else (0.0, 0.0)
    for i in range(len(layout.mode)):
        near, far = _component_between(layout, i, tops[i], boxes.low[a, i], boxes.high[a, i], boxes.low[b, i], boxes.high[b, i])
        if layout.least:
            low, high = min(low, near), min(high, far)
        elif layout.power == 1.0:
            low, high = low + layout.weight[i] * near, high + layout.weight[i] * far
        else:
            low, high = low + layout.weight[i] * near**layout.power, high + layout.weight[i] * far**layout.power
    return (low**layout.power, high**layout.power) if layout.least else (low, high)


@inner
def _component_between(
    layout: DistanceLayout, i: int, top: float, under_a: int, over_a: int, under_b: int, over_b: int
) -> tuple[float, float]:
    """Lower and upper bounds of one component's difference between any two codes of the ranges; `top` is the largest possible
    difference."""
    apart = over_a < under_b or over_b < under_a
    single = under_a == over_a and under_b == over_b
    start = layout.offset[i]
    if single and under_a == under_b:
        return 0.0, 0.0
    if under_a < 0 or under_b < 0:  # missing is at 1 from all others
        return (1.0, 1.0) if apart and (over_a < 0 or over_b < 0) else (0.0, max(1.0, top))
    if layout.mode[i] == DISCRETE:
        return (1.0 if apart else 0.0), top
    if layout.mode[i] == LINE:
        to_b = layout.buffer[start + under_b] - layout.buffer[start + over_a]
        to_a = layout.buffer[start + under_a] - layout.buffer[start + over_b]
        return max(to_a, to_b, 0.0), max(-to_a, -to_b)
    if single:
        difference = layout.buffer[start + under_a * layout.size[i] + under_b]
        return difference, difference
    return 0.0, top


@making
def _boxes(layout: DistanceLayout, values: NDArray[np.int32], counts: NDArray[np.int64]) -> Boxes:
    """Builds the tree: each box is halved across its widest component until it is small."""
    size, parts = values.shape
    order, other = np.arange(size), np.empty(size, np.int64)
    room = 2 * size
    first, last, child, rows = np.zeros(room, np.int64), np.zeros(room, np.int64), np.full(room, -1), np.zeros(room, np.int64)
    low, high = np.zeros((room, parts), np.int32), np.zeros((room, parts), np.int32)
    last[0], used, box = size, 1, 0
    while box < used:
        start, end = first[box], last[box]
        low[box], high[box] = values[order[start]], values[order[start]]
        for place in range(start, end):
            rows[box] += counts[order[place]]
            for i in range(parts):
                code = values[order[place], i]
                low[box, i], high[box, i] = min(low[box, i], code), max(high[box, i], code)
        across = _widest(layout, low[box], high[box])
        if end - start > LEAF and across >= 0:
            codes = values[order[start:end], across]
            middle = np.int32(-1)  # the missing ones are a half of their own
            if low[box, across] >= 0:
                middle = np.partition(codes, (end - start) // 2)[(end - start) // 2]
                middle -= middle == high[box, across]
            left, right = start, end
            for place in range(start, end):
                if values[order[place], across] <= middle:
                    other[left] = order[place]
                    left += 1
                else:
                    right -= 1
                    other[right] = order[place]
            order[start:end] = other[start:end]
            child[box] = used
            first[used], last[used], first[used + 1], last[used + 1] = start, left, left, end
            used += 2
        box += 1
    return Boxes(order, first[:used], last[:used], child[:used], low[:used], high[:used], rows[:used])


@inner
def _widest(layout: DistanceLayout, low: NDArray[np.int32], high: NDArray[np.int32]) -> int:
    """The component in which the values of a box differ most; −1 if they do not differ at all."""
    widest, width = -1, 0.0
    for i in range(len(low)):
        if low[i] == high[i]:
            continue
        spread = 1.0
        if layout.mode[i] == LINE and low[i] >= 0:
            spread = layout.buffer[layout.offset[i] + high[i]] - layout.buffer[layout.offset[i] + low[i]]
        if not layout.least:
            spread *= layout.weight[i] ** (1.0 / layout.power)
        if spread > width:
            widest, width = i, spread
    return widest
