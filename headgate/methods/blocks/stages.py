"""The steps from a tree of boxes to groups, each one loop: groups of leaves, places for what is set aside, groups that come out alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import loop
from headgate.grouping.items import Items
from headgate.grouping.neighbour_counts import near_rows
from headgate.grouping.sorting import sorted_order
from headgate.grouping.watch import STOP
from headgate.methods.blocks.branching import branch_with, records_of, shed
from headgate.methods.blocks.draft import Draft
from headgate.methods.blocks.groups import empty, put
from headgate.methods.blocks.losses import keys_of_groups
from headgate.methods.blocks.placing import Wanted, cheapest_place, widen
from headgate.methods.blocks.setting_aside import set_aside

NO_HOME = np.int64(-1)


@loop
def crowding(items: Items, cells: NDArray[np.int64]) -> float:
    """How full the fullest neighbourhood of these cells would be, were they one group: 1 is all that a limit allows."""
    limits, many, rows, fullest = items.limits, 0, np.int64(0), 0.0
    for cell in cells:
        rows += items.cell[cell].rows
        many += items.cell[cell + 1].start - items.cell[cell].start
    values, counts = np.empty(many, dtype=np.int64), np.empty(many, dtype=np.int64)
    for l in range(limits.value.shape[1]):  # noqa: E741
        at, tally = 0, np.zeros(limits.of[l].values, dtype=np.int64)
        for cell in cells:
            for item in range(items.cell[cell].start, items.cell[cell + 1].start):
                tally[limits.value[item, l]] += items.rows[item]
        for v in range(len(tally)):
            if tally[v] > 0:
                values[at], counts[at] = v, tally[v]
                at += 1
        near = near_rows(limits, l, values[:at], counts[:at])
        for i in range(at):
            if limits.own[limits.of[l].start + values[i]].centre:
                fullest = max(fullest, near[i] / max(1, limits.allowed[l, rows]))
    return fullest


@loop
def relieve(draft: Draft) -> None:
    """Of every group odd rows branch off, and those that are too many are set aside."""
    groups, going = draft.groups, draft.state
    for group in range(groups.now[0].groups):
        own = groups.of[group]
        set_aside(draft, group)
        while going[STOP] == 0 and own.rows >= 2 * draft.k and own.loss > 0.0 and shed(draft, group):
            pass


@loop
def place_rows(draft: Draft, turns: NDArray[np.int64], size: int) -> None:
    """Finds groups for the rows that are set aside, in the order of `turns`. Rows for which there is no place remain set aside, and rows
    like them are not tried again in this round. `size` is the size of new groups that may branch off; 0 if none may."""
    groups, items = draft.groups, draft.groups.items
    hopeless = np.zeros(items.item.joint.max() + 1, dtype=np.bool_)
    for turn in turns:
        left = draft.aside.left[turn]
        item = left.number
        joint = items.item[item].joint
        while left.rows > 0 and draft.state[STOP] == 0 and not hopeless[joint]:
            place = cheapest_place(draft, Wanted(item, left.rows, NO_HOME, np.inf, size))
            if place.group < 0:
                hopeless[joint] = True
                break
            group = place.group
            if place.size > 0:
                group = branch_with(draft, place.group, item, place.rows, place.size)
                if group < 0:
                    groups.of[place.group].stiff = 1
                    continue
            else:
                put(groups, group, item, place.rows)
            widen(draft, group, items.item[item].cell)
            left.rows -= place.rows


@loop
def unite_twins(draft: Draft) -> bool:
    """Makes one group of those that are published alike, and sets aside what it then holds too many of. Were there any?"""
    groups = draft.groups
    keys = keys_of_groups(groups)
    order = sorted_order(keys)
    begin, united = 0, False
    while begin < len(order) and draft.state[STOP] == 0:
        first, end = order[begin], begin + 1
        while end < len(order) and keys[order[end]] == keys[first]:
            end += 1
        if keys[first] != 0 and end > begin + 1:
            united = True
            for other in order[begin + 1 : end]:
                was = records_of(groups, other)
                empty(groups, other)
                for part in was:
                    put(groups, first, part.number, part.rows)
                    widen(draft, first, part.cell)
            set_aside(draft, first)
        begin = end
    return united


@loop
def parts_by_item(draft: Draft) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The place at which each item's parts begin; and the group (numbered without gaps) and the rows of every part. Rows without a place
    join the largest group, which then breaks its limits, so that every row has a group."""
    groups, left = draft.groups, draft.aside.left[: draft.aside.many[0]]
    start, largest = np.zeros(len(draft.aside.place) + 1, dtype=np.int64), np.int64(0)
    for other in left:
        start[other.number + 1] += 1
    for group in range(groups.now[0].groups):
        own = groups.of[group]
        if own.rows > groups.of[largest].rows:
            largest = np.int64(group)
        for i in range(own.begin, own.begin + own.parts):
            start[groups.part[i].number + 1] += 1
    start = np.cumsum(start)
    at, of, count = start.copy(), np.empty(start[-1], dtype=np.int64), np.empty(start[-1], dtype=np.int64)
    number = 0
    for group in range(groups.now[0].groups):
        own = groups.of[group]
        for i in range(own.begin, own.begin + own.parts):
            part = groups.part[i]
            of[at[part.number]], count[at[part.number]] = number, part.rows
            at[part.number] += 1
        if group == largest:
            for other in left:
                of[at[other.number]], count[at[other.number]] = number, other.rows
                at[other.number] += 1
        number += own.parts > 0 or (group == largest and len(left) > 0)
    return start, of, count
