"""Groups in the making: each is a chain of parts (so many rows of an item), with its box and, for every part and limit, how many rows of the
group are similar to it. All are kept up to date, so that whether a row may come or go is seen at a glance."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from headgate.xcolor.axes import FIRST, FLAT, SHAPE, published_key, stretch_loss
from headgate.xcolor.compiled import FORM, RANGE, START, similar
from headgate.xcolor.items import Items
from headgate.xcolor.counting import near_rows

NOWHERE = 2**31


class Groups(NamedTuple):
    item: NDArray[np.int64]  # of each part
    count: NDArray[np.int64]
    following: NDArray[np.int64]  # the next part of the same group, −1 at its end; of unused parts, the next unused one
    near: NDArray[np.int64]  # parts × limits: rows of the group similar to the part, its own included
    head: NDArray[np.int64]  # of each group: its first part, −1 if it is empty
    size: NDArray[np.int64]
    low: NDArray[np.int64]  # groups × axes: the positions that its box spans
    high: NDArray[np.int64]
    different: NDArray[np.int64]  # values on FLAT axes
    loss: NDArray[np.float64]  # loss(G)
    unused: NDArray[np.int64]  # the first unused part
    seen: NDArray[np.int64]  # scratch: what was seen at the moment `clock`
    clock: NDArray[np.int64]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def empty_groups(items: Items, groups: int, parts: int) -> Groups:
    kinds, width = items.limits.value.shape[1], len(items.axes.facts)
    following = np.arange(1, parts + 1)
    following[parts - 1] = -1
    return Groups(
        np.zeros(parts, np.int64),
        np.zeros(parts, np.int64),
        following,
        np.zeros((parts, kinds), np.int64),
        np.full(groups, -1, np.int64),
        np.zeros(groups, np.int64),
        np.full((groups, width), NOWHERE, np.int64),
        np.full((groups, width), -1, np.int64),
        np.zeros((groups, width), np.int64),
        np.zeros(groups),
        np.zeros(1, np.int64),
        np.full(len(items.axes.place) + 1, -1, np.int64),
        np.zeros(1, np.int64),
    )


@numba.njit(cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True)
def fill(items: Items, groups: Groups, group: int, cells: NDArray[np.int64]) -> None:
    """Makes a group of all rows of some cells."""
    for cell in cells:
        for item in range(items.start[cell], items.start[cell + 1]):
            part = groups.unused[0]
            groups.unused[0] = groups.following[part]
            groups.item[part], groups.count[part] = item, items.rows[item]
            groups.following[part] = groups.head[group]
            groups.head[group] = part
            groups.size[group] += items.rows[item]
    count_near(items, groups, group)
    enclose(items, groups, group)


@numba.njit(cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True)
def count_near(items: Items, groups: Groups, group: int) -> None:
    """For every part of a group, how many of its rows are similar to it."""
    limits, many, part = items.limits, 0, groups.head[group]
    while part >= 0:
        many += 1
        part = groups.following[part]
    parts, values, counts = np.empty(many, dtype=np.int64), np.empty(many, dtype=np.int64), np.empty(many, dtype=np.int64)
    part = groups.head[group]
    for i in range(many):
        parts[i] = part
        part = groups.following[part]
    for i in range(many):
        counts[i] = groups.count[parts[i]]
    for l in range(limits.value.shape[1]):  # noqa: E741
        for i in range(many):
            values[i] = limits.value[groups.item[parts[i]], l]
        near = near_rows(limits, l, values, counts)
        for i in range(many):
            groups.near[parts[i], l] = near[i]


@numba.njit(cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True)
def put(items: Items, groups: Groups, group: int, item: int, rows: int) -> bool:
    """Adds rows of an item. False if there is no unused part left, and nothing has happened."""
    limits, part = items.limits, groups.head[group]
    while part >= 0 and groups.item[part] != item:
        part = groups.following[part]
    if part < 0:
        part = groups.unused[0]
        if part < 0:
            return False
        groups.unused[0] = groups.following[part]
        groups.item[part], groups.count[part] = item, 0
        groups.following[part] = groups.head[group]
        groups.head[group] = part
        _count_near(items, groups, group, part)
    groups.count[part] += rows
    groups.size[group] += rows
    for l in range(limits.value.shape[1]):  # noqa: E741
        change_near(items, groups, group, item, l, rows)
    cell = items.cell[item]
    for axis in range(len(items.axes.facts)):
        p = items.axes.position[cell, axis]
        outside = p < groups.low[group, axis] or p > groups.high[group, axis]
        if outside or (items.axes.facts[axis, SHAPE] == FLAT and not _all_between(groups, group, axis)):
            enclose(items, groups, group)
            break
    return True


@numba.njit(cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True)
def take(items: Items, groups: Groups, group: int, part: int, rows: int) -> None:
    """Takes rows of one part away."""
    item = groups.item[part]
    groups.count[part] -= rows
    groups.size[group] -= rows
    for l in range(items.limits.value.shape[1]):  # noqa: E741
        change_near(items, groups, group, item, l, -rows)
    if groups.count[part] > 0:
        return
    if groups.head[group] == part:
        groups.head[group] = groups.following[part]
    else:
        before = groups.head[group]
        while groups.following[before] != part:
            before = groups.following[before]
        groups.following[before] = groups.following[part]
    groups.following[part] = groups.unused[0]
    groups.unused[0] = part
    enclose(items, groups, group)


@numba.njit(cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True)
def _count_near(items: Items, groups: Groups, group: int, part: int) -> None:
    limits, item = items.limits, groups.item[part]
    for l in range(limits.value.shape[1]):  # noqa: E741
        v, total = limits.value[item, l], 0
        other = groups.head[group]
        if limits.facts[l, FORM] <= RANGE:
            first, last = limits.ends[limits.facts[l, START] + v, 0], limits.ends[limits.facts[l, START] + v, 1]
            while other >= 0:
                if first <= limits.value[groups.item[other], l] <= last:
                    total += groups.count[other]
                other = groups.following[other]
        while other >= 0:
            if similar(limits, l, v, limits.value[groups.item[other], l]):
                total += groups.count[other]
            other = groups.following[other]
        groups.near[part, l] = total


@numba.njit(cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True)
def change_near(items: Items, groups: Groups, group: int, item: int, l: int, rows: int) -> None:  # noqa: E741
    """So many rows of an item have come (or gone)."""
    limits = items.limits
    v = limits.value[item, l]
    part = groups.head[group]
    if limits.facts[l, FORM] <= RANGE:
        first, last = limits.ends[limits.facts[l, START] + v, 0], limits.ends[limits.facts[l, START] + v, 1]
        while part >= 0:
            if first <= limits.value[groups.item[part], l] <= last:
                groups.near[part, l] += rows
            part = groups.following[part]
        return
    while part >= 0:
        if similar(limits, l, v, limits.value[groups.item[part], l]):
            groups.near[part, l] += rows
        part = groups.following[part]


@numba.njit(cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True)
def room_for(items: Items, groups: Groups, group: int, item: int, rows: int) -> int:
    """How many of these rows the group can take and keep every limit."""
    limits, size = items.limits, groups.size[group]
    for l in range(limits.value.shape[1]):  # noqa: E741
        v, own, fullest = limits.value[item, l], 0, -1
        ranged, start = limits.facts[l, FORM] <= RANGE, limits.facts[l, START]
        first, last = limits.ends[start + v, 0] if ranged else 0, limits.ends[start + v, 1] if ranged else 0
        part = groups.head[group]
        while part >= 0:
            u = limits.value[groups.item[part], l]
            if (first <= u <= last) if ranged else similar(limits, l, v, u):
                own += groups.count[part]
                if limits.centre[start + u]:
                    fullest = max(fullest, groups.near[part, l])
            part = groups.following[part]
        if limits.centre[start + v]:
            fullest = max(fullest, own)
        if fullest < 0:
            continue
        least, most = 0, rows  # every row more fills a neighbourhood by one, and makes room for at most one
        while least < most:
            middle = (least + most + 1) // 2
            if fullest + middle <= limits.allowed[l, size + middle]:
                least = middle
            else:
                most = middle - 1
        rows = least
        if rows == 0:
            return 0
    return rows


@numba.njit(cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True)
def may_go(items: Items, groups: Groups, group: int, part: int, rows: int) -> bool:
    """Does the group keep every limit without these rows of a part? It is smaller then, and may hold fewer similar ones."""
    limits, size = items.limits, groups.size[group] - rows
    for l in range(limits.value.shape[1]):  # noqa: E741
        cap, v, start = limits.allowed[l, size], limits.value[groups.item[part], l], limits.facts[l, START]
        other = groups.head[group]
        while other >= 0:
            u = limits.value[groups.item[other], l]
            if groups.near[other, l] > cap and limits.centre[start + u] and not (other == part and groups.count[part] == rows):
                if groups.near[other, l] - rows > cap or not similar(limits, l, v, u):
                    return False
            other = groups.following[other]
    return True


@numba.njit(cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True)
def _all_between(groups: Groups, group: int, axis: int) -> bool:
    """Does the group have every value of a FLAT axis between its lowest and its highest?"""
    return bool(groups.different[group, axis] == groups.high[group, axis] - groups.low[group, axis] + 1)


@numba.njit(cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True)
def enclose(items: Items, groups: Groups, group: int) -> None:
    """The box of the group, and what it loses."""
    axes, total = items.axes, 0.0
    groups.clock[0] += 1
    for axis in range(len(axes.facts)):
        groups.low[group, axis], groups.high[group, axis], groups.different[group, axis] = NOWHERE, -1, 0
    part, last = groups.head[group], np.int64(-1)
    while part >= 0:
        cell = items.cell[groups.item[part]]
        if cell != last:
            last = cell
            for axis in range(len(axes.facts)):
                p = np.int64(axes.position[cell, axis])
                groups.low[group, axis], groups.high[group, axis] = min(groups.low[group, axis], p), max(groups.high[group, axis], p)
                if axes.facts[axis, SHAPE] == FLAT and groups.seen[axes.facts[axis, FIRST] + p] != groups.clock[0]:
                    groups.seen[axes.facts[axis, FIRST] + p] = groups.clock[0]
                    groups.different[group, axis] += 1
        part = groups.following[part]
    if groups.size[group] > 0:
        for axis in range(len(axes.facts)):
            total += stretch_loss(axes, axis, groups.low[group, axis], groups.high[group, axis], groups.different[group, axis])
    groups.loss[group] = total


@numba.njit(cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True)
def loss_without(items: Items, groups: Groups, group: int, gone: int, cell_gone: int) -> float:
    """loss(G) without one part, or without one cell."""
    axes, total = items.axes, 0.0
    for axis in range(len(axes.facts)):
        low, high, different = np.int64(NOWHERE), np.int64(-1), 0
        groups.clock[0] += 1
        part, last = groups.head[group], np.int64(cell_gone)
        while part >= 0:
            cell = items.cell[groups.item[part]]
            if part != gone and cell != last and cell != cell_gone:
                last = cell
                p = np.int64(axes.position[cell, axis])
                low, high = min(low, p), max(high, p)
                if axes.facts[axis, SHAPE] == FLAT and groups.seen[axes.facts[axis, FIRST] + p] != groups.clock[0]:
                    groups.seen[axes.facts[axis, FIRST] + p] = groups.clock[0]
                    different += 1
            part = groups.following[part]
        if high >= 0:
            total += stretch_loss(axes, axis, low, high, different)
    return total


@numba.njit(cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True)
def loss_with(items: Items, groups: Groups, group: int, cell: int) -> float:
    """loss(G) of the group and one cell more."""
    axes, total = items.axes, 0.0
    for axis in range(len(axes.facts)):
        p = np.int64(axes.position[cell, axis])
        low, high, different = min(groups.low[group, axis], p), max(groups.high[group, axis], p), groups.different[group, axis]
        if low == high:
            continue
        if axes.facts[axis, SHAPE] == FLAT and (
            p < groups.low[group, axis]
            or p > groups.high[group, axis]
            or (not _all_between(groups, group, axis) and not _has(items, groups, group, axis, p))
        ):
            different += 1
        total += stretch_loss(axes, axis, low, high, different)
    return total


@numba.njit(cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True)
def _has(items: Items, groups: Groups, group: int, axis: int, p: int) -> bool:
    part = groups.head[group]
    while part >= 0:
        if items.axes.position[items.cell[groups.item[part]], axis] == p:
            return True
        part = groups.following[part]
    return False


@numba.njit(cache=True, nogil=True, error_model="numpy")
def keys_of_groups(items: Items, groups: Groups) -> NDArray[np.int64]:
    """A number that says what is published of each group; 0 for empty groups."""
    keys = np.zeros(len(groups.head), dtype=np.int64)
    cells = np.empty(len(items.weight), dtype=np.int64)
    for group in range(len(keys)):
        many, part = 0, groups.head[group]
        while part >= 0:
            cell = items.cell[groups.item[part]]
            if (many == 0 or cells[many - 1] != cell) and many < len(cells):
                cells[many] = cell
                many += 1
            part = groups.following[part]
        if many > 0:
            keys[group] = published_key(items.axes, cells[:many], groups.seen, groups.clock)[0]
    return keys
