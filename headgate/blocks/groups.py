"""Groups in the making: each has parts (so many rows of an item), in the order of the first limit's values, its box, and for every part and
limit how many rows of the group are similar to it. All are kept up to date, so that whether a row may come or go is seen at a glance.

The parts of a group lie side by side in a common store: looking through them is what takes the time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.xcolor.axes import FIRST, FLAT, SHAPE, published_key, stretch_loss
from headgate.xcolor.compiled import FORM, RANGE, START, Nearness, alike
from headgate.xcolor.counting import near_rows
from headgate.xcolor.items import Items
from headgate.xcolor.loops import inner, loop, making

NOWHERE = 2**31
SLACK = 4  # free places beside the parts of a group


class Groups(NamedTuple):
    """Group g has the parts begin[g] … begin[g] + parts[g]; places up to begin[g] + places[g] are its own."""

    item: NDArray[np.int64]  # of each part
    count: NDArray[np.int64]
    value: NDArray[np.int32]  # parts × limits
    near: NDArray[np.int64]  # parts × limits: rows of the group similar to the part, its own included
    begin: NDArray[np.int64]  # of each group
    parts: NDArray[np.int64]
    places: NDArray[np.int64]
    size: NDArray[np.int64]  # rows
    low: NDArray[np.int64]  # groups × axes: the positions that its box spans
    high: NDArray[np.int64]
    different: NDArray[np.int64]  # values on FLAT axes
    loss: NDArray[np.float64]  # loss(G)
    top: NDArray[np.int64]  # where the free part of the store begins
    seen: NDArray[np.int64]  # scratch: what was seen at the moment `clock`
    clock: NDArray[np.int64]


@loop
def empty_groups(items: Items, groups: int, parts: int) -> Groups:
    kinds, width = items.limits.value.shape[1], len(items.axes.facts)
    return Groups(
        np.zeros(parts, np.int64),
        np.zeros(parts, np.int64),
        np.zeros((parts, kinds), np.int32),
        np.zeros((parts, kinds), np.int64),
        np.zeros(groups, np.int64),
        np.zeros(groups, np.int64),
        np.zeros(groups, np.int64),
        np.zeros(groups, np.int64),
        np.full((groups, width), NOWHERE, np.int64),
        np.full((groups, width), -1, np.int64),
        np.zeros((groups, width), np.int64),
        np.zeros(groups),
        np.zeros(1, np.int64),
        np.full(len(items.axes.place) + 1, -1, np.int64),
        np.zeros(1, np.int64),
    )


@making
def fill(items: Items, groups: Groups, group: int, cells: NDArray[np.int64]) -> bool:
    """Makes a group of all rows of some cells. False if the store is full, and nothing has happened."""
    limits, many = items.limits, np.int64(0)
    for cell in cells:
        many += items.start[cell + 1] - items.start[cell]
    if not _make_places(groups, group, many):
        return False
    own, keys, at = np.empty(many, dtype=np.int64), np.empty(many, dtype=np.int64), 0
    for cell in cells:
        for item in range(items.start[cell], items.start[cell + 1]):
            own[at] = item
            keys[at] = limits.value[item, 0] if limits.value.shape[1] > 0 else 0
            at += 1
    order, begin = np.argsort(keys, kind="mergesort") if len(cells) > 1 else np.arange(many), groups.begin[group]
    counts = np.empty(many, dtype=np.int64)
    for i in range(many):
        item = own[order[i]]
        groups.item[begin + i], groups.count[begin + i], counts[i] = item, items.rows[item], items.rows[item]
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
def _make_places(groups: Groups, group: int, wanted: int) -> bool:
    """Moves a group to the end of the store, where it has more places; the whole store closes up if need be."""
    if wanted <= groups.places[group]:
        return True
    places = wanted + wanted // 2 + SLACK
    if groups.top[0] + places > len(groups.item):
        _close_up(groups)
        places = wanted + SLACK
        if groups.top[0] + places > len(groups.item):
            return False
    source, target, many = groups.begin[group], groups.top[0], groups.parts[group]
    for i in range(many):
        _copy(groups, source + i, target + i)
    groups.begin[group], groups.places[group] = target, places
    groups.top[0] += places
    return True


@inner
def _copy(groups: Groups, source: int, target: int) -> None:
    groups.item[target], groups.count[target] = groups.item[source], groups.count[source]
    for l in range(groups.near.shape[1]):  # noqa: E741
        groups.value[target, l], groups.near[target, l] = groups.value[source, l], groups.near[source, l]


@making
def _close_up(groups: Groups) -> None:
    """Every group keeps a few free places only."""
    top = np.int64(0)
    for group in np.argsort(groups.begin, kind="mergesort"):
        if groups.places[group] == 0:
            continue
        source, many = groups.begin[group], groups.parts[group]
        groups.places[group] = min(groups.places[group], many + SLACK) if many > 0 else 0
        for i in range(many):
            _copy(groups, source + i, top + i)
        groups.begin[group] = top
        top += groups.places[group]
    groups.top[0] = top


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
        if not _make_places(groups, group, groups.parts[group] + 1):
            return False
        end = groups.begin[group] + groups.parts[group]
        part = _first_at(groups, group, limits.value[item, 0]) if kinds > 0 else int(end)
        for place in range(end, part, -1):
            _copy(groups, place - 1, place)
        groups.parts[group] += 1
        groups.item[part], groups.count[part] = item, 0
        for l in range(kinds):  # noqa: E741
            groups.value[part, l] = limits.value[item, l]
            groups.near[part, l] = _rows_near(items, groups, group, l, limits.value[item, l])
    groups.count[part] += rows
    groups.size[group] += rows
    for l in range(kinds):  # noqa: E741
        _change_near(items, groups, group, l, limits.value[item, l], rows)
    cell = items.cell[item]
    for axis in range(len(items.axes.facts)):
        p = items.axes.position[cell, axis]
        outside = p < groups.low[group, axis] or p > groups.high[group, axis]
        if outside or (items.axes.facts[axis, SHAPE] == FLAT and not _all_between(groups, group, axis)):
            enclose(items, groups, group)
            break
    return True


@inner
def take(items: Items, groups: Groups, group: int, part: int, rows: int) -> None:
    """Takes rows of one part away. Parts behind it move up when it has none left."""
    groups.count[part] -= rows
    groups.size[group] -= rows
    for l in range(items.limits.value.shape[1]):  # noqa: E741
        _change_near(items, groups, group, l, groups.value[part, l], -rows)
    if groups.count[part] > 0:
        return
    groups.parts[group] -= 1
    for place in range(part, groups.begin[group] + groups.parts[group]):
        _copy(groups, place + 1, place)
    if groups.loss[group] > 0.0 or groups.size[group] == 0:
        enclose(items, groups, group)


@inner
def empty(items: Items, groups: Groups, group: int) -> None:
    """Takes all rows away."""
    groups.parts[group], groups.size[group] = 0, 0
    enclose(items, groups, group)


@inner
def _window(items: Items, groups: Groups, group: int, l: int, v: int) -> tuple[int, int, int, int]:  # noqa: E741
    """Where the parts similar to v may be, and the values that they may have: all parts and values where the limit has no order."""
    limits, begin = items.limits, groups.begin[group]
    end = begin + groups.parts[group]
    if limits.facts[l, FORM] > RANGE:
        return int(begin), int(end), 0, NOWHERE
    first, last = limits.ends[limits.facts[l, START] + v, 0], limits.ends[limits.facts[l, START] + v, 1]
    if l == 0:
        return _first_at(groups, group, first), int(end), int(first), int(last)
    return int(begin), int(end), int(first), int(last)


@inner
def _rows_near(items: Items, groups: Groups, group: int, l: int, v: int) -> int:  # noqa: E741
    begin, end, first, last = _window(items, groups, group, l, v)
    ranged, total = items.limits.facts[l, FORM] <= RANGE, 0
    for part in range(begin, end):
        u = groups.value[part, l]
        if ranged and l == 0 and u > last:
            break
        if alike(items.limits, l, v, u):
            total += groups.count[part]
    return total


@inner
def _change_near(items: Items, groups: Groups, group: int, l: int, v: int, rows: int) -> None:  # noqa: E741
    """So many rows of value v have come (or gone)."""
    begin, end, first, last = _window(items, groups, group, l, v)
    ranged = items.limits.facts[l, FORM] <= RANGE
    for part in range(begin, end):
        u = groups.value[part, l]
        if ranged and l == 0 and u > last:
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
        fullest = fullest_near(limits, groups, group, l, v)
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
def fullest_near(limits: Nearness, groups: Groups, group: int, l: int, v: int) -> int:  # noqa: E741
    """The fullest neighbourhood that a row of value v would join, or make; −1 if it is of no centre."""
    begin, start, own, fullest = groups.begin[group], limits.facts[l, START], 0, -1
    end = begin + groups.parts[group]
    first, last, ranged = 0, NOWHERE, limits.facts[l, FORM] <= RANGE
    if ranged:
        first, last = limits.ends[start + v, 0], limits.ends[start + v, 1]
        if l == 0:  # parts are in the order of these values
            begin = _first_at(groups, group, first)
    for part in range(begin, end):
        u = groups.value[part, l]
        if u > last and l == 0:
            break
        if (first <= u <= last) if ranged else alike(limits, l, v, u):
            own += groups.count[part]
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
            if near > cap and limits.centre[start + groups.value[other, l]] and not (other == part and groups.count[part] == rows):
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


@inner
def _all_between(groups: Groups, group: int, axis: int) -> bool:
    """Does the group have every value of a FLAT axis between its lowest and its highest?"""
    return bool(groups.different[group, axis] == groups.high[group, axis] - groups.low[group, axis] + 1)


@inner
def enclose(items: Items, groups: Groups, group: int) -> None:
    """The box of the group, and what it loses."""
    axes, total = items.axes, 0.0
    groups.clock[0] += 1
    for axis in range(len(axes.facts)):
        groups.low[group, axis], groups.high[group, axis], groups.different[group, axis] = NOWHERE, -1, 0
    last = np.int64(-1)
    for part in range(groups.begin[group], groups.begin[group] + groups.parts[group]):
        cell = items.cell[groups.item[part]]
        if cell == last:
            continue
        last = cell
        for axis in range(len(axes.facts)):
            p = np.int64(axes.position[cell, axis])
            groups.low[group, axis], groups.high[group, axis] = min(groups.low[group, axis], p), max(groups.high[group, axis], p)
            if axes.facts[axis, SHAPE] == FLAT and groups.seen[axes.facts[axis, FIRST] + p] != groups.clock[0]:
                groups.seen[axes.facts[axis, FIRST] + p] = groups.clock[0]
                groups.different[group, axis] += 1
    if groups.parts[group] > 0:
        for axis in range(len(axes.facts)):
            total += stretch_loss(axes, axis, groups.low[group, axis], groups.high[group, axis], groups.different[group, axis])
    groups.loss[group] = total


@inner
def loss_without(items: Items, groups: Groups, group: int, gone: int, cell_gone: int) -> float:
    """loss(G) without one part, or without one cell."""
    axes, total = items.axes, 0.0
    for axis in range(len(axes.facts)):
        low, high, different = np.int64(NOWHERE), np.int64(-1), 0
        groups.clock[0] += 1
        for part in range(groups.begin[group], groups.begin[group] + groups.parts[group]):
            cell = items.cell[groups.item[part]]
            if part != gone and cell != cell_gone:
                p = np.int64(axes.position[cell, axis])
                low, high = min(low, p), max(high, p)
                if axes.facts[axis, SHAPE] == FLAT and groups.seen[axes.facts[axis, FIRST] + p] != groups.clock[0]:
                    groups.seen[axes.facts[axis, FIRST] + p] = groups.clock[0]
                    different += 1
        if high >= 0:
            total += stretch_loss(axes, axis, low, high, different)
    return total


@inner
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


@inner
def _has(items: Items, groups: Groups, group: int, axis: int, p: int) -> bool:
    for part in range(groups.begin[group], groups.begin[group] + groups.parts[group]):
        if items.axes.position[items.cell[groups.item[part]], axis] == p:
            return True
    return False


@making
def cells_of(items: Items, groups: Groups, group: int) -> NDArray[np.int64]:
    """The cell of each part."""
    cells = np.empty(groups.parts[group], dtype=np.int64)
    for i in range(len(cells)):
        cells[i] = items.cell[groups.item[groups.begin[group] + i]]
    return cells


@loop
def keys_of_groups(items: Items, groups: Groups) -> NDArray[np.int64]:
    """A number that says what is published of each group; 0 for empty groups."""
    keys = np.zeros(len(groups.begin), dtype=np.int64)
    for group in range(len(keys)):
        if groups.parts[group] > 0:
            keys[group] = published_key(items.axes, cells_of(items, groups, group), groups.seen, groups.clock)[0]
    return keys
