"""A draft of given groups."""

from __future__ import annotations

import numpy as np

from headgate.methods.blocks.first_draft import FirstGroups, draft_of
from tests.unit.headgate.methods.blocks.drafts import K, assert_boxes_cover_their_groups, rows_by_item


def test_a_draft_has_the_groups_that_it_was_given_and_a_place_in_its_tree_for_each(told):
    case = told(1, 60)
    rows = case.items.rows
    first = FirstGroups(np.array([0, len(rows)]), np.arange(len(rows)), rows)
    assert rows_by_item(draft_of(case.items, first, K, np.zeros(3, np.int64)).groups) == [dict(enumerate(rows.tolist()))]

    halves = np.array([0, len(rows) // 2, len(rows)])
    draft = draft_of(case.items, first._replace(begins=halves), K, np.zeros(3, np.int64))
    given = dict(enumerate(rows.tolist()))
    assert rows_by_item(draft.groups) == [{i: given[i] for i in range(*ends)} for ends in ((0, halves[1]), (halves[1], halves[2]))]
    assert_boxes_cover_their_groups(draft)
