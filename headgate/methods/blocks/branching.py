"""A new group branches off a large one: where rows do not fit in without widening all, a few rows go with them, and the rest stays as it
is; and where a group is one large cell with a few odd rows, those take the company they need and leave the cell alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.grouping.compiling import inner, making
from headgate.grouping.items import Items
from headgate.grouping.sorting import sorted_order
from headgate.methods.blocks.groups import empty, keeps_all, part_of, put, room_for, take
from headgate.methods.blocks.losses import cells_of
from headgate.methods.blocks.placing import Aside, Search, put_or_set_aside
from headgate.methods.blocks.store import Groups

ANY = np.int64(-1)  # instead of a cell: all of them


@inner
def branch_with(items: Items, groups: Groups, search: Search, aside: Aside, group: int, item: int, rows: int, size: int) -> int:
    """A new group of `size` rows: those of the item, the rest from `group`. Its number; −1 if one of the two would not keep its limits."""
    new = search.many[0]
    if new == len(groups.size) or not put(items, groups, new, item, rows):
        return -1
    if _fill_up(items, groups, group, new, size, ANY) and keeps_all(items, groups, group) and keeps_all(items, groups, new):
        _join_tree(search, group, new)
        return int(new)
    _give_back(items, groups, aside, group, new, item, rows)
    return -1


@making
def shed(items: Items, groups: Groups, search: Search, aside: Aside, group: int, k: int) -> bool:
    """Leaves the fullest cell of a group alone: all other rows, and as many of the cell as they need to be k, make a group of their own."""
    size, new, begin, many = groups.size[group], search.many[0], groups.begin[group], groups.parts[group]
    cells = cells_of(items, groups, group)
    order = sorted_order(cells)
    cell, fullest, rows = np.int64(-1), np.int64(0), np.int64(0)
    for i in range(many):
        rows = groups.rows[begin + order[i]] + (rows if i > 0 and cells[order[i]] == cells[order[i - 1]] else 0)
        if rows > fullest:
            cell, fullest = cells[order[i]], rows
    wanted = max(k, size - fullest)
    if fullest < k or fullest == size or size - wanted < k or new == len(groups.size):
        return False
    for i in range(many - 1, -1, -1):
        part = groups.begin[group] + i
        if cells[i] != cell:
            if not put(items, groups, new, groups.item[part], groups.rows[part]):
                break
            part = groups.begin[group] + i  # the store may have closed up
            take(items, groups, group, part, groups.rows[part])
    if (
        size - groups.size[new] == fullest
        and _fill_up(items, groups, group, new, wanted, cell)
        and keeps_all(items, groups, group)
        and keeps_all(items, groups, new)
    ):
        _join_tree(search, group, new)
        return True
    _give_back(items, groups, aside, group, new, ANY, np.int64(0))
    return False


@inner
def _join_tree(search: Search, group: int, new: int) -> None:
    """The new group is found in the same box of the tree."""
    search.many[0] += 1
    search.leaf[new] = search.leaf[group]
    search.beside[new] = search.beside[group]
    search.beside[group] = new


@making
def _fill_up(items: Items, groups: Groups, group: int, new: int, size: int, cell: int) -> bool:
    """Rows move from the group (or from one cell of it) to the new one until that has `size` rows: the most crowded first, and of each part
    no more than its share; then whatever fits."""
    wanted, here, many = size - groups.size[new], groups.size[group], groups.parts[group]
    if wanted <= 0:
        return True
    own, crowd = np.empty(many, dtype=np.int64), np.empty(many)
    for i in range(many):
        part = groups.begin[group] + i
        own[i], crowd[i] = groups.item[part], 0.0
        for l in range(groups.near.shape[1]):  # noqa: E741
            crowd[i] = max(crowd[i], groups.near[part, l] / max(1, items.limits.allowed[l, here]))
    order = np.argsort(-crowd, kind="mergesort")
    for freely in range(2):
        for i in order:
            if cell not in (ANY, items.cell[own[i]]):
                continue
            part = part_of(items, groups, group, own[i])
            if part < 0:
                continue
            count = groups.rows[part]
            share = count if freely else max(1, count * wanted // here)
            moving = room_for(items, groups, new, own[i], min(share, size - groups.size[new]), size)
            if moving > 0:
                if not put(items, groups, new, own[i], moving):
                    return False
                take(items, groups, group, part_of(items, groups, group, own[i]), moving)
                if groups.size[new] == size:
                    return True
    return False


@inner
def _give_back(items: Items, groups: Groups, aside: Aside, group: int, new: int, item: int, rows: int) -> None:
    """All rows go back where they came from, but those of the item that the new group began with."""
    for i in range(groups.parts[new]):
        part = groups.begin[new] + i
        own = groups.item[part]
        count = groups.rows[part] - (rows if own == item else 0)
        if count > 0:
            put_or_set_aside(items, groups, aside, group, own, count)
    empty(items, groups, new)


def sizes_of_new_groups(allowed: NDArray[np.int64], k: int) -> tuple[int, int]:
    """The size from k to 2k − 1 at which a group holds the largest share of similar rows (rounding favours some), and the one at which it
    does while any number of such groups together still keep the limits."""
    sizes = np.arange(k, min(2 * k, allowed.shape[1]))
    if len(allowed) == 0 or len(sizes) == 0:
        return k, k
    share = (allowed[:, sizes] / sizes).min(axis=0)
    return int(sizes[share.argmax()]), int(sizes[((allowed[:, sizes] - 1) / sizes).min(axis=0).argmax()])
