"""Groups in the making: what they keep up to date is what counting from scratch gives."""

from __future__ import annotations

import numpy as np
import pytest

from headgate.core.compiling import loop
from headgate.methods.blocks.draft import empty_groups
from headgate.methods.blocks.groups import keeps_all, may_go, part_of, room_for
from tests.unit.headgate.methods.blocks.changed_groups import GROUPS, assert_counted, changed_groups, filled


@loop
def _room(groups, group, item, rows, size):
    return room_for(groups, group, item, rows, size)


@loop
def _kept(groups, group):
    return keeps_all(groups, group)


@loop
def _may_go(groups, group, item, rows):
    return may_go(groups, group, part_of(groups, group, item), rows)


@pytest.mark.parametrize("seed", range(12))
def test_sizes_neighbourhoods_boxes_and_losses_are_those_counted_from_scratch(told, seed):
    case, groups, held, _, _ = changed_groups(told, seed)
    assert sum(map(len, held)) > GROUPS
    assert_counted(case, groups, held)


def test_parts_are_in_the_order_of_the_first_limit_also_where_a_group_is_one_cell(told):
    """Items are numbered by all limits together, so those of a cell may be in another order."""
    several = 0
    for seed in range(24):
        case = told(seed, 60, quasi=("colour",))
        groups = empty_groups(case.items, 1, 120)
        filled(groups, 0, np.zeros(1, np.int64))
        assert_counted(case, groups, [case.rows_of([0])])
        several += bool((np.diff(case.items.limits.value[: groups.of[0].parts, 0]) < 0).any()) if case.names else 0
    assert several > 0


def test_a_group_takes_as_many_rows_as_keep_its_limits(told):
    """Of so many rows; tried one by one. With a size to be, as a group of that size."""
    answers = set()
    for seed in range(16):
        case, groups, held, left, _ = changed_groups(told, seed)
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
def test_rows_may_go_if_the_rest_keeps_the_limits(told, seed):
    case, groups, held, _, draw = changed_groups(told, seed)
    for group in range(GROUPS):
        for item, rows in held[group].items():
            going = int(draw.integers(1, rows + 1))
            rest = {other: count - going * (other == item) for other, count in held[group].items() if other != item or count > going}
            assert _may_go(groups, group, item, going) == case.keeps(rest)
