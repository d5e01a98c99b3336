"""`blocks`, the default: local groups that keep every limit, at little loss.

The paper's coloring looks at the whole table and ignores quasi-identifiers until it exchanges rows. (ε, δ)^k is a property of each group, so
it may as well be reached where people are near each other (DEFINITIONS §4, Utility). The table is cut into small boxes as if there were no
limits; what a box holds too many of is set aside and placed near by, if need be in a new group with a few rows of a large one; then rows
move where that loses less. Groups that come out alike are one group, for nobody could tell them apart.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.blocks.branching import branch_with, shed, sizes_of_new_groups
from headgate.blocks.groups import SLACK, Groups, empty_groups, fill, keys_of_groups, put
from headgate.blocks.moves import move_rows
from headgate.blocks.placing import Aside, Search, cheapest_place, dissolve, set_aside, widen
from headgate.blocks.tree import Tree, grow_tree
from headgate.columns import Codes
from headgate.xcolor.items import Items, groups_of_rows
from headgate.xcolor.loops import loop
from headgate.xcolor.watch import STOP

ROUNDS = 8  # of uniting groups that are published alike, and placing what they then hold too many of
BRANCHING = 5  # rounds in which new groups may branch off: those branch off alike again
PRICE = 2.0  # of a row that is too many where it is, in rows that must go with it
MOVES = 3  # rounds of moves
PARTS = 3  # a group's parts are at most so many times the items: rows of one item are spread over few groups


def divide(items: Items, item: Codes, k: int, rng: np.random.Generator, state: NDArray[np.int64], thorough: bool = False) -> Codes:
    """A group for each row. Whether they keep the limits is for others to count."""
    allowed = items.limits.allowed
    favoured, even = sizes_of_new_groups(allowed, k)
    price = PRICE * favoured / np.maximum(1, allowed[:, min(favoured, allowed.shape[1] - 1)])
    tree = grow_tree(items, k, price, state)
    groups, search, aside = start_groups(items, tree, k)
    for turn in range(ROUNDS):
        size = 0 if turn >= BRANCHING else even if turn else favoured
        place_rows(items, tree, groups, search, aside, rng.permutation(aside.many[0]), k, size, even, state)
        if turn == 0:
            move_rows(items, tree, groups, search, k, MOVES, thorough, state)
        strand(items, groups, aside)
        if not unite_twins(items, tree, groups, search, aside, k):
            break
    else:
        strand(items, groups, aside)
    return groups_of_rows(item, *_parts_by_item(groups, len(items.rows)))


@loop
def start_groups(items: Items, tree: Tree, k: int) -> tuple[Groups, Search, Aside]:
    """A group of every leaf of the tree; odd rows branch off, and those that are too many are set aside."""
    boxes, leaves = len(tree.left), 0
    for box in range(boxes):
        leaves += tree.left[box] < 0
    rows = items.rows.sum()
    most = max(leaves, min(rows // k, 4 * leaves + len(items.rows)))
    parts = 2 * min(rows, PARTS * len(items.rows)) + SLACK * most
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
    aside = Aside(np.empty(parts, np.int64), np.empty(parts, np.int64), np.zeros(1, np.int64))
    group = 0
    for box in range(boxes):
        if tree.left[box] < 0:
            fill(items, groups, group, tree.order[tree.start[box] : tree.stop[box]])
            search.leaf[group], search.group[box] = box, group
            group += 1
    for group in range(leaves):
        set_aside(items, groups, aside, group, k)
        while groups.size[group] >= 2 * k and groups.loss[group] > 0.0 and shed(items, groups, search, group, k):
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
    even: int,
    state: NDArray[np.int64],
) -> None:
    """Finds a group for the rows that are set aside, in the order of `turns`. What finds none stays there."""
    for turn in turns:
        item = aside.item[turn]
        while aside.rows[turn] > 0 and state[STOP] == 0:
            place = cheapest_place(items, tree, groups, search, item, aside.rows[turn], -1, k, np.inf, size)
            if place.group < 0:
                break
            group = place.group
            if place.size > 0:
                group = branch_with(items, groups, search, place.group, item, place.rows, place.size)
                if group < 0:
                    search.stiff[place.group] = True
                    continue
            elif not put(items, groups, place.group, item, place.rows):
                break
            widen(items, tree, search, group, items.cell[item])
            aside.rows[turn] -= place.rows


@loop
def strand(items: Items, groups: Groups, aside: Aside) -> None:
    """What has found no place goes to the largest group, so that all rows are somewhere; that group does not keep its limits then."""
    largest = groups.size.argmax()
    for i in range(aside.many[0]):
        if aside.rows[i] > 0:
            put(items, groups, largest, aside.item[i], aside.rows[i])
    aside.many[0] = 0


@loop
def unite_twins(items: Items, tree: Tree, groups: Groups, search: Search, aside: Aside, k: int) -> bool:
    """Makes one group of those that are published alike, and sets aside what it then holds too many of. Were there any?"""
    keys = keys_of_groups(items, groups)
    order = np.argsort(keys, kind="mergesort")
    begin, found = 0, False
    while begin < len(order):
        end = begin + 1
        while end < len(order) and keys[order[end]] == keys[order[begin]]:
            end += 1
        if keys[order[begin]] != 0 and end > begin + 1:
            found = True
            before = aside.many[0]
            for i in range(begin + 1, end):
                dissolve(items, groups, aside, order[i])
            for i in range(before, aside.many[0]):
                put(items, groups, order[begin], aside.item[i], aside.rows[i])
                widen(items, tree, search, order[begin], items.cell[aside.item[i]])
            aside.many[0] = before
            set_aside(items, groups, aside, order[begin], k)
        begin = end
    return found and aside.many[0] > 0


@loop
def _parts_by_item(groups: Groups, items: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Where each item's parts begin, and for every part its group, numbered without gaps, and its rows."""
    start = np.zeros(items + 1, dtype=np.int64)
    for group in range(len(groups.begin)):
        for part in range(groups.begin[group], groups.begin[group] + groups.parts[group]):
            start[groups.item[part] + 1] += 1
    start = np.cumsum(start)
    at, of, count = start.copy(), np.empty(start[-1], dtype=np.int64), np.empty(start[-1], dtype=np.int64)
    number = 0
    for group in range(len(groups.begin)):
        for part in range(groups.begin[group], groups.begin[group] + groups.parts[group]):
            place = at[groups.item[part]]
            of[place], count[place] = number, groups.count[part]
            at[groups.item[part]] += 1
        number += groups.parts[group] > 0
    return start, of, count
