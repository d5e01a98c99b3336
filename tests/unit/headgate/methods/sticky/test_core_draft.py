"""Groups that are there already, as the loops see them."""

from __future__ import annotations

import numpy as np
import pytest

from headgate.methods.sticky.core_draft import draft_of
from tests.unit.headgate.methods.blocks.drafts import assert_boxes_cover_their_groups
from tests.unit.headgate.methods.blocks.drafts import rows_by_item as held_by
from tests.unit.headgate.methods.sticky.grouped_tables import K, drawn_groups, rows_by_item


@pytest.mark.parametrize("seed", range(12))
def test_a_draft_knows_its_groups_and_its_tree_leads_to_each(told, seed):
    case = told(seed, 60)
    groups = drawn_groups(case, seed, 30)
    draft = draft_of(case.itemized, groups, K, np.zeros(3, dtype=np.int64))
    expected = rows_by_item(case, groups)
    assert held_by(draft.groups) == expected
    for number, held in enumerate(expected):
        own = draft.groups.of[number]
        assert own.rows == sum(held.values())
        assert own.loss == pytest.approx(case.loss(held), abs=1e-12)
        for i, item in enumerate(held_by(draft.groups)[number]):
            assert draft.groups.crowd.near[own.begin + i].tolist() == [case.near(name, held, item) for name in case.names]
    assert_boxes_cover_their_groups(draft)
    reached = []
    for box in draft.tree.box[draft.tree.box.left < 0]:
        group = int(box.group)
        while group >= 0:
            reached.append(group)
            group = int(draft.groups.of[group].beside)
    assert sorted(reached) == list(range(len(expected)))
