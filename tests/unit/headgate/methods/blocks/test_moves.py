"""Rows move where that loses less."""

from __future__ import annotations

import numpy as np
import pytest

from headgate.methods.blocks.moves import move_rows
from headgate.methods.blocks.stages import place_rows
from tests.unit.headgate.methods.blocks.drafts import K, assert_boxes_cover_their_groups, assert_sound, rows_by_item, started_draft


@pytest.mark.parametrize("size", [0, K, K + 1])
def test_placing_and_moving_break_no_limit_lose_no_row_and_moving_lowers_the_loss(told, size):
    """With new groups that branch off, of `size` rows, and without."""
    more = moves = 0
    for seed in range(16):
        case = told(seed, 60)
        draft = started_draft(case)
        groups = draft.groups
        many = int(groups.now[0].groups)
        place_rows(draft, np.arange(draft.aside.many[0]), size)
        assert_sound(case, draft)
        assert_boxes_cover_their_groups(draft)
        more += int(groups.now[0].groups) - many
        before = sum(sum(held.values()) * case.loss(held) for held in rows_by_item(groups))
        moved = move_rows(draft, 3)
        after = sum(sum(held.values()) * case.loss(held) for held in rows_by_item(groups))
        assert_sound(case, draft)
        assert_boxes_cover_their_groups(draft)
        assert (after < before) if moved else (after == before)
        moves += moved
    assert (more > 0) == (size > 0)
    assert moves > 10
