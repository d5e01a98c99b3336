"""How many rows of a group are similar to each."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.grouping import nearness as compiled
from headgate.grouping.neighbour_counts import near_rows
from tests.unit.headgate.grouping.similar_cells import cases, limit_over, similar_cells, steering_by


@settings(max_examples=50, deadline=None)
@given(cases(), st.integers(0, 1_000), st.booleans())
def test_rows_near_each_value_of_a_group_are_all_its_similar_rows(drawn, seed, listed):
    """A group that has some values several times, in any order; a small one or a large one."""
    limit = limit_over(*drawn)
    with pytest.MonkeyPatch.context() as patch:
        if listed:
            patch.setattr(compiled, "LARGEST_TABLE", 0)
        steering = steering_by(limit)
    draw = np.random.default_rng(seed)
    members = draw.integers(0, limit.rows, int(draw.integers(1, 80)))
    counts = draw.integers(1, 5, len(members))
    expected = similar_cells(drawn)[members][:, members] @ counts
    assert near_rows(steering, 0, limit.value[members].astype(np.int64), counts).tolist() == expected.tolist()
