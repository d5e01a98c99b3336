"""Regions of a table become one draft."""

from __future__ import annotations

import numpy as np
import pytest

from headgate.methods.blocks import local_groups as blocks
from headgate.methods.blocks.joined_regions import together
from headgate.methods.blocks.region import Region, grouped
from tests.unit.headgate.methods.blocks.divided_tables import by_item, divided, in_regions_of
from tests.unit.headgate.methods.blocks.drafts import K, assert_boxes_cover_their_groups, assert_sound, started_draft


def _state():
    return np.zeros(3, dtype=np.int64)


def test_regions_keep_what_the_whole_keeps(told, monkeypatch):
    """Groups of all regions, with what found no place in any, are placed and counted as those of one table."""
    in_regions_of(monkeypatch, 16)
    joined = []

    def noted(items, regions, *more):
        joined.append(len(regions))
        return together(items, regions, *more)

    monkeypatch.setattr(blocks, "together", noted)
    kept = 0
    for seed in range(8):
        case = told(seed, 80)
        many = len(joined)
        groups = divided(case)
        assert min(map(len, groups)) >= K
        assert sorted(row for group in groups for row in group) == list(range(case.rows))
        if len(joined) > many:
            kept += all(case.keeps(by_item(case, group)) for group in groups)
    assert len(joined) >= 3
    assert max(joined) >= 3
    assert kept >= len(joined) - 1


@pytest.mark.parametrize("many", [2, 3, 5])
def test_regions_that_use_every_place_become_one(told, many):
    """The last group that moved behind the others takes all places that are left, so that every region may be full."""
    case = told(0, 80)
    regions = np.array_split(np.arange(case.items.cells), many)
    made = []
    for cells in regions:
        draft = _started(case, cells)
        draft.groups.now[0].top = len(draft.groups.part)
        made.append(grouped(draft))
    whole = together(case.items, regions, made, K, _state())
    assert whole.groups.now[0].top <= len(whole.groups.part)
    assert_sound(case, whole)
    assert_boxes_cover_their_groups(whole)
    leaves = whole.tree.box[whole.tree.box.left < 0]
    many = int(whole.groups.now[0].groups)
    assert sorted(np.concatenate([whole.tree.order[box.start : box.stop] for box in leaves])) == list(range(many))
    root = whole.tree.box[0]
    assert (int(root.parent), int(root.start), int(root.stop)) == (-1, 0, many)


def _started(case, cells):
    """Groups of a region alone, numbered as the region numbers them."""
    items = Region(case.items, cells, K, np.ones(len(case.names)), K, (0, 0)).alone()
    return started_draft(type("Alone", (), {"items": items, "names": case.names}))
