"""A new group branches off a large one: where a row does not fit in without widening all, a few rows go with it, and the rest stays as it
is; and where a group is one large cell with a few odd rows, those take the company they need and leave the cell alone."""

from __future__ import annotations

import numba
import numpy as np

from headgate.xcolor.compiled import START, similar
from headgate.blocks.groups import Groups, enclose, put, take
from headgate.xcolor.items import Items
from headgate.blocks.placing import Search, keeps


@numba.njit(cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True)
def branch_with(items: Items, groups: Groups, search: Search, group: int, item: int, rows: int, size: int) -> int:
    """A new group of `size` rows: those of the item, the rest from `group`. Its number, or −1 if one of the two would not keep its limits."""
    new = _new_group(groups, search)
    if new < 0 or not put(items, groups, new, item, rows):
        return -1
    if _fill_up(items, groups, group, new, size, -1) and _both_keep(items, groups, group, new):
        _join_tree(groups, search, group, new)
        return new
    _give_back(items, groups, group, new, item, rows)
    return -1


@numba.njit(cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True)
def shed(items: Items, groups: Groups, search: Search, group: int, k: int) -> bool:
    """Leaves the fullest cell of a group alone: all other rows, and as many of the cell as they need to be k, make a group of their own."""
    size, part, cell, fullest = groups.size[group], groups.head[group], np.int64(-1), np.int64(0)
    last, rows = np.int64(-1), np.int64(0)
    while part >= 0:  # the rows of a cell follow each other, but for those that came later
        if items.cell[groups.item[part]] != last:
            last, rows = items.cell[groups.item[part]], np.int64(0)
        rows += groups.count[part]
        if rows > fullest:
            cell, fullest = last, rows
        part = groups.following[part]
    if fullest < k or fullest == size:
        return False
    wanted = max(k, size - fullest)
    new = _new_group(groups, search)
    if size - wanted < k or new < 0:
        return False
    part = groups.head[group]
    while part >= 0:
        after, item, count = groups.following[part], groups.item[part], groups.count[part]
        if items.cell[item] != cell:
            if not put(items, groups, new, item, count):
                break
            take(items, groups, group, part, count)
        part = after
    if part < 0 and _fill_up(items, groups, group, new, wanted, cell) and _both_keep(items, groups, group, new):
        _join_tree(groups, search, group, new)
        return True
    _give_back(items, groups, group, new, -1, 0)
    return False


@numba.njit(cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True)
def _new_group(groups: Groups, search: Search) -> int:
    new = search.many[0]
    if new == len(groups.head):
        return -1
    return int(new)


@numba.njit(cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True)
def _join_tree(groups: Groups, search: Search, group: int, new: int) -> None:
    """The new group is found in the same box of the tree."""
    search.many[0] += 1
    search.leaf[new] = search.leaf[group]
    search.beside[new] = search.beside[group]
    search.beside[group] = new


@numba.njit(cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True)
def _fill_up(items: Items, groups: Groups, group: int, new: int, size: int, cell: int) -> bool:
    """Rows move from the group to the new one, one at a time, the most crowded in the old one first, until that has `size` rows."""
    limits = items.limits
    while groups.size[new] < size:
        part, chosen, most = groups.head[group], np.int64(-1), -1.0
        while part >= 0:
            crowd = 0.0
            for l in range(limits.value.shape[1]):  # noqa: E741
                crowd = max(crowd, groups.near[part, l] / max(1, limits.allowed[l, groups.size[group]]))
            if crowd > most and _fits(items, groups, new, groups.item[part], size):
                chosen, most = part, crowd
            part = groups.following[part]
        if chosen < 0 or not put(items, groups, new, groups.item[chosen], 1):
            return False
        take(items, groups, group, chosen, 1)
    return True


@numba.njit(cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True)
def _fits(items: Items, groups: Groups, group: int, item: int, size: int) -> bool:
    """May one row more come in, if the group is to have `size` rows in the end?"""
    limits = items.limits
    for l in range(limits.value.shape[1]):  # noqa: E741
        v, own, start, cap = limits.value[item, l], 1, limits.facts[l, START], limits.allowed[l, size]
        part = groups.head[group]
        while part >= 0:
            u = limits.value[groups.item[part], l]
            if similar(limits, l, v, u):
                own += groups.count[part]
                if groups.near[part, l] + 1 > cap and limits.centre[start + u]:
                    return False
            part = groups.following[part]
        if own > cap and limits.centre[start + v]:
            return False
    return True


@numba.njit(cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True)
def _both_keep(items: Items, groups: Groups, one: int, two: int) -> bool:
    for l in range(items.limits.value.shape[1]):  # noqa: E741
        if not keeps(items, groups, one, l) or not keeps(items, groups, two, l):
            return False
    return True


@numba.njit(cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True)
def _give_back(items: Items, groups: Groups, group: int, new: int, item: int, rows: int) -> None:
    """All rows go back where they came from, but those of the item that the new group began with."""
    while groups.head[new] >= 0:
        part = groups.head[new]
        count = groups.count[part] - (rows if groups.item[part] == item else 0)
        if count > 0:
            put(items, groups, group, groups.item[part], count)
        groups.head[new] = groups.following[part]
        groups.following[part] = groups.unused[0]
        groups.unused[0] = part
    groups.size[new] = 0
    enclose(items, groups, new)
