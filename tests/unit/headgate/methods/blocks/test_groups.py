"""Groups in the making: what they keep up to date is what counting from scratch gives."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from headgate.grouping.compiling import loop
from headgate.methods.blocks.draft import empty_groups
from headgate.methods.blocks.groups import empty, fill, keeps_all, may_go, part_of, put, room_for, take
from headgate.methods.blocks.losses import keys_of_groups, loss_with, loss_without

GROUPS = 4


@loop
def _fill(groups, group, cells):
    fill(groups, group, cells)


def _filled(groups, group, cells):
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
def _room(groups, group, item, rows, size):
    return room_for(groups, group, item, rows, size)


@loop
def _emptied(groups, group):
    empty(groups, group)


@loop
def _kept(groups, group):
    return keeps_all(groups, group)


@loop
def _without(groups, group, item, rows):
    """May these rows of an item go, and what is lost without the item, and without its cell."""
    part, cell = part_of(groups, group, item), groups.items.item[item].cell
    alone, rest = loss_without(groups, group, part, np.int64(-1)), loss_without(groups, group, np.int64(-1), cell)
    return may_go(groups, group, part, rows), alone, rest


@loop
def _with(groups, group, cell):
    return loss_with(groups, group, cell)


def _started(told, seed, rows=40, changes=80):
    """A table, its groups after random coming and going, and the same as dictionaries, rows by item: of each group, and of the rest."""
    case = told(seed, rows)
    groups = empty_groups(case.items, GROUPS, rows)
    held, left = [{} for _ in range(GROUPS)], dict(enumerate(case.items.rows.tolist()))
    draw = np.random.default_rng(seed + 1_000)
    cells = np.sort(draw.choice(case.items.cells, min(3, case.items.cells), replace=False)).astype(np.int64)
    _filled(groups, 0, cells)
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


def _parts(groups, group):
    return slice(int(groups.of[group].begin), int(groups.of[group].begin + groups.of[group].parts))


def _assert_counted(case, groups, held):
    for group in range(len(held)):
        parts = _parts(groups, group)
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
        groups = empty_groups(case.items, 1, 60)
        _filled(groups, 0, np.zeros(1, np.int64))
        _assert_counted(case, groups, [case.rows_of([0])])
        several += bool((np.diff(case.items.limits.value[: groups.of[0].parts, 0]) < 0).any()) if case.names else 0
    assert several > 0


@pytest.mark.parametrize("seed", range(6))
def test_groups_that_find_no_place_behind_the_others_close_up_and_lose_nothing(told, seed):
    """Two places per row are enough, however often rows come and go."""
    case, groups, held, _, _ = _started(told, seed, changes=600)
    _assert_counted(case, groups, held)
    assert groups.now[0].top <= len(groups.part) == 2 * case.rows + 2
    stretches = sorted((int(own.begin), int(own.begin + own.places)) for own in groups.of if own.parts)
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(stretches))


def test_groups_have_one_key_where_they_are_published_alike_and_only_there(told):
    """Groups of every few cells, of tables in which people differ by few colours and towns, so that many come out alike."""
    alike = other = 0
    for seed in range(24):
        case = told(seed, 40, quasi=[("colour",), ("colour", "town"), ("age", "school")][seed % 3])
        groups = empty_groups(case.items, 30, 2_000)
        draw = np.random.default_rng(seed)
        for group in range(30):
            many = int(draw.integers(1, 6))
            cells = np.sort(draw.choice(case.items.cells, min(many, case.items.cells), replace=False)).astype(np.int64)
            _filled(groups, group, cells)
        keys = keys_of_groups(groups)
        forms = [case.form(groups.part.number[_parts(groups, group)].tolist()) for group in range(30)]
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
            assert _kept(groups, group) == case.keeps(inside), seed
            for item, rows in left.items():
                joined = [{**inside, item: inside.get(item, 0) + count} for count in range(1, rows + 1)]
                if case.keeps(inside):
                    fitting = max((count for count in range(1, rows + 1) if case.keeps(joined[count - 1])), default=0)
                    assert _room(groups, group, item, rows, 0) == fitting, seed
                    answers.add((fitting > 0, fitting == rows))
                size = min(case.rows, here + rows + 3)
                fitting = max((count for count in range(1, rows + 1) if _fits_in(case, joined[count - 1], item, size)), default=0)
                assert _room(groups, group, item, rows, size) == fitting, seed
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
            cell = case.items.item.cell[item]
            may, alone, without_cell = _without(groups, group, item, going)
            assert may == case.keeps(rest)
            assert alone == pytest.approx(case.loss(other for other in held[group] if other != item), abs=1e-12)
            assert without_cell == pytest.approx(case.loss(o for o in held[group] if case.items.item.cell[o] != cell), abs=1e-12)
        if held[group]:
            for item in range(len(case.items.item)):
                wider = _with(groups, group, case.items.item.cell[item])
                assert wider == pytest.approx(case.loss([*held[group], item]), abs=1e-12)
