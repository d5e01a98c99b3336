"""The tree in which groups are found."""

from __future__ import annotations

import numpy as np
import pytest

from headgate.methods.blocks.search_tree import IN_LEAF, tree_of
from tests.unit.headgate.methods.blocks.drafts import assert_boxes_cover_their_groups, started_draft


@pytest.mark.parametrize("seed", range(6))
def test_every_group_is_in_one_leaf_and_every_box_spans_what_is_in_it(told, seed):
    draft = started_draft(told(seed, 160, limited=False))
    tree = tree_of(draft.groups)
    many, found = int(draft.groups.now[0].groups), []
    for number, box in enumerate(tree.box):
        inside = tree.order[box.start : box.stop]
        assert tree.span.low[number].tolist() == draft.groups.span.low[inside].min(axis=0).tolist()
        assert tree.span.high[number].tolist() == draft.groups.span.high[inside].max(axis=0).tolist()
        if box.left < 0:
            chain, group = [], int(box.group)
            while group >= 0:
                assert int(draft.groups.of[group].leaf) == number
                chain.append(group)
                group = int(draft.groups.of[group].beside)
            assert sorted(chain) == sorted(inside.tolist())
            alike = np.unique(draft.groups.span.low[inside] + draft.groups.span.high[inside], axis=0)
            assert len(chain) <= IN_LEAF or len(alike) == 1
            found += chain
    assert sorted(found) == list(range(many))
    assert_boxes_cover_their_groups(draft._replace(tree=tree))
