"""Rows move to other groups where that loses less and every group still keeps its limits and k rows: one part of a group, or all of a cell
where the group's box shrinks without it, or a whole group that the others can take in."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from headgate.blocks.groups import Groups, loss_without, may_go, put, take
from headgate.xcolor.items import Items
from headgate.blocks.placing import Search, cheapest_place, keeps, widen
from headgate.blocks.tree import Tree
from headgate.xcolor.watch import STOP

LEAST_GAIN = 1e-9
WHOLE = -2  # instead of a cell: all of them


class Undo(NamedTuple):
    """What was moved, and where to."""

    item: NDArray[np.int64]
    rows: NDArray[np.int64]
    group: NDArray[np.int64]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def move_rows(
    items: Items, tree: Tree, groups: Groups, search: Search, k: int, rounds: int, whole: bool, state: NDArray[np.int64]
) -> int:
    """Goes through all groups until no move is left that lowers the loss, or `rounds` times; gives how many moves there were."""
    undo = Undo(np.empty(len(items.rows), np.int64), np.empty(len(items.rows), np.int64), np.empty(len(items.rows), np.int64))
    moves = 0
    settled = np.full(len(groups.head), -1.0)  # what a group lost when all its moves had been tried
    for _ in range(rounds):
        before = moves
        for group in range(search.many[0]):
            lost = groups.size[group] * groups.loss[group]
            if lost == 0.0 or lost == settled[group] or state[STOP] != 0:
                continue
            if groups.size[group] > k:
                moves += _move_parts(items, tree, groups, search, group, k)
                moves += _move_cells(items, tree, groups, search, group, k, undo)
            if whole and 0 < groups.size[group] < 2 * k and groups.loss[group] > 0.0:
                moves += _move_all(items, tree, groups, search, group, WHOLE, k, undo)
            settled[group] = groups.size[group] * groups.loss[group]
        if moves == before:
            break
    return moves


@numba.njit(cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True)
def _move_parts(items: Items, tree: Tree, groups: Groups, search: Search, group: int, k: int) -> int:
    moves, part = 0, groups.head[group]
    while part >= 0:
        after = groups.following[part]
        rows, item = groups.count[part], groups.item[part]
        if groups.size[group] - rows >= k and may_go(items, groups, group, part, rows):
            left = groups.size[group] - rows
            saved = groups.size[group] * groups.loss[group] - left * loss_without(items, groups, group, part, -1)
            if saved > LEAST_GAIN:
                found = cheapest_place(items, tree, groups, search, item, rows, group, k, (saved - LEAST_GAIN) / rows, 0).group
                if found >= 0 and put(items, groups, found, item, rows):
                    take(items, groups, group, part, rows)
                    widen(items, tree, search, found, items.cell[item])
                    moves += 1
        part = after
    return moves


@numba.njit(cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True)
def _move_cells(items: Items, tree: Tree, groups: Groups, search: Search, group: int, k: int, undo: Undo) -> int:
    moves, cells, part, last = 0, 0, groups.head[group], np.int64(-1)
    while part >= 0:
        if items.cell[groups.item[part]] != last:
            last = items.cell[groups.item[part]]
            cells += 1
        part = groups.following[part]
    done = np.full(cells + 1, -1, dtype=np.int64)
    for turn in range(cells):
        part = groups.head[group]
        while part >= 0 and (done[:turn] == items.cell[groups.item[part]]).any():
            part = groups.following[part]
        if part < 0:
            break
        done[turn] = items.cell[groups.item[part]]
        moves += _move_all(items, tree, groups, search, group, done[turn], k, undo)
    return moves


@numba.njit(cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True)
def _move_all(items: Items, tree: Tree, groups: Groups, search: Search, group: int, cell: int, k: int, undo: Undo) -> int:
    """Moves all rows of a cell, or of the group, each part to where it costs least; or none if they cost more than they save."""
    size, part, rows = groups.size[group], groups.head[group], np.int64(0)
    while part >= 0:
        if cell in (WHOLE, items.cell[groups.item[part]]):
            rows += groups.count[part]
        part = groups.following[part]
    if cell != WHOLE and size - rows < k:
        return 0
    rest = 0.0 if cell == WHOLE else loss_without(items, groups, group, -1, cell)
    if cell != WHOLE and rest >= groups.loss[group]:
        return 0
    saved = size * groups.loss[group] - (size - rows) * rest - LEAST_GAIN
    moved, well = 0, True
    part = groups.head[group]
    while part >= 0 and well:
        after, item, count = groups.following[part], groups.item[part], groups.count[part]
        if cell in (WHOLE, items.cell[item]):
            place = cheapest_place(items, tree, groups, search, item, count, group, k, saved / count, 0)
            found, cost = place.group, place.cost
            if found < 0 or not put(items, groups, found, item, count):
                well = False
            else:
                widen(items, tree, search, found, items.cell[item])
                take(items, groups, group, part, count)
                saved -= cost
                undo.item[moved], undo.rows[moved], undo.group[moved] = item, count, found
                moved += 1
        part = after
    for l in range(items.limits.value.shape[1]):  # noqa: E741
        well = well and (groups.size[group] == 0 or keeps(items, groups, group, l))
    if well:
        return moved
    for i in range(moved - 1, -1, -1):
        part = groups.head[undo.group[i]]
        while groups.item[part] != undo.item[i]:
            part = groups.following[part]
        take(items, groups, undo.group[i], part, undo.rows[i])
        put(items, groups, group, undo.item[i], undo.rows[i])
    return 0
