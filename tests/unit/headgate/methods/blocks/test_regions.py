"""Two halves of a table become one."""

from __future__ import annotations

import numpy as np

from headgate.methods.blocks import local_groups as blocks
from tests.unit.headgate.methods.blocks.divided_tables import by_item, divided
from tests.unit.headgate.methods.blocks.drafts import K, assert_boxes_cover_their_groups, assert_sound, started_draft


def test_halves_keep_what_the_whole_keeps(told, monkeypatch):
    """Groups of both halves, with what neither found a place for, are placed and counted as those of one table."""
    halved = []
    joined = blocks.together

    def together(one, two, most):
        halved.append(joined(one, two, most))
        return halved[-1]

    monkeypatch.setattr(blocks, "REGION", 16)
    monkeypatch.setattr(blocks, "together", together)
    kept = 0
    for seed in range(8):
        case = told(seed, 80)
        many = len(halved)
        groups = divided(case)
        assert min(map(len, groups)) >= K
        if len(halved) > many:
            kept += all(case.keeps(by_item(case, group)) for group in groups)
    assert len(halved) >= 3
    assert kept >= len(halved) - 1


def test_halves_that_use_every_place_become_one(told):
    """The last group that moved behind the others takes all places that are left, so that both halves may be full."""
    case = told(0, 80)
    halves = [started_draft(case, cells) for cells in np.array_split(np.arange(case.items.cells), 2)]
    for half in halves:
        half.groups.now[0].top = len(half.groups.part)
    whole = blocks.together(*halves, 80 // K)
    assert whole.groups.now[0].top <= len(whole.groups.part)
    assert_sound(case, whole)
    assert_boxes_cover_their_groups(whole)
