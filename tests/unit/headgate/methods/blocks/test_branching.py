"""New groups that branch off large ones."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from headgate.core.compiling import loop
from headgate.methods.blocks.branching import shed
from headgate.methods.blocks.groups import empty
from tests.unit.headgate.methods.blocks.drafts import K, fill, rows_aside, rows_by_item, whole_draft


@loop
def _shed_after_another(draft, before, cells):
    """From group 0, which is not the first in the store: that was another, and is empty now."""
    fill(draft.groups, 1, before)
    fill(draft.groups, 0, cells)
    empty(draft.groups, 1)
    return shed(draft, 0)


@pytest.mark.long
def test_rows_branch_off_whole_while_the_groups_close_up(told):
    """The group they come from moves then, so its rows are elsewhere from one moment to the next."""
    branched = 0
    for seed in range(20):
        case = told(seed, 80, quasi=("age",))
        cells = np.arange(case.items.cells)
        held = case.rows_of(cells)
        for room in range(6, 30, 4):
            draft = _with_places(whole_draft(case, K), 3 * len(held) + 8 + room)
            branched += _shed_after_another(draft, cells, cells)
            total = Counter(dict(zip(rows_aside(draft.aside).number.tolist(), rows_aside(draft.aside).rows.tolist(), strict=True)))
            for group, rows in enumerate(rows_by_item(draft.groups)):
                total.update(rows)
                assert draft.groups.of[group].rows == sum(rows.values())
            assert total == held, seed
    assert branched > 20


def _with_places(draft, places):
    """Eight groups, two of which are in use, and so many places for parts."""
    groups = draft.groups
    short = groups._replace(
        of=np.zeros(8, groups.of.dtype).view(np.recarray),
        span=np.zeros((8, groups.span.shape[1]), groups.span.dtype).view(np.recarray),
        part=groups.part[:places].copy(),
        crowd=groups.crowd[:places].copy(),
    )
    short.now.groups = 2
    return draft._replace(groups=short)
