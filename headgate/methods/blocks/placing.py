"""Where surplus rows go: to the group that can take them at the smallest additional loss.

The search of the tree visits near boxes first, and skips every part of the tree whose distance alone costs more than the best place so far.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from headgate.core.compiling import Records, inlined, inner
from headgate.grouping.axes import FLAT, SPAN
from headgate.grouping.items import Items
from headgate.methods.blocks.draft import Draft, Groups
from headgate.methods.blocks.groups import room_for
from headgate.methods.blocks.losses import loss_with
from headgate.methods.blocks.tree import Tree

Number = int | np.int64  # to numba a plain 0 is of another type than a counted one


class Wanted(NamedTuple):
    """A request for a place for rows of an item, not in `home`, at an additional loss below `worth` per row. If there is a home, all
    rows must go together. `size` is the size of a new group that may branch off; 0 if none may."""

    item: Number
    rows: Number
    home: Number  # −1: the rows are aside
    worth: float
    size: Number


class Place(NamedTuple):
    """A place for rows, and its additional loss."""

    group: Number  # −1: nowhere
    rows: Number
    cost: float  # in all
    each: float  # per row
    size: Number  # of a new group that branches off from there; 0: they go to the group itself


@inner
def cheapest_place(draft: Draft, wanted: Wanted) -> Place:
    groups, tree, visits, items = draft.groups, draft.tree, draft.visits, draft.groups.items
    cell = items.item[wanted.item].cell
    best = Place(np.int64(-1), np.int64(0), 0.0, wanted.worth, np.int64(0))
    fresh, whole = _new_group(items, wanted.item, wanted.rows, wanted.size)
    least = np.int64(draft.k) if fresh == 0 else min(np.int64(draft.k), wanted.size - fresh)  # rows that are widened, at the least
    visits[0].box, visits[0].gap = 0, 0.0
    height = 1
    while height > 0:
        height -= 1
        box, gap = tree.box[visits[height].box], visits[height].gap
        if (least / wanted.rows + 1.0) * gap >= best.each:
            continue
        if box.left >= 0:
            visit_halves(visits, height, box.left, box.right, gap_to(items, tree, box.left, cell), gap_to(items, tree, box.right, cell))
            height += 2
            continue
        group = np.int64(box.group)
        while group >= 0:
            own = groups.of[group]
            if group != wanted.home and own.rows >= draft.k and own.loss < best.each:
                wider = loss_with(groups, group, cell)
                best = _in_group(groups, group, wanted, wider, best)
                if fresh > 0 and own.stiff == 0:
                    best = _beside(groups, group, wanted, wider, fresh, whole, draft.k, best)
            group = np.int64(own.beside)
    return best


@inlined
def visit_halves(visits: Records, height: int, left: int, right: int, to_left: float, to_right: float) -> None:
    """The two halves of a box are to be looked into, the nearer one first, which is the last one on the stack."""
    near, far = (visits[height + 1], visits[height]) if to_left <= to_right else (visits[height], visits[height + 1])
    near.box, near.gap, far.box, far.gap = left, to_left, right, to_right


@inlined
def _in_group(groups: Groups, group: int, wanted: Wanted, wider: float, best: Place) -> Place:
    """The better of the best place so far and this group, given the group's loss with the rows."""
    own = groups.of[group]
    if (own.rows / wanted.rows) * (wider - own.loss) + wider < best.each:
        fitting = room_for(groups, group, wanted.item, wanted.rows, np.int64(0))
        if fitting > 0 and (wanted.home < 0 or fitting == wanted.rows):
            cost = (own.rows + fitting) * wider - own.rows * own.loss
            if cost < best.each * fitting:
                best = Place(group, fitting, cost, cost / fitting, np.int64(0))
    return best


@inlined
def _beside(groups: Groups, group: int, wanted: Wanted, wider: float, fresh: int, whole: int, k: int, best: Place) -> Place:
    """The best place so far, or a new group beside this one, with rows of it for company."""
    own = groups.of[group]
    size, begin = (whole, np.int64(wanted.rows)) if own.rows - (whole - wanted.rows) >= k else (np.int64(wanted.size), fresh)
    company = size - begin
    cost = size * wider - company * own.loss
    if own.rows - company >= k and cost < best.each * begin:
        best = Place(group, begin, cost, cost / begin, size)
    return best


@inner
def _new_group(items: Items, item: int, rows: int, size: int) -> tuple[int, int]:
    """With how many of these rows a new group of `size` can begin, and the least size of one that begins with all of them."""
    limits, fresh, whole = items.limits, np.int64(rows), np.int64(max(size, rows))
    if size == 0:
        return np.int64(0), np.int64(0)  # type: ignore[return-value]
    for l in range(limits.value.shape[1]):  # noqa: E741
        if not limits.own[limits.of[l].start + limits.value[item, l]].centre:
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
    return fresh, whole  # type: ignore[return-value]


@inner
def widen(draft: Draft, group: int, cell: int) -> None:
    """The boxes of the tree around a group cover what has come to it."""
    box = draft.groups.of[group].leaf
    while box >= 0:
        for axis in range(len(draft.groups.items.axes.of)):
            p, span = np.int64(draft.groups.items.axes.position[cell, axis]), draft.tree.span[box, axis]
            span.low, span.high = min(span.low, p), max(span.high, p)
        box = draft.tree.box[box].parent


@inner
def gap_to(items: Items, tree: Tree, box: int, cell: int) -> float:
    """How much the loss of a group within a box of the tree grows at the least when it takes a cell in."""
    axes, total = items.axes, 0.0
    for a in range(len(axes.of)):
        p, low, high, axis = np.int64(axes.position[cell, a]), tree.span[box, a].low, tree.span[box, a].high, axes.of[a]
        if low <= p <= high:
            continue
        if axis.form == FLAT:
            if low == high or p < axis.count:  # one value loses nothing, two lose both; a missing one makes the domain larger as well
                total += (2.0 if low == high else 1.0) / (axis.count + 1.0)
        elif axis.form == SPAN and high < axis.count:
            left, right = axes.at[axis.first + low].place, axes.at[axis.first + high].place
            if p == axis.count:  # the whole domain is lost then, and at most the box was before
                total += 1.0 - (right - left)
            else:
                total += left - axes.at[axis.first + p].place if p < low else axes.at[axis.first + p].place - right
    return total
