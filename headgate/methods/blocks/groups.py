"""Groups in the making: each has parts (so many rows of an item), in the order of the first limit's values, its box, and for every part and
limit how many rows of the group are similar to it. All are kept up to date, so that whether a row may come or go is seen at a glance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.grouping.axes import FLAT, SHAPE
from headgate.grouping.compiling import inner, making
from headgate.grouping.items import Items
from headgate.grouping.nearness import FORM, RANGE, START, alike
from headgate.grouping.neighbour_counts import near_rows
from headgate.grouping.sorting import sorted_order
from headgate.methods.blocks.losses import all_between, enclose
from headgate.methods.blocks.store import NOWHERE, Groups, copy_part, make_places


@making
def fill(items: Items, groups: Groups, group: int, cells: NDArray[np.int64]) -> bool:
    """Makes a group of all rows of some cells. False if the store is full, and nothing has happened."""
    limits, many = items.limits, np.int64(0)
    for cell in cells:
        many += items.start[cell + 1] - items.start[cell]
    if not make_places(groups, group, many):
        return False
    own, keys, at = np.empty(many, dtype=np.int64), np.empty(many, dtype=np.int64), 0
    for cell in cells:
        for item in range(items.start[cell], items.start[cell + 1]):
            own[at] = item
            keys[at] = limits.value[item, 0] if limits.value.shape[1] > 0 else 0
            at += 1
    order, begin = sorted_order(keys), groups.begin[group]
    counts = np.empty(many, dtype=np.int64)
    for i in range(many):
        item = own[order[i]]
        groups.item[begin + i], groups.rows[begin + i], counts[i] = item, items.rows[item], items.rows[item]
        groups.size[group] += items.rows[item]
    groups.parts[group] = many
    for l in range(limits.value.shape[1]):  # noqa: E741
        for i in range(many):
            keys[i] = limits.value[groups.item[begin + i], l]
            groups.value[begin + i, l] = keys[i]
        groups.near[begin : begin + many, l] = near_rows(limits, l, keys, counts)
    enclose(items, groups, group)
    return True


@inner
def _first_at(groups: Groups, group: int, value: int) -> int:
    """The group's first part whose value of the first limit is no less."""
    low, high = groups.begin[group], groups.begin[group] + groups.parts[group]
    while low < high:
        middle = (low + high) // 2
        if groups.value[middle, 0] < value:
            low = middle + 1
        else:
            high = middle
    return int(low)


@inner
def part_of(items: Items, groups: Groups, group: int, item: int) -> int:
    """The part of an item in a group, −1 if there is none."""
    end = groups.begin[group] + groups.parts[group]
    if items.limits.value.shape[1] == 0:
        part = groups.begin[group]
        while part < end and groups.item[part] != item:
            part += 1
    else:
        part = _first_at(groups, group, items.limits.value[item, 0])
        while part < end and groups.item[part] != item:
            if groups.value[part, 0] != items.limits.value[item, 0]:
                return -1
            part += 1
    return int(part) if part < end else -1


@inner
def put(items: Items, groups: Groups, group: int, item: int, rows: int) -> bool:
    """Adds rows of an item. False if the store is full, and nothing has happened."""
    limits = items.limits
    kinds = limits.value.shape[1]
    part = part_of(items, groups, group, item)
    if part < 0:
        if not make_places(groups, group, groups.parts[group] + 1):
            return False
        end = groups.begin[group] + groups.parts[group]
        part = _first_at(groups, group, limits.value[item, 0]) if kinds > 0 else int(end)
        for place in range(end, part, -1):
            copy_part(groups, place - 1, place)
        groups.parts[group] += 1
        groups.item[part], groups.rows[part] = item, 0
        for l in range(kinds):  # noqa: E741
            groups.value[part, l] = limits.value[item, l]
            groups.near[part, l] = _rows_near(items, groups, group, l, limits.value[item, l])
    groups.rows[part] += rows
    groups.size[group] += rows
    for l in range(kinds):  # noqa: E741
        _change_near(items, groups, group, l, limits.value[item, l], rows)
    cell = items.cell[item]
    for axis in range(len(items.axes.facts)):
        p = items.axes.position[cell, axis]
        outside = p < groups.low[group, axis] or p > groups.high[group, axis]
        if outside or (items.axes.facts[axis, SHAPE] == FLAT and not all_between(groups, group, axis)):
            enclose(items, groups, group)
            break
    return True


@inner
def take(items: Items, groups: Groups, group: int, part: int, rows: int) -> None:
    """Takes rows of one part away. Parts behind it move up when it has none left."""
    groups.rows[part] -= rows
    groups.size[group] -= rows
    for l in range(items.limits.value.shape[1]):  # noqa: E741
        _change_near(items, groups, group, l, groups.value[part, l], -rows)
    if groups.rows[part] > 0:
        return
    groups.parts[group] -= 1
    for place in range(part, groups.begin[group] + groups.parts[group]):
        copy_part(groups, place + 1, place)
    if groups.loss[group] > 0.0 or groups.size[group] == 0:
        enclose(items, groups, group)


@inner
def empty(items: Items, groups: Groups, group: int) -> None:
    """Takes all rows away."""
    groups.parts[group], groups.size[group] = 0, 0
    enclose(items, groups, group)


@inner
def _window(items: Items, groups: Groups, group: int, l: int, v: int) -> tuple[int, int, int]:  # noqa: E741
    """Among which parts those similar to v are, and the last value that they may have: only the first limit's values are in order."""
    limits, begin = items.limits, groups.begin[group]
    end = begin + groups.parts[group]
    if limits.facts[l, FORM] > RANGE or l > 0:
        return int(begin), int(end), NOWHERE
    start = limits.facts[l, START]
    return _first_at(groups, group, limits.ends[start + v, 0]), int(end), int(limits.ends[start + v, 1])


@inner
def _rows_near(items: Items, groups: Groups, group: int, l: int, v: int) -> int:  # noqa: E741
    begin, end, last = _window(items, groups, group, l, v)
    total = 0
    for part in range(begin, end):
        u = groups.value[part, l]
        if u > last:
            break
        if alike(items.limits, l, v, u):
            total += groups.rows[part]
    return total


@inner
def _change_near(items: Items, groups: Groups, group: int, l: int, v: int, rows: int) -> None:  # noqa: E741
    """So many rows of value v have come (or gone)."""
    begin, end, last = _window(items, groups, group, l, v)
    for part in range(begin, end):
        u = groups.value[part, l]
        if u > last:
            break
        if alike(items.limits, l, v, u):
            groups.near[part, l] += rows


@inner
def room_for(items: Items, groups: Groups, group: int, item: int, rows: int, size: int) -> int:
    """How many of these rows the group can take and keep every limit; as a group of `size` rows in the end, if that is not 0."""
    limits, here = items.limits, groups.size[group]
    value, allowed = limits.value, limits.allowed
    for l in range(value.shape[1]):  # noqa: E741
        v = value[item, l]
        fullest = fullest_near(items, groups, group, l, v)
        if fullest < 0:
            continue
        if size > 0:
            rows = min(rows, allowed[l, size] - fullest)
        elif fullest + rows > allowed[l, here + rows]:
            least, most = 0, rows - 1  # every row more fills a neighbourhood by one, and makes room for at most one
            while least < most:
                middle = (least + most + 1) // 2
                if fullest + middle <= allowed[l, here + middle]:
                    least = middle
                else:
                    most = middle - 1
            rows = least
        if rows <= 0:
            return 0
    return int(rows)


@inner
def fullest_near(items: Items, groups: Groups, group: int, l: int, v: int) -> int:  # noqa: E741
    """The fullest neighbourhood that a row of value v would join, or make; −1 if it is of no centre."""
    limits, own, fullest = items.limits, 0, -1
    start = limits.facts[l, START]
    begin, end, last = _window(items, groups, group, l, v)
    for part in range(begin, end):
        u = groups.value[part, l]
        if u > last:
            break
        if alike(limits, l, v, u):
            own += groups.rows[part]
            if groups.near[part, l] > fullest and limits.centre[start + u]:
                fullest = groups.near[part, l]
    return int(max(fullest, own) if limits.centre[start + v] else fullest)


@inner
def may_go(items: Items, groups: Groups, group: int, part: int, rows: int) -> bool:
    """Does the group keep every limit without these rows of a part? It is smaller then, and may hold fewer similar ones."""
    limits, size = items.limits, groups.size[group] - rows
    for l in range(limits.value.shape[1]):  # noqa: E741
        cap, v, start = limits.allowed[l, size], groups.value[part, l], limits.facts[l, START]
        for other in range(groups.begin[group], groups.begin[group] + groups.parts[group]):
            near = groups.near[other, l]
            if near <= cap or not limits.centre[start + groups.value[other, l]] or (other == part and groups.rows[part] == rows):
                continue
            if near - rows > cap or not alike(limits, l, v, groups.value[other, l]):
                return False
    return True


@inner
def keeps(items: Items, groups: Groups, group: int, l: int) -> bool:  # noqa: E741
    """Does the group keep limit l?"""
    limits = items.limits
    cap, start = limits.allowed[l, groups.size[group]], limits.facts[l, START]
    for part in range(groups.begin[group], groups.begin[group] + groups.parts[group]):
        if groups.near[part, l] > cap and limits.centre[start + groups.value[part, l]]:
            return False
    return True


@inner
def keeps_all(items: Items, groups: Groups, group: int) -> bool:
    for l in range(items.limits.value.shape[1]):  # noqa: E741, SIM110 - compiled
        if not keeps(items, groups, group, l):
            return False
    return True
