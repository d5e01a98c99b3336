"""Rows that are too many where they are: taken out of their group, and placed where they fit and cost least.

A leaf of the tree may hold more similar rows than a limit allows. Those too many are set aside. Each then goes to the group that can take
it at the least additional loss, found by searching the tree for near boxes first: no part of the tree is entered whose distance alone
costs more than the best place found so far.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.grouping.axes import COUNT, FIRST, FLAT, SHAPE, SPAN
from headgate.grouping.compiling import inner
from headgate.grouping.items import Items
from headgate.grouping.nearness import START, alike
from headgate.grouping.watch import STOP
from headgate.methods.blocks.groups import empty, keeps_all, put, room_for, take
from headgate.methods.blocks.losses import loss_with
from headgate.methods.blocks.store import Groups
from headgate.methods.blocks.tree import Tree


class Aside(NamedTuple):
    """Rows without a group: so many of an item, one entry an item."""

    item: NDArray[np.int64]
    rows: NDArray[np.int64]
    place: NDArray[np.int64]  # of each item of the table: its entry, −1 without
    many: NDArray[np.int64]  # entries in use


class Search(NamedTuple):
    """Where the groups are in the tree, and scratch for looking."""

    leaf: NDArray[np.int64]  # of each group: the box of the tree that it came from
    group: NDArray[np.int64]  # of each box: its first group, −1 inside the tree
    beside: NDArray[np.int64]  # of each group: the next in the same box, −1 after the last
    many: NDArray[np.int64]  # groups so far
    stiff: NDArray[np.bool_]  # groups from which nothing could branch off
    stack: NDArray[np.int64]
    bound: NDArray[np.float64]


@inner
def set_aside(items: Items, groups: Groups, aside: Aside, group: int, k: int, state: NDArray[np.int64]) -> None:
    """Takes rows out of a group until it keeps every limit: those first around which most are similar. All of them if fewer than k stay."""
    limits = items.limits
    while groups.size[group] >= k and state[STOP] == 0 and not keeps_all(items, groups, group):
        for l in range(limits.value.shape[1]):  # noqa: E741
            start = limits.facts[l, START]
            while groups.size[group] >= k and state[STOP] == 0:
                begin, end = groups.begin[group], groups.begin[group] + groups.parts[group]
                fullest, centre = limits.allowed[l, groups.size[group]], begin - 1
                for part in range(begin, end):
                    if groups.near[part, l] > fullest and limits.centre[start + groups.value[part, l]]:
                        fullest, centre = groups.near[part, l], np.int64(part)
                if centre < begin:
                    break
                leaving, most = centre, np.int64(-1)
                for part in range(begin, end):
                    if groups.near[part, l] > most and alike(limits, l, groups.value[centre, l], groups.value[part, l]):
                        leaving, most = np.int64(part), groups.near[part, l]
                few, many = np.int64(1), groups.rows[leaving]
                while few < many:
                    middle = (few + many) // 2
                    if fullest - middle <= limits.allowed[l, groups.size[group] - middle]:
                        many = middle
                    else:
                        few = middle + 1
                keep_aside(aside, groups.item[leaving], few)
                take(items, groups, group, leaving, few)
    if groups.size[group] < k:
        dissolve(items, groups, aside, group)


@inner
def dissolve(items: Items, groups: Groups, aside: Aside, group: int) -> None:
    """Sets all rows of a group aside; the group is empty then."""
    for part in range(groups.begin[group], groups.begin[group] + groups.parts[group]):
        keep_aside(aside, groups.item[part], groups.rows[part])
    empty(items, groups, group)


@inner
def keep_aside(aside: Aside, item: int, rows: int) -> None:
    if aside.place[item] < 0:
        aside.place[item] = aside.many[0]
        aside.item[aside.many[0]], aside.rows[aside.many[0]] = item, 0
        aside.many[0] += 1
    aside.rows[aside.place[item]] += rows


@inner
def put_or_set_aside(items: Items, groups: Groups, aside: Aside, group: int, item: int, rows: int) -> None:
    """Where the store is full the rows are set aside, so that none is ever lost."""
    if not put(items, groups, group, item, rows):
        keep_aside(aside, item, rows)


@inner
def widen(items: Items, tree: Tree, search: Search, group: int, cell: int) -> None:
    """The boxes of the tree around a group cover what has come to it."""
    box = search.leaf[group]
    while box >= 0:
        for axis in range(len(items.axes.facts)):
            p = np.int64(items.axes.position[cell, axis])
            tree.low[box, axis], tree.high[box, axis] = min(tree.low[box, axis], p), max(tree.high[box, axis], p)
        box = tree.parent[box]


class Place(NamedTuple):
    """Where rows could go, and at which additional loss in all."""

    group: int  # −1: nowhere
    rows: int
    cost: float
    size: int  # of a new group that branches off from there; 0: they go to the group itself


@inner
def cheapest_place(
    items: Items,
    tree: Tree,
    groups: Groups,
    search: Search,
    item: int,
    rows: int,
    home: int,
    k: int,
    worth: float,
    size: int,
) -> Place:
    """The group other than `home` that can take rows of an item at the least additional loss a row, if that is less than `worth`. With a
    home all rows must go together. `size`: of a new group that may branch off; 0 for none."""
    cell = items.cell[item]
    best, found, taken, total, branched = worth, np.int64(-1), np.int64(0), 0.0, np.int64(0)
    fresh, whole = np.int64(0), np.int64(0)  # rows that a new group of `size` can begin with, and the size of one that begins with all
    if size > 0:
        fresh, whole = _new_group(items, item, rows, size)
    least = min(np.int64(k), size - fresh) if fresh > 0 else np.int64(k)  # rows that are widened, at the least
    search.stack[0], search.bound[0] = 0, 0.0
    height = 1
    while height > 0:
        height -= 1
        box, gap = search.stack[height], search.bound[height]
        if (least / rows + 1.0) * gap >= best:
            continue
        if tree.left[box] >= 0:
            near, far = tree.left[box], tree.right[box]
            one, two = gap_to(items, tree, near, cell), gap_to(items, tree, far, cell)
            if one > two:
                near, far, one, two = far, near, two, one
            search.stack[height], search.bound[height] = far, two
            search.stack[height + 1], search.bound[height + 1] = near, one
            height += 2
            continue
        group = search.group[box]
        while group >= 0:
            here = groups.size[group]
            if group != home and here >= k and groups.loss[group] < best:
                wider = loss_with(items, groups, group, cell)
                if (here / rows) * (wider - groups.loss[group]) + wider < best:
                    fitting = room_for(items, groups, group, item, rows, np.int64(0))
                    if fitting > 0 and (home < 0 or fitting == rows):
                        cost = (here + fitting) * wider - here * groups.loss[group]
                        if cost < best * fitting:
                            best, found, taken, total, branched = cost / fitting, group, fitting, cost, np.int64(0)
                if fresh > 0 and not search.stiff[group]:
                    together, begin = (whole, np.int64(rows)) if here - (whole - rows) >= k else (np.int64(size), fresh)
                    company = together - begin
                    cost = together * wider - company * groups.loss[group]
                    if here - company >= k and cost < best * begin:
                        best, found, taken, total, branched = cost / begin, group, begin, cost, together
            group = search.beside[group]
    return Place(int(found), int(taken), total, int(branched))


@inner
def _new_group(items: Items, item: int, rows: int, size: int) -> tuple[int, int]:
    """With how many of these rows a new group of `size` can begin, and the least size of one that begins with all of them."""
    limits, fresh, whole = items.limits, np.int64(rows), np.int64(max(size, rows))
    for l in range(limits.value.shape[1]):  # noqa: E741
        if not limits.centre[limits.facts[l, START] + limits.value[item, l]]:
            continue
        fresh = min(fresh, limits.allowed[l, size])
        low, high = whole, np.int64(limits.allowed.shape[1] - 1)
        while low < high:
            middle = (low + high) // 2
            if limits.allowed[l, middle] >= rows:
                high = middle
            else:
                low = middle + 1
        whole = low
    return int(fresh), int(whole)


@inner
def gap_to(items: Items, tree: Tree, box: int, cell: int) -> float:
    """How much the loss of a group within a box of the tree grows at the least when it takes a cell in."""
    axes, total = items.axes, 0.0
    for axis in range(len(axes.facts)):
        p, low, high = np.int64(axes.position[cell, axis]), tree.low[box, axis], tree.high[box, axis]
        if low <= p <= high:
            continue
        missing = axes.facts[axis, COUNT]
        if axes.facts[axis, SHAPE] == FLAT:
            if low == high or p < missing:  # one value loses nothing, two lose both; a missing one makes the domain larger as well
                total += (2.0 if low == high else 1.0) / (missing + 1.0)
        elif axes.facts[axis, SHAPE] == SPAN and high < missing:
            line = axes.facts[axis, FIRST]
            if p == missing:  # the whole domain is lost then, and at most the box was before
                total += 1.0 - (axes.place[line + high] - axes.place[line + low])
            else:
                total += axes.place[line + low] - axes.place[line + p] if p < low else axes.place[line + p] - axes.place[line + high]
    return total
