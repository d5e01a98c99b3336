"""How a group changes when rows come or go, and what it can take. What it keeps about itself is kept up to date, so that whether a row may
come or go is seen at a glance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import inlined, inner, making
from headgate.grouping.axes import FLAT
from headgate.grouping.nearness import RANGE, similar
from headgate.grouping.neighbour_counts import near_rows
from headgate.grouping.sorting import sorted_order
from headgate.methods.blocks.draft import Groups, copy_part, open_place
from headgate.methods.blocks.losses import all_between, enclose
from headgate.methods.blocks.sweep import NOWHERE


@making
def fill_with(groups: Groups, group: int, numbers: NDArray[np.int64], rows: NDArray[np.int64]) -> None:
    """Makes a group of so many rows of some items, behind all others."""
    limits, own, many = groups.items.limits, groups.of[group], len(numbers)
    keys, counts = np.zeros(many, dtype=np.int64), np.empty(many, dtype=np.int64)
    if limits.value.shape[1] > 0:
        for i in range(many):
            keys[i] = limits.value[numbers[i], 0]
    order = sorted_order(keys)
    own.begin, own.parts, own.places = groups.now[0].top, many, many
    for i in range(many):
        part, item = groups.part[own.begin + i], numbers[order[i]]
        part.number, part.cell, part.rows, counts[i] = item, groups.items.item[item].cell, rows[order[i]], rows[order[i]]
        own.rows += part.rows
    for l in range(limits.value.shape[1]):  # noqa: E741
        for i in range(many):
            keys[i] = limits.value[groups.part[own.begin + i].number, l]
        near = near_rows(limits, l, keys, counts)
        for i in range(many):
            crowd = groups.crowd[own.begin + i, l]
            crowd.value, crowd.near = keys[i], near[i]
    groups.now[0].top += many
    enclose(groups, group)


@inner
def _first_at(groups: Groups, group: int, value: int) -> int:
    """The group's first part whose value of the first limit is no less."""
    low = groups.of[group].begin
    high = low + groups.of[group].parts
    while low < high:
        middle = (low + high) // 2
        if groups.crowd[middle, 0].value < value:
            low = middle + 1
        else:
            high = middle
    return int(low)


@inner
def part_of(groups: Groups, group: int, item: int) -> int:
    """The part of an item in a group, −1 if there is none."""
    part, end, value = groups.of[group].begin, groups.of[group].begin + groups.of[group].parts, np.int32(0)
    in_order = groups.crowd.shape[1] > 0
    if in_order:
        value = groups.items.limits.value[item, 0]
        part = _first_at(groups, group, value)
    while part < end and groups.part[part].number != item:
        if in_order and groups.crowd[part, 0].value != value:
            return -1
        part += 1
    return int(part) if part < end else -1


@inner
def put(groups: Groups, group: int, item: int, rows: int) -> None:
    """Adds rows of an item."""
    items, own = groups.items, groups.of[group]
    part = part_of(groups, group, item)
    if part < 0:
        part = _add_part(groups, group, item)
    groups.part[part].rows += rows
    own.rows += rows
    for l in range(groups.crowd.shape[1]):  # noqa: E741
        _change_near(groups, group, l, items.limits.value[item, l], rows)
    cell = items.item[item].cell
    for axis in range(len(items.axes.of)):
        p, span = items.axes.position[cell, axis], groups.span[group, axis]
        outside = p < span.low or p > span.high
        if outside or (items.axes.of[axis].form == FLAT and not all_between(groups, group, axis)):
            enclose(groups, group)
            break


@inlined
def _add_part(groups: Groups, group: int, item: int) -> int:
    """A part of an item that the group has none of, without rows yet."""
    value, own = groups.items.limits.value, groups.of[group]
    at = own.parts if groups.crowd.shape[1] == 0 else _first_at(groups, group, value[item, 0]) - own.begin
    place = open_place(groups, group, at)
    part = groups.part[place]
    part.number, part.cell, part.rows = item, groups.items.item[item].cell, 0
    for l in range(groups.crowd.shape[1]):  # noqa: E741
        groups.crowd[place, l].value = value[item, l]
    for l in range(groups.crowd.shape[1]):  # noqa: E741
        groups.crowd[place, l].near = rows_near(groups, group, l, value[item, l])
    return int(place)


@inner
def take(groups: Groups, group: int, part: int, rows: int) -> None:
    """Takes rows of one part away. Parts behind it move up when it has none left."""
    own = groups.of[group]
    groups.part[part].rows -= rows
    own.rows -= rows
    for l in range(groups.crowd.shape[1]):  # noqa: E741
        _change_near(groups, group, l, groups.crowd[part, l].value, -rows)
    if groups.part[part].rows > 0:
        return
    own.parts -= 1
    for place in range(part, own.begin + own.parts):
        copy_part(groups, place + 1, place)
    if own.loss > 0.0 or own.rows == 0:
        enclose(groups, group)


@inner
def empty(groups: Groups, group: int) -> None:
    """Takes all rows away."""
    groups.of[group].parts, groups.of[group].rows = 0, 0
    enclose(groups, group)


@inner
def _window(groups: Groups, group: int, l: int, v: int) -> tuple[int, int, int]:  # noqa: E741
    """The range of parts that contains all values similar to v, and the last value they may have; NOWHERE if all parts must be searched,
    because only the first limit's values are sorted."""
    limits, begin = groups.items.limits, groups.of[group].begin
    end = begin + groups.of[group].parts
    if limits.of[l].form > RANGE or l > 0:
        return int(begin), int(end), NOWHERE
    own = limits.own[limits.of[l].start + v]
    return _first_at(groups, group, own.first), int(end), int(own.last)


@inlined
def rows_near(groups: Groups, group: int, l: int, v: int) -> int:  # noqa: E741
    begin, end, last = _window(groups, group, l, v)
    total = 0
    for part in range(begin, end):
        u = groups.crowd[part, l].value
        if u > last:
            break
        if last < NOWHERE or similar(groups.items.limits, l, v, u):
            total += groups.part[part].rows
    return total


@inlined
def _change_near(groups: Groups, group: int, l: int, v: int, rows: int) -> None:  # noqa: E741
    """So many rows of value v have come (or gone)."""
    begin, end, last = _window(groups, group, l, v)
    for part in range(begin, end):
        crowd = groups.crowd[part, l]
        if crowd.value > last:
            break
        if last < NOWHERE or similar(groups.items.limits, l, v, crowd.value):
            crowd.near += rows


@inlined
def room_for(groups: Groups, group: int, item: int, rows: int, size: int) -> int:
    """How many of these rows the group can take and keep every limit; as a group of `size` rows in the end, if that is not 0."""
    value, allowed, here = groups.items.limits.value, groups.items.limits.allowed, groups.of[group].rows
    for l in range(value.shape[1]):  # noqa: E741
        fullest = fullest_near(groups, group, l, value[item, l])
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


@inlined
def fullest_near(groups: Groups, group: int, l: int, v: int) -> int:  # noqa: E741
    """The fullest neighbourhood that a row of value v would join, or make; −1 if it is of no centre."""
    limits, own, fullest = groups.items.limits, 0, -1
    start = limits.of[l].start
    begin, end, last = _window(groups, group, l, v)
    for part in range(begin, end):
        crowd = groups.crowd[part, l]
        if crowd.value > last:
            break
        if last < NOWHERE or similar(limits, l, v, crowd.value):
            own += groups.part[part].rows
            if crowd.near > fullest and limits.own[start + crowd.value].centre:
                fullest = crowd.near
    return int(max(fullest, own) if limits.own[start + v].centre else fullest)


@inner
def may_go(groups: Groups, group: int, part: int, rows: int) -> bool:
    """Does the group keep every limit without these rows of a part? It is smaller then, and may hold fewer similar ones."""
    limits, own, size = groups.items.limits, groups.of[group], groups.of[group].rows - rows
    for l in range(limits.value.shape[1]):  # noqa: E741
        cap, v, start = limits.allowed[l, size], groups.crowd[part, l].value, limits.of[l].start
        for other in range(own.begin, own.begin + own.parts):
            crowd = groups.crowd[other, l]
            if crowd.near <= cap or not limits.own[start + crowd.value].centre or (other == part and groups.part[part].rows == rows):
                continue
            if crowd.near - rows > cap or not similar(limits, l, v, crowd.value):
                return False
    return True


@inner
def keeps(groups: Groups, group: int, l: int) -> bool:  # noqa: E741
    """Does the group keep limit l?"""
    limits, own = groups.items.limits, groups.of[group]
    cap, start = limits.allowed[l, own.rows], limits.of[l].start
    for part in range(own.begin, own.begin + own.parts):
        crowd = groups.crowd[part, l]
        if crowd.near > cap and limits.own[start + crowd.value].centre:
            return False
    return True


@inner
def keeps_all(groups: Groups, group: int) -> bool:
    for l in range(groups.crowd.shape[1]):  # noqa: E741, SIM110 - compiled
        if not keeps(groups, group, l):
            return False
    return True
