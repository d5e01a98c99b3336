"""Groups after rows have come and gone at random, and what counting from scratch says of them."""

from __future__ import annotations

import numpy as np
import pytest

from headgate.core.compiling import loop
from headgate.methods.blocks.draft import empty_groups
from headgate.methods.blocks.groups import empty, part_of, put, take
from tests.unit.headgate.methods.blocks.drafts import fill

GROUPS = 4


@loop
def _fill(groups, group, cells):
    fill(groups, group, cells)


def filled(groups, group, cells):
    _fill(groups, group, cells)
    groups.now.groups = max(int(groups.now[0].groups), group + 1)


@loop
def _change(groups, group, item, rows):
    """Rows come, or go where `rows` is negative."""
    if rows > 0:
        put(groups, group, item, rows)
    else:
        take(groups, group, part_of(groups, group, item), -rows)


@loop
def _emptied(groups, group):
    empty(groups, group)


def changed_groups(told, seed, rows=40, changes=80):
    """A table, its groups after random coming and going, and the same as dictionaries, rows by item: of each group, and of the rest."""
    case = told(seed, rows)
    groups = empty_groups(case.items, GROUPS, 2 * rows + 2)
    held, left = [{} for _ in range(GROUPS)], dict(enumerate(case.items.rows.tolist()))
    draw = np.random.default_rng(seed + 1_000)
    cells = np.sort(draw.choice(case.items.cells, min(3, case.items.cells), replace=False)).astype(np.int64)
    filled(groups, 0, cells)
    held[0] = {item: left.pop(item) for item in np.flatnonzero(np.isin(case.items.item.cell, cells)).tolist()}
    for group in range(1, GROUPS):
        _emptied(groups, group)
    groups.now.groups = GROUPS
    for _ in range(changes):
        group = int(draw.integers(0, GROUPS))
        if not (held[group] or left):
            continue
        leaving = bool(held[group]) and (not left or draw.random() < 0.4)
        source, target = (held[group], left) if leaving else (left, held[group])
        item = int(draw.choice(sorted(source)))
        rows = int(draw.integers(1, source[item] + 1))
        _change(groups, group, item, -rows if leaving else rows)
        source[item] -= rows
        target[item] = target.get(item, 0) + rows
        if source[item] == 0:
            del source[item]
    return case, groups, held, left, draw


def parts_of(groups, group):
    return slice(int(groups.of[group].begin), int(groups.of[group].begin + groups.of[group].parts))


def assert_counted(case, groups, held):
    for group in range(len(held)):
        parts = parts_of(groups, group)
        items = groups.part.number[parts].tolist()
        assert dict(zip(items, groups.part.rows[parts].tolist(), strict=True)) == held[group]
        assert len(items) == len(set(items))
        assert groups.of[group].rows == sum(held[group].values())
        assert (np.diff(groups.crowd.value[parts, 0]) >= 0).all()
        for l, name in enumerate(case.names):  # noqa: E741
            assert groups.crowd.near[parts, l].tolist() == [case.near(name, held[group], item) for item in items]
        assert groups.of[group].loss == pytest.approx(case.loss(held[group]), abs=1e-12)
        if items:
            position = case.items.axes.position[case.items.item.cell[items]]
            assert groups.span.low[group].tolist() == position.min(axis=0).tolist()
            assert groups.span.high[group].tolist() == position.max(axis=0).tolist()
