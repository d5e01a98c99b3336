"""Groups in the making: what they keep up to date is what counting from scratch gives."""

from __future__ import annotations

import numpy as np
import pytest

from headgate.grouping.compiling import loop
from headgate.methods.blocks.groups import fill, keeps_all, may_go, part_of, put, room_for, take
from headgate.methods.blocks.losses import keys_of_groups, loss_with, loss_without
from headgate.methods.blocks.store import empty_groups

GROUPS = 4


@loop
def _fill(items, groups, group, cells):
    return fill(items, groups, group, cells)


@loop
def _change(items, groups, group, item, rows):
    """Rows come, or go where `rows` is negative."""
    if rows > 0:
        return put(items, groups, group, item, rows)
    take(items, groups, group, part_of(items, groups, group, item), -rows)
    return True


@loop
def _room(items, groups, group, item, rows, size):
    return room_for(items, groups, group, item, rows, size)


@loop
def _kept(items, groups, group):
    return keeps_all(items, groups, group)


@loop
def _without(items, groups, group, item, rows):
    """May these rows of an item go, and what is lost without the item, and without its cell."""
    part = part_of(items, groups, group, item)
    alone, cell = loss_without(items, groups, group, part, -1), loss_without(items, groups, group, -1, items.cell[item])
    return may_go(items, groups, group, part, rows), alone, cell


@loop
def _with(items, groups, group, cell):
    return loss_with(items, groups, group, cell)


def _started(told, seed, rows=40, places=None):
    """A table, its groups after random coming and going, and the same as dictionaries, rows by item: of each group, and of the rest."""
    case = told(seed, rows)
    groups = empty_groups(case.items, GROUPS, places or 4 * rows)
    held, left = [{} for _ in range(GROUPS)], dict(enumerate(case.items.rows.tolist()))
    draw = np.random.default_rng(seed + 1_000)
    cells = np.sort(draw.choice(len(case.items.weight), min(3, len(case.items.weight)), replace=False)).astype(np.int64)
    if _fill(case.items, groups, 0, cells):
        held[0] = {item: left.pop(item) for item in np.flatnonzero(np.isin(case.items.cell, cells)).tolist()}
    for _ in range(80):
        group = int(draw.integers(0, GROUPS))
        leaving = bool(held[group]) and (not left or draw.random() < 0.4)
        source, target = (held[group], left) if leaving else (left, held[group])
        item = int(draw.choice(sorted(source)))
        rows = int(draw.integers(1, source[item] + 1))
        if _change(case.items, groups, group, item, -rows if leaving else rows):
            source[item] -= rows
            target[item] = target.get(item, 0) + rows
            if source[item] == 0:
                del source[item]
    return case, groups, held, left, draw


def _parts(groups, group):
    return slice(int(groups.begin[group]), int(groups.begin[group] + groups.parts[group]))


def _assert_counted(case, groups, held):
    for group in range(len(held)):
        parts = _parts(groups, group)
        items = groups.item[parts].tolist()
        assert dict(zip(items, groups.rows[parts].tolist(), strict=True)) == held[group]
        assert len(items) == len(set(items))
        assert groups.size[group] == sum(held[group].values())
        assert (np.diff(groups.value[parts, 0]) >= 0).all()
        for l, name in enumerate(case.names):  # noqa: E741
            assert groups.near[parts, l].tolist() == [case.near(name, held[group], item) for item in items]
        assert groups.loss[group] == pytest.approx(case.loss(held[group]), abs=1e-12)
        if items:
            position = case.items.axes.position[case.items.cell[items]]
            assert groups.low[group].tolist() == position.min(axis=0).tolist()
            assert groups.high[group].tolist() == position.max(axis=0).tolist()


@pytest.mark.parametrize("seed", range(12))
def test_sizes_neighbourhoods_boxes_and_losses_are_those_counted_from_scratch(told, seed):
    case, groups, held, _, _ = _started(told, seed)
    assert sum(map(len, held)) > GROUPS
    _assert_counted(case, groups, held)


def test_parts_are_in_the_order_of_the_first_limit_also_where_a_group_is_one_cell(told):
    """Items are numbered by all limits together, so those of a cell may be in another order."""
    several = 0
    for seed in range(24):
        case = told(seed, 60, quasi=("colour",))
        groups = empty_groups(case.items, 1, 200)
        _fill(case.items, groups, 0, np.zeros(1, np.int64))
        _assert_counted(case, groups, [case.rows_of([0])])
        several += bool((np.diff(case.items.limits.value[: groups.parts[0], 0]) < 0).any()) if case.names else 0
    assert several > 0


@pytest.mark.parametrize("seed", range(4))
def test_a_store_with_few_places_closes_up_or_refuses_and_loses_nothing(told, seed):
    case, groups, held, _, _ = _started(told, seed, places=44)
    _assert_counted(case, groups, held)
    assert groups.top[0] <= 44


def test_groups_have_one_key_where_they_are_published_alike_and_only_there(told):
    """Groups of every few cells, of tables in which people differ by few colours and towns, so that many come out alike."""
    alike = other = 0
    for seed in range(24):
        case = told(seed, 40, quasi=[("colour",), ("colour", "town"), ("age", "school")][seed % 3])
        groups = empty_groups(case.items, 30, 2_000)
        draw = np.random.default_rng(seed)
        for group in range(30):
            many = int(draw.integers(1, 6))
            cells = np.sort(draw.choice(len(case.items.weight), min(many, len(case.items.weight)), replace=False)).astype(np.int64)
            _fill(case.items, groups, group, cells)
        keys = keys_of_groups(case.items, groups)
        forms = [case.form(groups.item[_parts(groups, group)].tolist()) for group in range(30)]
        for one in range(30):
            for two in range(one):
                assert (keys[one] == keys[two]) == (forms[one] == forms[two]), seed
                alike, other = alike + (forms[one] == forms[two]), other + (forms[one] != forms[two])
    assert min(alike, other) > 200


def test_a_group_takes_as_many_rows_as_keep_its_limits(told):
    """Of so many rows; tried one by one. With a size to be, as a group of that size."""
    answers = set()
    for seed in range(16):
        case, groups, held, left, _ = _started(told, seed)
        for group in range(GROUPS):
            inside, here = held[group], sum(held[group].values())
            assert _kept(case.items, groups, group) == case.keeps(inside), seed
            for item, rows in left.items():
                joined = [{**inside, item: inside.get(item, 0) + count} for count in range(1, rows + 1)]
                if case.keeps(inside):
                    fitting = max((count for count in range(1, rows + 1) if case.keeps(joined[count - 1])), default=0)
                    assert _room(case.items, groups, group, item, rows, 0) == fitting, seed
                    answers.add((fitting > 0, fitting == rows))
                size = min(case.rows, here + rows + 3)
                fitting = max((count for count in range(1, rows + 1) if _fits_in(case, joined[count - 1], item, size)), default=0)
                assert _room(case.items, groups, group, item, rows, size) == fitting, seed
    assert answers == {(False, False), (True, False), (True, True)}


def _fits_in(case, joined, item, size):
    """Do the neighbourhoods that an item is in keep the limits, were the group filled up to a size with others?"""
    return all(
        case.near(name, joined, other) <= case.allowed(name, size)
        for name in case.names
        for other in joined
        if case.centre(name, case.like[other]) and case.similar(name, case.like[item], case.like[other])
    )


@pytest.mark.parametrize("seed", range(12))
def test_rows_may_go_if_the_rest_keeps_the_limits_and_losses_with_and_without_are_exact(told, seed):
    case, groups, held, _, draw = _started(told, seed)
    for group in range(GROUPS):
        for item, rows in held[group].items():
            going = int(draw.integers(1, rows + 1))
            rest = {other: count - going * (other == item) for other, count in held[group].items() if other != item or count > going}
            cell = case.items.cell[item]
            may, alone, without_cell = _without(case.items, groups, group, item, going)
            assert may == case.keeps(rest)
            assert alone == pytest.approx(case.loss(other for other in held[group] if other != item), abs=1e-12)
            assert without_cell == pytest.approx(case.loss(o for o in held[group] if case.items.cell[o] != cell), abs=1e-12)
        if held[group]:
            for item in range(len(case.items.rows)):
                wider = _with(case.items, groups, group, case.items.cell[item])
                assert wider == pytest.approx(case.loss([*held[group], item]), abs=1e-12)
