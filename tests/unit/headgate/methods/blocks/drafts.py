"""Drafts to begin with, and what must hold of every one."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from headgate.core.compiling import empty_records, loop
from headgate.methods.blocks.draft import VISIT, Draft, room_for_groups
from headgate.methods.blocks.first_draft import draft_of
from headgate.methods.blocks.groups import fill_with, put
from headgate.methods.blocks.placing import widen
from headgate.methods.blocks.stages import relieve
from headgate.methods.blocks.tree import grow_tree
from headgate.methods.blocks.ways import first_groups

K = 4


@loop
def come(draft, group, item, rows):
    put(draft.groups, group, item, rows)
    widen(draft, group, draft.groups.items.item[item].cell)


@loop
def fill(groups, group, cells):
    """All rows of some cells."""
    items, many = groups.items, 0
    for cell in cells:
        many += items.cell[cell + 1].start - items.cell[cell].start
    numbers, at = np.empty(many, dtype=np.int64), 0
    for cell in cells:
        for item in range(items.cell[cell].start, items.cell[cell + 1].start):
            numbers[at] = item
            at += 1
    fill_with(groups, group, numbers, items.rows[numbers])


def _state():
    return np.zeros(3, dtype=np.int64)


def whole_draft(case, k):
    """No group yet; the tree is one box."""
    groups, aside = room_for_groups(case.items, 1, k)
    tree = grow_tree(case.items, np.arange(case.items.cells), k, np.ones(len(case.names)), 1, _state())
    return Draft(groups, tree, aside, empty_records(len(tree.box) + 2, VISIT), k, _state())


def started_draft(case):
    """Groups that keep their limits, and rows that are aside."""
    price = np.ones(len(case.names))
    tree = grow_tree(case.items, np.arange(case.items.cells), K, price, 10_000, _state())
    draft = draft_of(case.items, first_groups(case.items, tree, K, price, _state()), K, _state())
    relieve(draft)
    return draft


def rows_by_item(groups):
    """Each group as a dictionary: rows by item."""
    parts = [groups.part[own.begin : own.begin + own.parts] for own in groups.of[: groups.now[0].groups]]
    return [dict(zip(own.number.tolist(), own.rows.tolist(), strict=True)) for own in parts]


def rows_aside(aside):
    """Rows that are aside, by item."""
    return aside.left[: aside.many[0]]


def assert_sound(case, draft):
    """Groups keep their limits and K rows, what is kept up to date is what counting gives, and no row is lost or doubled."""
    total, groups = Counter(), draft.groups
    for group, held in enumerate(rows_by_item(groups)):
        total.update(held)
        assert case.keeps(held)
        assert sum(held.values()) == groups.of[group].rows
        assert not held or groups.of[group].rows >= K
        assert groups.of[group].loss == pytest.approx(case.loss(held), abs=1e-12)
        for i, item in enumerate(held):
            near = groups.crowd.near[groups.of[group].begin + i].tolist()
            assert near == [case.near(name, held, item) for name in case.names]
    for left in rows_aside(draft.aside):
        total[int(left.number)] += int(left.rows)
    assert [total[item] for item in range(len(case.items.rows))] == case.items.rows.tolist()


def assert_boxes_cover_their_groups(draft):
    groups, tree = draft.groups, draft.tree
    for group, held in enumerate(rows_by_item(groups)):
        box = int(groups.of[group].leaf)
        while held and box >= 0:
            assert (tree.span.low[box] <= groups.span.low[group]).all()
            assert (tree.span.high[box] >= groups.span.high[group]).all()
            box = int(tree.box[box].parent)
