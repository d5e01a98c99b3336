"""Drafts to begin with, and what must hold of every one."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from headgate.core.compiling import loop
from headgate.methods.blocks.draft import empty_draft
from headgate.methods.blocks.groups import put
from headgate.methods.blocks.placing import widen
from headgate.methods.blocks.stages import start_groups
from headgate.methods.blocks.tree import grow_tree

K = 4


@loop
def come(draft, group, item, rows):
    put(draft.groups, group, item, rows)
    widen(draft, group, draft.groups.items.item[item].cell)


def _state():
    return np.zeros(3, dtype=np.int64)


def whole_draft(case, k):
    """No group yet; the tree is one box."""
    cells = np.arange(case.items.cells)
    return empty_draft(case.items, grow_tree(case.items, cells, k, np.ones(len(case.names)), 1, _state()), k, _state())


def started_draft(case, cells=None):
    """Groups of these cells, or of all."""
    cells = np.arange(case.items.cells) if cells is None else cells
    draft = empty_draft(case.items, grow_tree(case.items, cells, K, np.ones(len(case.names)), 10_000, _state()), K, _state())
    start_groups(draft)
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
