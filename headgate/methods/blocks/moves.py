"""Rows move to other groups where that loses less and every group still keeps its limits and k rows: one part of a group, or all of a cell
where the group's box shrinks without it, or a whole group that the others can take in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.grouping.compiling import inner, loop, making
from headgate.grouping.items import Items
from headgate.grouping.sorting import sorted_order
from headgate.grouping.watch import STOP
from headgate.methods.blocks.groups import keeps_all, may_go, part_of, put, take
from headgate.methods.blocks.losses import cells_of, loss_without
from headgate.methods.blocks.placing import Aside, Search, cheapest_place, put_or_set_aside, widen
from headgate.methods.blocks.store import Groups
from headgate.methods.blocks.tree import Tree

LEAST_GAIN = 1e-9
WHOLE = np.int64(-2)  # instead of a cell: all of them


class Undo(NamedTuple):
    """What was moved, and where to."""

    item: NDArray[np.int64]
    rows: NDArray[np.int64]
    group: NDArray[np.int64]


@loop
def move_rows(items: Items, tree: Tree, groups: Groups, search: Search, aside: Aside, k: int, rounds: int, state: NDArray[np.int64]) -> int:
    """Goes through all groups until no move is left that lowers the loss, or `rounds` times; gives how many moves there were."""
    undo = Undo(np.empty(len(items.rows), np.int64), np.empty(len(items.rows), np.int64), np.empty(len(items.rows), np.int64))
    moves = 0
    settled = np.full(len(groups.size), -1.0)  # what a group lost when all its moves had been tried
    for _ in range(rounds):
        before = moves
        for group in range(search.many[0]):
            lost = groups.size[group] * groups.loss[group]
            if lost == 0.0 or lost == settled[group] or state[STOP] != 0:
                continue
            if groups.size[group] > k:
                moves += _move_parts(items, tree, groups, search, group, k)
                moves += _move_cells(items, tree, groups, search, aside, group, k, undo)
            if 0 < groups.size[group] < 2 * k and groups.loss[group] > 0.0:
                moves += _move_all(items, tree, groups, search, aside, group, WHOLE, k, undo)
            settled[group] = groups.size[group] * groups.loss[group]
        if moves == before:
            break
    return moves


@making
def _move_parts(items: Items, tree: Tree, groups: Groups, search: Search, group: int, k: int) -> int:
    moves, many = 0, groups.parts[group]
    cells = cells_of(items, groups, group)
    order = sorted_order(cells)
    alone = np.ones(many, dtype=np.bool_)  # no other part has its cell, so the box may be smaller without it
    for i in range(1, many):
        if cells[order[i]] == cells[order[i - 1]]:
            alone[order[i]] = alone[order[i - 1]] = False
    for i in range(many - 1, -1, -1):
        part = groups.begin[group] + i
        rows, item = groups.rows[part], groups.item[part]
        left = groups.size[group] - rows
        if left < k or groups.loss[group] == 0.0 or not may_go(items, groups, group, part, rows):
            continue
        rest = loss_without(items, groups, group, part, np.int64(-1)) if alone[i] else groups.loss[group]
        saved = groups.size[group] * groups.loss[group] - left * rest - LEAST_GAIN
        if saved <= 0.0:
            continue
        found = cheapest_place(items, tree, groups, search, item, rows, group, k, saved / rows, np.int64(0)).group
        if found >= 0 and put(items, groups, found, item, rows):
            take(items, groups, group, groups.begin[group] + i, rows)
            widen(items, tree, search, found, items.cell[item])
            moves += 1
    return moves


@making
def _move_cells(items: Items, tree: Tree, groups: Groups, search: Search, aside: Aside, group: int, k: int, undo: Undo) -> int:
    """Each cell that has several parts, if the group has several cells."""
    moves, found = 0, cells_of(items, groups, group)
    cells = found[sorted_order(found)]
    for i in range(len(cells) - 1):
        first = i == 0 or cells[i] != cells[i - 1]
        if first and cells[i] == cells[i + 1] and cells[0] != cells[-1]:
            moves += _move_all(items, tree, groups, search, aside, group, cells[i], k, undo)
    return moves


@inner
def _move_all(items: Items, tree: Tree, groups: Groups, search: Search, aside: Aside, group: int, cell: int, k: int, undo: Undo) -> int:
    """Moves all rows of a cell, or of the group, each part to where it costs least; or none if they cost more than they save."""
    size, rows, many = groups.size[group], np.int64(0), 0
    for part in range(groups.begin[group], groups.begin[group] + groups.parts[group]):
        if cell in (WHOLE, items.cell[groups.item[part]]):
            undo.item[many], undo.rows[many] = groups.item[part], groups.rows[part]
            rows += groups.rows[part]
            many += 1
    if cell != WHOLE and size - rows < k:
        return 0
    rest = 0.0 if cell == WHOLE else loss_without(items, groups, group, np.int64(-1), cell)
    if cell != WHOLE and rest >= groups.loss[group]:
        return 0
    saved = size * groups.loss[group] - (size - rows) * rest - LEAST_GAIN
    moved = 0
    while moved < many:
        item, count = undo.item[moved], undo.rows[moved]
        place = cheapest_place(items, tree, groups, search, item, count, group, k, saved / count, np.int64(0))
        if place.group < 0 or not put(items, groups, place.group, item, count):
            break
        widen(items, tree, search, place.group, items.cell[item])
        take(items, groups, group, part_of(items, groups, group, item), count)
        saved -= place.cost
        undo.group[moved] = place.group
        moved += 1
    if moved == many and (groups.size[group] == 0 or keeps_all(items, groups, group)):
        return moved
    for i in range(moved - 1, -1, -1):
        take(items, groups, undo.group[i], part_of(items, groups, undo.group[i], undo.item[i]), undo.rows[i])
        put_or_set_aside(items, groups, aside, group, undo.item[i], undo.rows[i])
    return 0
