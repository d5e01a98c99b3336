"""From leaves to groups, and from groups that are published alike to one."""

from __future__ import annotations

from collections import Counter

import pytest

from headgate.core.compiling import loop
from headgate.methods.blocks.groups import part_of, take
from headgate.methods.blocks.stages import unite_twins
from tests.unit.headgate.methods.blocks.drafts import assert_sound, come, rows_by_item, started_draft


@loop
def _go(groups, group, item, rows):
    take(groups, group, part_of(groups, group, item), rows)


def test_groups_of_leaves_keep_their_limits_and_k_rows(told):
    waiting = 0
    for seed in range(12):
        case = told(seed, 60)
        draft = started_draft(case)
        assert_sound(case, draft)
        waiting += int(draft.aside.many[0])
    assert waiting > 50


@pytest.mark.parametrize("limited", [False, True])
def test_groups_that_are_published_alike_become_one_that_keeps_its_limits(told, limited):
    """Leaves by colour; then each gets a row of the other's, so that both span the same colours."""
    united = crowded = 0
    for seed in range(12):
        case = told(seed, 40, limited=limited, quasi=("colour",))
        draft = started_draft(case)
        groups = draft.groups
        held = rows_by_item(groups)
        first, second = ([group for group in range(len(held)) if held[group]] + [-1, -1])[:2]
        if second < 0:
            continue
        one, other = min(held[first]), min(held[second])
        for source, target, item in ((first, second, one), (second, first, other)):
            come(draft, target, item, 1)
            _go(groups, source, item, 1)
        held = rows_by_item(groups)
        if case.form(held[first]) != case.form(held[second]):
            continue
        whole = Counter(held[first]) + Counter(held[second])
        before = int(draft.aside.many[0])
        assert unite_twins(draft)
        after = rows_by_item(groups)
        assert not after[second]
        if case.keeps(whole):
            assert after[first] == whole
            assert draft.aside.many[0] == before
        else:
            crowded += 1
        assert_sound(case, draft)
        united += 1
    assert united > 3
    assert (crowded > 0) == limited


def test_where_nothing_is_published_alike_nothing_is_united(told):
    case = told(3, 60, limited=False)
    draft = started_draft(case)
    forms = [case.form(held) for held in rows_by_item(draft.groups) if held]
    assert len(set(forms)) == len(forms) > 3
    assert not unite_twins(draft)
    assert draft.aside.many[0] == 0
