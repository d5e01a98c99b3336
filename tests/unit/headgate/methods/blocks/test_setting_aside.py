"""What a group holds too many of is set aside."""

from __future__ import annotations

from collections import Counter

import numpy as np

from headgate.core.compiling import loop
from headgate.methods.blocks.setting_aside import set_aside
from tests.unit.headgate.methods.blocks.drafts import fill, rows_aside, rows_by_item, whole_draft


@loop
def _all_in_one(draft, cells):
    fill(draft.groups, 0, cells)
    set_aside(draft, 0)


def test_rows_are_set_aside_until_a_group_keeps_its_limits_or_all_if_fewer_than_k_would_stay(told):
    left = Counter()
    for seed in range(30):
        case = told(seed, 16)
        draft = whole_draft(case, 9)
        own = draft.groups.of[0]
        draft.groups.now.groups = 1
        _all_in_one(draft, np.arange(case.items.cells))
        assert own.rows == 0 or own.rows >= 9, seed
        assert case.keeps(rows_by_item(draft.groups)[0]), seed
        gone = rows_aside(draft.aside).rows.sum()
        assert own.rows + gone == 16, seed
        left["none" if own.rows == 0 else "some" if gone else "all"] += 1
    assert min(left[word] for word in ("none", "some", "all")) > 0
