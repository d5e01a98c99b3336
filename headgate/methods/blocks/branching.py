"""A new group branches off a large one: where rows do not fit in without widening all, a few rows go with them, and the rest stays as it
is; and where a group is one large cell with a few odd rows, those take the company they need and leave the cell alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import Records, inner, making
from headgate.grouping.sorting import sorted_order
from headgate.methods.blocks.draft import Draft, Groups
from headgate.methods.blocks.groups import empty, keeps_all, part_of, put, room_for, take
from headgate.methods.blocks.losses import cells_of

ANY = np.int64(-1)  # instead of a cell: all of them


@inner
def branch_with(draft: Draft, group: int, item: int, rows: int, size: int) -> int:
    """A new group of `size` rows: those of the item, the rest from `group`. Its number; −1 if one of the two would not keep its limits."""
    groups, new = draft.groups, draft.groups.now[0].groups
    if new == len(groups.of):
        return -1
    empty(groups, new)
    put(groups, new, item, rows)
    if _fill_up(groups, group, new, size, ANY) and keeps_all(groups, group) and keeps_all(groups, new):
        _join_tree(groups, group, new)
        return int(new)
    _give_back(groups, group, new, item, rows)
    return -1


@making
def shed(draft: Draft, group: int) -> bool:
    """Leaves the fullest cell of a group alone: all other rows, and as many of the cell as they need to be k, make a group of their own."""
    groups, size, new = draft.groups, draft.groups.of[group].rows, draft.groups.now[0].groups
    cells = cells_of(groups, group)
    cell, fullest = _fullest_cell(groups, group, cells)
    wanted = max(draft.k, size - fullest)
    if fullest < draft.k or fullest == size or size - wanted < draft.k or new == len(groups.of):
        return False
    empty(groups, new)
    for i in range(len(cells) - 1, -1, -1):
        if cells[i] != cell:
            part = groups.part[groups.of[group].begin + i]
            number, rows = part.number, part.rows
            put(groups, new, number, rows)  # which may move the group
            take(groups, group, groups.of[group].begin + i, rows)
    if _fill_up(groups, group, new, wanted, cell) and keeps_all(groups, group) and keeps_all(groups, new):
        _join_tree(groups, group, new)
        return True
    _give_back(groups, group, new, ANY, np.int64(0))
    return False


@making
def _fullest_cell(groups: Groups, group: int, cells: NDArray[np.int64]) -> tuple[int, int]:
    """The cell with most rows of a group, whose parts are in these cells, and how many."""
    order, begin = sorted_order(cells), groups.of[group].begin
    cell, fullest, rows = np.int64(-1), np.int64(0), np.int64(0)
    for i in range(len(cells)):
        rows = groups.part[begin + order[i]].rows + (rows if i > 0 and cells[order[i]] == cells[order[i - 1]] else 0)
        if rows > fullest:
            cell, fullest = cells[order[i]], rows
    return cell, fullest  # type: ignore[return-value]


@inner
def _join_tree(groups: Groups, group: int, new: int) -> None:
    """The new group is found in the same box of the tree."""
    groups.now[0].groups += 1
    groups.of[new].leaf, groups.of[new].beside = groups.of[group].leaf, groups.of[group].beside
    groups.of[group].beside = new


@making
def _fill_up(groups: Groups, group: int, new: int, size: int, cell: int) -> bool:
    """Rows move from the group (or from one cell of it) to the new one until that has `size` rows: the most crowded first, and of each part
    no more than its share; then whatever fits."""
    wanted, here = size - groups.of[new].rows, groups.of[group].rows
    if wanted <= 0:
        return True
    was = records_of(groups, group)
    order = np.argsort(-_crowding(groups, group), kind="mergesort")
    for freely in range(2):
        for i in order:
            if cell != ANY and cell != was[i].cell:
                continue
            item = was[i].number
            part = part_of(groups, group, item)
            if part < 0:
                continue
            count = groups.part[part].rows
            share = count if freely else max(1, count * wanted // here)
            moving = room_for(groups, new, item, min(share, size - groups.of[new].rows), size)
            if moving > 0:
                put(groups, new, item, moving)
                take(groups, group, part_of(groups, group, item), moving)
                if groups.of[new].rows == size:
                    return True
    return False


@making
def _crowding(groups: Groups, group: int) -> NDArray[np.float64]:
    """How full the fullest neighbourhood of each part is, of all that a limit allows."""
    own, allowed = groups.of[group], groups.items.limits.allowed
    crowding = np.zeros(own.parts)
    for i in range(own.parts):
        for l in range(groups.crowd.shape[1]):  # noqa: E741
            crowding[i] = max(crowding[i], groups.crowd[own.begin + i, l].near / max(1, allowed[l, own.rows]))
    return crowding


@making
def _give_back(groups: Groups, group: int, new: int, item: int, rows: int) -> None:
    """All rows go back where they came from, but those of the item that the new group began with."""
    was = records_of(groups, new)
    empty(groups, new)
    for part in was:
        count = part.rows - (rows if part.number == item else 0)
        if count > 0:
            put(groups, group, part.number, count)


@making
def records_of(groups: Groups, group: int) -> Records:
    """The parts of a group as they are now."""
    own = groups.of[group]
    return groups.part[own.begin : own.begin + own.parts].copy()


def sizes_of_new_groups(allowed: NDArray[np.int64], k: int) -> tuple[int, int]:
    """The size from k to 2k − 1 at which a group holds the largest share of similar rows (rounding favours some), and the one at which it
    does while any number of such groups together still keep the limits."""
    sizes = np.arange(k, min(2 * k, allowed.shape[1]))
    if len(allowed) == 0 or len(sizes) == 0:
        return k, k
    share = (allowed[:, sizes] / sizes).min(axis=0)
    return int(sizes[share.argmax()]), int(sizes[((allowed[:, sizes] - 1) / sizes).min(axis=0).argmax()])
