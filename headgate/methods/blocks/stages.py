"""The steps from a tree of boxes to groups, each one loop: groups of leaves, places for what is set aside, groups that come out alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.grouping.compiling import loop
from headgate.grouping.items import Items
from headgate.grouping.nearness import SIZE, START
from headgate.grouping.neighbour_counts import near_rows
from headgate.grouping.sorting import sorted_order
from headgate.grouping.watch import STOP
from headgate.methods.blocks.branching import branch_with, shed
from headgate.methods.blocks.groups import empty, fill, put
from headgate.methods.blocks.losses import keys_of_groups
from headgate.methods.blocks.placing import Aside, Search, cheapest_place, put_or_set_aside, set_aside, widen
from headgate.methods.blocks.store import SLACK, Groups, empty_groups
from headgate.methods.blocks.tree import Tree

PARTS = 3  # a group's parts are at most so many times the items: rows of one item are spread over few groups


@loop
def crowding(items: Items, cells: NDArray[np.int64]) -> float:
    """How full the fullest neighbourhood of these cells would be, were they one group: 1 is all that a limit allows."""
    limits, many, rows, fullest = items.limits, 0, np.int64(0), 0.0
    for cell in cells:
        rows += items.weight[cell]
        many += items.start[cell + 1] - items.start[cell]
    values, counts = np.empty(many, dtype=np.int64), np.empty(many, dtype=np.int64)
    for l in range(limits.value.shape[1]):  # noqa: E741
        at, size = 0, limits.facts[l, SIZE]
        tally = np.zeros(size, dtype=np.int64)
        for cell in cells:
            for item in range(items.start[cell], items.start[cell + 1]):
                tally[limits.value[item, l]] += items.rows[item]
        for v in range(size):
            if tally[v] > 0:
                values[at], counts[at] = v, tally[v]
                at += 1
        near = near_rows(limits, l, values[:at], counts[:at])
        for i in range(at):
            if limits.centre[limits.facts[l, START] + values[i]]:
                fullest = max(fullest, near[i] / max(1, limits.allowed[l, rows]))
    return fullest


@loop
def start_groups(items: Items, tree: Tree, k: int, state: NDArray[np.int64]) -> tuple[Groups, Search, Aside]:
    """A group of every leaf of the tree; odd rows branch off, and those that are too many are set aside."""
    boxes, leaves = len(tree.left), 0
    for box in range(boxes):
        leaves += tree.left[box] < 0
    rows, own = np.int64(0), np.int64(0)
    for cell in tree.order:
        rows += items.weight[cell]
        own += items.start[cell + 1] - items.start[cell]
    most = int(max(leaves, min(int(rows) // k, 4 * leaves + int(own))))
    parts = 2 * int(min(rows, PARTS * own)) + SLACK * most
    groups = empty_groups(items, most, parts)
    search = Search(
        np.full(most, -1, np.int64),
        np.full(boxes, -1, np.int64),
        np.full(most, -1, np.int64),
        np.full(1, leaves, np.int64),
        np.zeros(most, np.bool_),
        np.empty(boxes + 2, np.int64),
        np.empty(boxes + 2),
    )
    aside = Aside(np.empty(own, np.int64), np.empty(own, np.int64), np.full(len(items.rows), -1, np.int64), np.zeros(1, np.int64))
    made = np.int64(0)
    for box in range(boxes):
        if tree.left[box] < 0 and state[STOP] == 0:
            fill(items, groups, made, tree.order[tree.start[box] : tree.stop[box]])
            search.leaf[made], search.group[box] = box, made
            made += 1
    for leaf in range(leaves):
        group = np.int64(leaf)
        set_aside(items, groups, aside, group, k, state)
        while (
            state[STOP] == 0 and groups.size[group] >= 2 * k and groups.loss[group] > 0.0 and shed(items, groups, search, aside, group, k)
        ):
            pass
    return groups, search, aside


@loop
def place_rows(
    items: Items,
    tree: Tree,
    groups: Groups,
    search: Search,
    aside: Aside,
    turns: NDArray[np.int64],
    k: int,
    size: int,
    state: NDArray[np.int64],
) -> None:
    """Finds a group for the rows that are set aside, in the order of `turns`. What finds none stays there, and no row like it is looked
    for again in this round."""
    hopeless = np.zeros(items.joint.max() + 1, dtype=np.bool_)
    for turn in turns:
        item = aside.item[turn]
        while aside.rows[turn] > 0 and state[STOP] == 0 and not hopeless[items.joint[item]]:
            place = cheapest_place(items, tree, groups, search, item, aside.rows[turn], -1, k, np.inf, size)
            if place.group < 0:
                hopeless[items.joint[item]] = True
                break
            group = place.group
            if place.size > 0:
                group = branch_with(items, groups, search, aside, place.group, item, place.rows, place.size)
                if group < 0:
                    search.stiff[place.group] = True
                    continue
            elif not put(items, groups, place.group, item, place.rows):
                break
            widen(items, tree, search, group, items.cell[item])
            aside.rows[turn] -= place.rows


@loop
def still_aside(aside: Aside) -> int:
    """Forgets what has found a place; gives how many rows have not."""
    many, rows = 0, np.int64(0)
    for i in range(aside.many[0]):
        aside.place[aside.item[i]] = -1
        if aside.rows[i] > 0:
            aside.place[aside.item[i]] = many
            aside.item[many], aside.rows[many] = aside.item[i], aside.rows[i]
            rows += aside.rows[i]
            many += 1
    aside.many[0] = many
    return int(rows)


@loop
def unite_twins(items: Items, tree: Tree, groups: Groups, search: Search, aside: Aside, k: int, state: NDArray[np.int64]) -> bool:
    """Makes one group of those that are published alike, and sets aside what it then holds too many of. Were there any?"""
    keys = keys_of_groups(items, groups)
    order = sorted_order(keys)
    begin, found = 0, False
    while begin < len(order) and state[STOP] == 0:
        end = begin + 1
        while end < len(order) and keys[order[end]] == keys[order[begin]]:
            end += 1
        if keys[order[begin]] != 0 and end > begin + 1:
            found = True
            for i in range(begin + 1, end):
                other = order[i]
                for at in range(groups.parts[other]):
                    part = groups.begin[other] + at
                    item = groups.item[part]
                    put_or_set_aside(items, groups, aside, order[begin], item, groups.rows[part])
                    widen(items, tree, search, order[begin], items.cell[item])
                empty(items, groups, other)
            set_aside(items, groups, aside, order[begin], k, state)
        begin = end
    return found


@loop
def parts_by_item(groups: Groups, aside: Aside, items: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Where each item's parts begin, and for every part its group, numbered without gaps, and its rows. What has found no place goes to the
    largest group, so that all rows are somewhere; that group does not keep its limits then."""
    start, largest = np.zeros(items + 1, dtype=np.int64), groups.size.argmax()
    for i in range(aside.many[0]):
        start[aside.item[i] + 1] += 1
    for group in range(len(groups.begin)):
        for part in range(groups.begin[group], groups.begin[group] + groups.parts[group]):
            start[groups.item[part] + 1] += 1
    start = np.cumsum(start)
    at, of, count = start.copy(), np.empty(start[-1], dtype=np.int64), np.empty(start[-1], dtype=np.int64)
    number = 0
    for group in range(len(groups.begin)):
        for part in range(groups.begin[group], groups.begin[group] + groups.parts[group]):
            place = at[groups.item[part]]
            of[place], count[place] = number, groups.rows[part]
            at[groups.item[part]] += 1
        if group == largest:
            for i in range(aside.many[0]):
                place = at[aside.item[i]]
                of[place], count[place] = number, aside.rows[i]
                at[aside.item[i]] += 1
            number += groups.parts[group] == 0 and aside.many[0] > 0
        number += groups.parts[group] > 0
    return start, of, count
