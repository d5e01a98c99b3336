"""Rows move to other groups where that loses less and every group still keeps its limits and k rows: one part of a group, or all of a cell
where the group's box shrinks without it, or a whole group that the others can take in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import Records, empty_records, inner, loop, making, record
from headgate.grouping.sorting import sorted_order
from headgate.grouping.watch import STOP
from headgate.methods.blocks.draft import Draft
from headgate.methods.blocks.groups import keeps_all, may_go, part_of, put, take
from headgate.methods.blocks.losses import cells_of, loss_without
from headgate.methods.blocks.placing import Wanted, cheapest_place, widen

LEAST_GAIN = 1e-9
WHOLE = np.int64(-2)  # instead of a cell: all of them
NONE = np.int64(0)

MOVE = record(number=np.int64, rows=np.int64, group=np.int64)  # rows of an item that have gone to a group


def move_rows(draft: Draft, rounds: int) -> int:
    """Goes through all groups until no move is left that lowers the loss, or `rounds` times; gives how many moves there were."""
    return int(move_loop(draft, empty_records(len(draft.aside.place), MOVE), rounds))


@loop
def move_loop(draft: Draft, undo: Records, rounds: int) -> int:
    groups, k, moves = draft.groups, draft.k, 0
    settled = np.full(groups.now[0].groups, -1.0)  # what a group lost when all its moves had been tried
    for _ in range(rounds):
        before = moves
        for group in range(groups.now[0].groups):
            own = groups.of[group]
            lost = own.rows * own.loss
            if lost == 0.0 or lost == settled[group] or draft.state[STOP] != 0:
                continue
            if own.rows > k:
                moves += _move_parts(draft, group)
                moves += _move_cells(draft, group, undo)
            if 0 < own.rows < 2 * k and own.loss > 0.0:
                moves += _move_all(draft, group, WHOLE, undo)
            settled[group] = own.rows * own.loss
        if moves == before:
            break
    return moves


@making
def _move_parts(draft: Draft, group: int) -> int:
    groups, own, moves = draft.groups, draft.groups.of[group], 0
    cells = cells_of(groups, group)
    alone = _alone(cells)
    for i in range(len(cells) - 1, -1, -1):
        part = own.begin + i
        rows, item = groups.part[part].rows, groups.part[part].number
        left = own.rows - rows
        if left < draft.k or own.loss == 0.0 or not may_go(groups, group, part, rows):
            continue
        rest = loss_without(groups, group, part, np.int64(-1)) if alone[i] else own.loss
        saved = own.rows * own.loss - left * rest - LEAST_GAIN
        if saved <= 0.0:
            continue
        place = cheapest_place(draft, Wanted(item, rows, group, saved / rows, NONE))
        if place.group >= 0:
            put(groups, place.group, item, rows)
            take(groups, group, own.begin + i, rows)
            widen(draft, place.group, cells[i])
            moves += 1
    return moves


@making
def _alone(cells: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether no other part has its cell, so that the box may be smaller without it."""
    order, alone = sorted_order(cells), np.ones(len(cells), dtype=np.bool_)
    for i in range(1, len(cells)):
        if cells[order[i]] == cells[order[i - 1]]:
            alone[order[i]] = alone[order[i - 1]] = False
    return alone


@making
def _move_cells(draft: Draft, group: int, undo: Records) -> int:
    """Each cell that has several parts, if the group has several cells."""
    moves, unsorted = 0, cells_of(draft.groups, group)
    cells = unsorted[sorted_order(unsorted)]
    for i in range(len(cells) - 1):
        first = i == 0 or cells[i] != cells[i - 1]
        if first and cells[i] == cells[i + 1] and cells[0] != cells[-1]:
            moves += _move_all(draft, group, cells[i], undo)
    return moves


@inner
def _move_all(draft: Draft, group: int, cell: int, undo: Records) -> int:
    """Moves all rows of a cell, or of the group, each part to where it costs least; or none if they cost more than they save."""
    groups, own = draft.groups, draft.groups.of[group]
    rows, many = np.int64(0), 0
    for i in range(own.begin, own.begin + own.parts):
        part = groups.part[i]
        if cell == WHOLE or cell == part.cell:
            undo[many].number, undo[many].rows = part.number, part.rows
            rows += part.rows
            many += 1
    if cell != WHOLE and own.rows - rows < draft.k:
        return 0
    rest = 0.0 if cell == WHOLE else loss_without(groups, group, np.int64(-1), cell)
    if cell != WHOLE and rest >= own.loss:
        return 0
    moved = _move_each(draft, group, undo[:many], own.rows * own.loss - (own.rows - rows) * rest - LEAST_GAIN)
    if moved == many and (own.rows == 0 or keeps_all(groups, group)):
        return moved  # type: ignore[no-any-return]
    for i in range(moved - 1, -1, -1):
        gone = undo[i]
        take(groups, gone.group, part_of(groups, gone.group, gone.number), gone.rows)
        put(groups, group, gone.number, gone.rows)
    return 0


@inner
def _move_each(draft: Draft, group: int, moves: Records, saved: float) -> int:
    """How many of the rows have moved, one part after the other, before what is saved was used up."""
    groups = draft.groups
    for i in range(len(moves)):
        move = moves[i]
        place = cheapest_place(draft, Wanted(move.number, move.rows, group, saved / move.rows, NONE))
        if place.group < 0:
            return i
        put(groups, place.group, move.number, move.rows)
        widen(draft, place.group, groups.items.item[move.number].cell)
        take(groups, group, part_of(groups, group, move.number), move.rows)
        saved -= place.cost
        move.group = place.group
    return len(moves)
