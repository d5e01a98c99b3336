"""Where the parts of groups lie."""

from __future__ import annotations

import itertools

import pytest

from tests.unit.headgate.methods.blocks.changed_groups import assert_counted, changed_groups


@pytest.mark.parametrize("seed", range(6))
def test_groups_that_find_no_place_behind_the_others_close_up_and_lose_nothing(told, seed):
    """Two places per row are enough, however often rows come and go."""
    case, groups, held, _, _ = changed_groups(told, seed, changes=600)
    assert_counted(case, groups, held)
    assert groups.now[0].top <= len(groups.part) == 2 * case.rows + 2
    stretches = sorted((int(own.begin), int(own.begin + own.places)) for own in groups.of if own.parts)
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(stretches))
