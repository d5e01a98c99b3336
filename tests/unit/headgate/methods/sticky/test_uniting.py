"""Groups that cannot be published by themselves are united with others."""

from __future__ import annotations

import numpy as np
import pytest

from headgate.methods.sticky.core_draft import draft_of
from headgate.methods.sticky.uniting import unite
from tests.unit.headgate.methods.blocks.drafts import assert_boxes_cover_their_groups
from tests.unit.headgate.methods.blocks.drafts import rows_by_item as held_by
from tests.unit.headgate.methods.sticky.grouped_tables import K, drawn_groups, kept_groups, rows_by_item, sets_of, without_gaps


def united(case, groups, k=K, must=()):
    draft = draft_of(case.itemized, groups, k, np.zeros(3, dtype=np.int64))
    flagged = np.isin(np.arange(int(groups.max()) + 1), must)
    into = unite(draft, flagged)
    after = np.where(groups >= 0, into[groups], -1)
    held = rows_by_item(case, after.astype(np.int32))
    assert held_by(draft.groups)[: len(held)] == held
    assert_boxes_cover_their_groups(draft)
    return after


@pytest.mark.parametrize("seed", range(12))
def test_groups_are_united_whole_and_none_that_could_be_mended_by_one_more_is_left(told, seed):
    case = told(seed, 60)
    groups = drawn_groups(case, seed, 15)
    after = united(case, groups)
    for group in sets_of(groups):
        assert any(group <= whole for whole in sets_of(after))
    held = [rows for rows in rows_by_item(case, without_gaps(after)) if rows]
    forms = [case.form(rows) for rows in held]
    assert len(set(forms)) == len(forms)  # nobody could tell apart what is published alike
    for i, rows in enumerate(held):
        if sum(rows.values()) < K or not case.keeps(rows):
            assert not any(case.keeps(rows + other) for j, other in enumerate(held) if j != i)


@pytest.mark.parametrize("seed", range(16))
def test_a_group_is_united_with_the_one_for_which_that_costs_least(told, seed):
    """Every other group is tried by counting."""
    case = told(seed, 50)
    groups, many = kept_groups(case, seed)
    held = rows_by_item(case, groups)
    forms = [case.form(rows) for rows in held]
    if many < 3 or len(set(forms)) < many:
        return
    after = united(case, groups, k=1, must=[1])

    def lost(rows):
        return sum(rows.values()) * case.loss(rows)

    costs = {other: lost(held[1] + held[other]) - lost(held[1]) - lost(held[other]) for other in range(many) if other != 1}
    costs = {other: cost for other, cost in costs.items() if case.keeps(held[1] + held[other])}
    mates = [other for other in costs if (after[groups == other] == after[groups == 1][0]).all()]
    assert bool(mates) == bool(costs)
    assert not costs or min(costs[mate] for mate in mates) == pytest.approx(min(costs.values()), abs=1e-9)
