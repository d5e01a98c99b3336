"""From rows counted by item back to people."""

from __future__ import annotations

import numpy as np
import pytest

from headgate.core.compiling import loop
from headgate.methods.blocks.groups import part_of, put, take
from headgate.methods.sticky.core_draft import draft_of
from headgate.methods.sticky.following import LOOKING, OUT, follow
from tests.unit.headgate.methods.sticky.grouped_tables import K, drawn_groups, rows_by_item


@loop
def _move(draft, moves):
    """From a group, or none, to a group, or none: one row of an item."""
    for number, giver, taker in moves:
        if giver >= 0:
            take(draft.groups, giver, part_of(draft.groups, giver, number), np.int64(1))
        if taker >= 0:
            put(draft.groups, taker, number, np.int64(1))


@pytest.mark.parametrize("seed", range(12))
def test_groups_hold_what_the_draft_says_and_no_more_people_move_than_must(told, seed):
    case, draw = told(seed, 60), np.random.default_rng(seed)
    groups = drawn_groups(case, seed)
    nowhere = np.flatnonzero(groups < 0)
    groups[nowhere] = np.where(np.arange(len(nowhere)) % 2, LOOKING, OUT)
    draft = draft_of(case.itemized, groups, K, np.zeros(3, dtype=np.int64))
    wanted, many = groups.copy(), int(groups.max()) + 1
    for row in draw.permutation(60)[:15]:
        if groups[row] != OUT:
            wanted[row] = draw.integers(0, many) if draw.random() < 0.8 else LOOKING
    moves = np.column_stack([case.itemized.item, groups, wanted]).astype(np.int64)[wanted != groups]
    _move(draft, moves)
    turns = draw.permutation(60)
    after = follow(draft, groups, case.itemized.item, turns)
    assert (after[groups == OUT] == OUT).all()
    assert ((after == OUT) == (groups == OUT)).all()
    expected, held = rows_by_item(case, wanted), rows_by_item(case, after)
    assert held == expected[: len(held)]
    assert not any(expected[len(held) :])
    fewest = sum(sum((before - now).values()) for before, now in zip(rows_by_item(case, groups), expected, strict=False))
    assert (after[groups >= 0] != groups[groups >= 0]).sum() == fewest


def test_of_equal_rows_those_leave_whose_turn_comes_first(told):
    case = told(0, 60)
    item = int(np.argmax(case.items.rows))
    alike = np.flatnonzero(case.itemized.item == item)
    groups = np.zeros(60, dtype=np.int32)
    groups[0 if alike[0] > 0 else 59] = 1
    draft = draft_of(case.itemized, groups, K, np.zeros(3, dtype=np.int64))
    alike = alike[groups[alike] == 0]
    _move(draft, np.array([[item, 0, 1]]))
    turns = np.concatenate([alike[::-1], np.setdiff1d(np.arange(60), alike)])
    after = follow(draft, groups, case.itemized.item, turns)
    assert np.flatnonzero(after != groups).tolist() == [alike[-1]]
