"""Groups that grow from a first person, by greedy k-member clustering (Byun, Kamra, Bertino, Li 2007): the farthest from the group before
begins a group, and k − 1 times whoever widens it least joins it; who is left over in the end joins where it costs least.

Each step looks at all that are left, so only boxes of few cells are grouped like this. It pays where nearly everybody is alone in their
cell and there are many quasi-identifiers: no order keeps all who are near together there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import Records, inner, making
from headgate.grouping.axes import FLAT, Axes, stretch_loss
from headgate.grouping.items import Items
from headgate.methods.blocks.cut_orders import MOST, Line
from headgate.methods.blocks.sweep import begin_sweep, meet, spanned_loss

SPARSE = 2  # rows for each cell, at most
FEWEST, CELLS = 256, 4_096  # of a box
LOOKS = 80_000_000  # at cells in a table, about half as often as this at most


@inner
def may_grow(items: Items, cells: NDArray[np.int64], rows: int, k: int) -> bool:
    """Whether a box is small enough for its table, and its cells are sparse."""
    if rows < 2 * k or rows > SPARSE * len(cells) or len(cells) < FEWEST or len(cells) > min(CELLS, LOOKS // len(items.rows)):
        return False
    largest = np.int64(0)
    for cell in cells:
        largest = max(largest, items.cell[cell].rows)
    return bool(largest < MOST * k)  # else not all of a cell would be laid out


@making
def grow_line(items: Items, cells: NDArray[np.int64], k: int, line: Line) -> float:
    """Lays out the rows of some cells group by group, as stretches of the line; gives what they lose."""
    axes, free, left = items.axes, cells.copy(), np.empty(len(cells), dtype=np.int64)
    rows = np.int64(0)
    for i in range(len(cells)):
        left[i] = items.cell[cells[i]].rows
        rows += left[i]
    ends, many, size, last = np.zeros(rows // k + 1, dtype=np.int64), len(cells), np.int64(0), cells[0]
    groups = rows // k
    for group in range(groups):
        begin_sweep(line.span, line.clock)
        at = _farthest(axes, free[:many], last)
        last = free[at]
        end = size + k
        while size < end:
            cell = free[at]
            meet(axes, line.span, line.seen, line.clock[0], cell)
            while size < end and left[at] > 0:
                left[at] -= 1
                line.cell[size], line.item[size] = cell, line.spread[line.spread_from[cell] + left[at]]
                size += 1
            if left[at] == 0:
                many -= 1
                free[at], left[at] = free[many], left[many]
            if size < end:
                at = _nearest(axes, line.span, line.seen, line.clock[0], free[:many])
        ends[group + 1] = size
    for i in range(many):
        while left[i] > 0:
            left[i] -= 1
            _join(items, line, ends, free[i], line.spread[line.spread_from[free[i]] + left[i]])
    total = 0.0
    for group in range(groups):
        line.begin[ends[group + 1]] = ends[group]
        total += (ends[group + 1] - ends[group]) * _lost(axes, line, ends[group], ends[group + 1])
    return total


@inner
def _farthest(axes: Axes, free: NDArray[np.int64], last: int) -> int:
    best, most = np.int64(0), -1.0
    for i in range(len(free)):
        far = 0.0
        for a in range(len(axes.of)):
            one, two = np.int64(axes.position[free[i], a]), np.int64(axes.position[last, a])
            far += stretch_loss(axes, a, min(one, two), max(one, two), np.int64(2))
        if far > most:
            best, most = np.int64(i), far
    return best  # type: ignore[return-value]


@inner
def _nearest(axes: Axes, span: Records, seen: NDArray[np.int64], now: int, free: NDArray[np.int64]) -> int:
    best, least = np.int64(0), np.inf
    for i in range(len(free)):
        lost = 0.0
        for a in range(len(span)):
            p, own, axis = np.int64(axes.position[free[i], a]), span[a], axes.of[a]
            new = axis.form == FLAT and seen[axis.first + p] != now
            lost += stretch_loss(axes, a, min(own.low, p), max(own.high, p), own.different + np.int64(new))
            if lost >= least:
                break
        if lost < least:
            best, least = np.int64(i), lost
    return best  # type: ignore[return-value]


@inner
def _join(items: Items, line: Line, ends: NDArray[np.int64], cell: int, item: int) -> None:
    """A row more joins the group that it makes lose least; the rows behind it go up by one."""
    best, least = np.int64(1), np.inf
    for group in range(1, len(ends)):
        begin, end = ends[group - 1], ends[group]
        before = _lost(items.axes, line, begin, end)
        meet(items.axes, line.span, line.seen, line.clock[0], cell)
        cost = (end - begin + 1) * spanned_loss(items.axes, line.span) - (end - begin) * before
        if cost < least:
            best, least = np.int64(group), cost
    for i in range(ends[-1], ends[best], -1):
        line.cell[i], line.item[i] = line.cell[i - 1], line.item[i - 1]
    line.cell[ends[best]], line.item[ends[best]] = cell, item
    for group in range(best, len(ends)):
        ends[group] += 1


@inner
def _lost(axes: Axes, line: Line, begin: int, end: int) -> float:
    """What a row of a stretch loses."""
    begin_sweep(line.span, line.clock)
    for i in range(begin, end):
        meet(axes, line.span, line.seen, line.clock[0], line.cell[i])
    return spanned_loss(axes, line.span)  # type: ignore[no-any-return]
