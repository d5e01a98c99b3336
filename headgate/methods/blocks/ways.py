"""The groups that `blocks` begins with: for each box of the tree either those of its halves, or the stretches of an order through it, or
groups that grow from a first person, whichever lose less.

An order wins where cells are dense along one axis, growth where they are sparse in many, boxes in between; from the leaves up, each part
of the table gets what suits it. What a group then holds too many of is set aside, whichever way it was made; what that will cost
counts as well.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import inner, loop, making
from headgate.grouping.items import Items
from headgate.grouping.watch import STOP
from headgate.methods.blocks.cut_orders import Line, cut_line, empty_line, laid_out, lay_cells, to_pay_for_stretches
from headgate.methods.blocks.first_draft import FirstGroups
from headgate.methods.blocks.growing import grow_line, may_grow
from headgate.methods.blocks.orders import axes_by_step, snake
from headgate.methods.blocks.prices import Till, till_of, to_pay
from headgate.methods.blocks.sweep import begin_sweep, meet, spanned_loss
from headgate.methods.blocks.tree import Tree

LEAST_GAIN = 1e-9
IN_ORDER, GROWN = 1, 2  # ways to group a box; 0 is that of its halves, or as one group
TRIES, OFTEN = 8, 4  # boxes in which growth is tried; and more, as long as every fourth loses less so
LOSING = 0.25  # of a box's rows must lose something; else it is not worth looking for an order
FEW, MANY = 0.15, 0.5  # of the price of rows that are too many: the first find room near by; and more, the larger their share is


class Emitted(NamedTuple):
    """First groups in the making, and how many groups and parts there are."""

    groups: FirstGroups
    many: NDArray[np.int64]  # groups, parts
    place: NDArray[np.int64]  # of each item of the table: its last part
    pure: NDArray[np.int64]  # the cell of the last group if it has one only, else −1


def first_groups(items: Items, tree: Tree, k: int, price: NDArray[np.float64], state: NDArray[np.int64]) -> FirstGroups:
    rows = int(items.rows.sum())
    groups = FirstGroups(np.zeros(rows // k + 2, dtype=np.int64), np.empty(rows, dtype=np.int64), np.empty(rows, dtype=np.int64))
    out = Emitted(groups, np.zeros(2, dtype=np.int64), np.full(len(items.item), -1, dtype=np.int64), np.full(1, -1, dtype=np.int64))
    _emit_all(items, tree, k, till_of(items, price), empty_line(items, k), out, state)
    many, parts = out.many
    return FirstGroups(groups.begins[: many + 1], groups.number[:parts], groups.rows[:parts])


@loop
def _emit_all(items: Items, tree: Tree, k: int, till: Till, line: Line, out: Emitted, state: NDArray[np.int64]) -> None:
    turns = axes_by_step(items.axes, tree.order)
    way, mean = _choose(items, tree, k, turns, till, line, state)
    stack = np.zeros(len(tree.box) + 1, dtype=np.int64)
    height = 1
    while height > 0 and state[STOP] == 0:
        height -= 1
        own = tree.box[stack[height]]
        cells = tree.order[own.start : own.stop]
        if way[stack[height]] == GROWN:
            grow_line(items, cells, k, line)
            _emit_stretches(items, _rows_in(items, cells), k, line, out)
        elif way[stack[height]] == IN_ORDER:
            size = lay_cells(items, snake(items.axes, cells, turns), k, line)
            cut_line(items, line, size, k, till.price * (FEW * mean[stack[height]]))
            _emit_stretches(items, size, k, line, out)
        elif own.left >= 0:
            stack[height], stack[height + 1] = own.right, own.left
            height += 2
        else:
            _open_group(out, np.int64(-1))
            for cell in cells:
                for item in range(items.cell[cell].start, items.cell[cell + 1].start):
                    _emit(out, item, items.rows[item])


@making
def _choose(
    items: Items, tree: Tree, k: int, turns: NDArray[np.int64], till: Till, line: Line, state: NDArray[np.int64]
) -> tuple[NDArray[np.int8], NDArray[np.float64]]:
    """Of each box, what costs least: the best of its halves, the stretches of an order through it, or groups that grow; and what a row
    loses in the mean of those that lose something."""
    many = len(tree.box)
    way, mean = np.zeros(many, dtype=np.int8), np.zeros(many)
    tried = won = 0
    lost, over, losing = np.zeros(many), np.zeros(many), np.zeros(many, dtype=np.int64)
    for box in range(many - 1, -1, -1):  # halves come after what they are halves of
        own = tree.box[box]
        cells = tree.order[own.start : own.stop]
        rows = _rows_in(items, cells)
        if own.left >= 0:
            lost[box], over[box] = lost[own.left] + lost[own.right], over[own.left] + over[own.right]
            losing[box] = losing[own.left] + losing[own.right]
        else:
            lost[box], over[box] = rows * _lost_as_one(items, cells, line), to_pay(items, cells, till)
            losing[box] = rows if lost[box] > 0.0 else np.int64(0)
        if losing[box] < max(1.0, LOSING * rows) or state[STOP] != 0:
            continue
        mean[box] = lost[box] / losing[box]
        size = lay_cells(items, snake(items.axes, cells, turns), k, line)
        if size >= 2 * k:
            cost, less, more = _cost(lost[box], over[box], rows, mean[box], till), cut_line(items, line, size, k, till.price[:0]), 0.0
            if less < cost:
                more = to_pay_for_stretches(items, line, size, k, till.price)
            if _cost(less, more, rows, mean[box], till) < cost - LEAST_GAIN:
                way[box], lost[box], over[box] = IN_ORDER, less, more
        if (tried < TRIES or OFTEN * won >= tried) and may_grow(items, cells, rows, k):
            tried += 1
            less = grow_line(items, cells, k, line)
            if less < lost[box] - LEAST_GAIN:
                more = to_pay_for_stretches(items, line, rows, k, till.price)
                if more <= over[box]:
                    way[box], lost[box], over[box] = GROWN, less, more
                    won += 1
    return way, mean


@inner
def _rows_in(items: Items, cells: NDArray[np.int64]) -> int:
    rows = np.int64(0)
    for cell in cells:
        rows += items.cell[cell].rows
    return rows  # type: ignore[return-value]


@inner
def _cost(lost: float, over: float, rows: int, mean: float, till: Till) -> float:
    """What rows lose, and what it costs to find places for those that are too many, whose price is `over`."""
    most = 0.0
    for price in till.price:
        most = max(most, rows * price)
    return lost if over == 0.0 else lost + mean * over * (FEW + MANY * over / most)


@inner
def _lost_as_one(items: Items, cells: NDArray[np.int64], line: Line) -> float:
    """What a row of some cells loses if they are a single group."""
    begin_sweep(line.span, line.clock)
    for cell in cells:
        meet(items.axes, line.span, line.seen, line.clock[0], cell)
    return spanned_loss(items.axes, line.span)  # type: ignore[no-any-return]


@making
def _emit_stretches(items: Items, size: int, k: int, line: Line, out: Emitted) -> None:
    """Those of a line of so many rows that has been cut."""
    ends, at = np.empty(size // k + 1, dtype=np.int64), size
    many = 0
    while at > 0:
        ends[many] = at
        at = line.begin[at]
        many += 1
    for s in range(many - 1, -1, -1):
        begin, end = line.begin[ends[s]], ends[s]
        first, last = line.cell[begin], line.cell[end - 1]
        if first != last or out.pure[0] != first:
            _open_group(out, first if first == last else np.int64(-1))
        for row in range(begin, end):
            _emit(out, line.item[row], np.int64(1))
        laid, whole = laid_out(items.cell[last].rows, k), items.cell[last].rows
        if laid < whole and (begin == 0 or line.cell[begin - 1] != last or first != last):  # the first stretch that reaches into the cell
            if out.pure[0] != last:
                _open_group(out, last)
            for i in range(line.spread_from[last] + laid, line.spread_from[last] + whole):
                _emit(out, line.spread[i], np.int64(1))


@inner
def _open_group(out: Emitted, pure: int) -> None:
    out.many[0] += 1
    out.groups.begins[out.many[0]] = out.many[1]
    out.pure[0] = pure


@inner
def _emit(out: Emitted, item: int, rows: int) -> None:
    """Rows of an item come to the last group."""
    groups, part = out.groups, out.place[item]
    if part < groups.begins[out.many[0] - 1]:
        part = out.many[1]
        out.place[item] = part
        out.many[1] += 1
        groups.number[part], groups.rows[part] = item, 0
        groups.begins[out.many[0]] = out.many[1]
    groups.rows[part] += rows
