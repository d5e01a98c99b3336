from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.grouping.condition_checks import holds, scratch_for
from headgate.grouping.condition_rules import compile_conditions
from headgate.grouping.nearness import compile_limits
from headgate.grouping.watch import Watch
from tests.unit.headgate.methods.mondrian.definitions import (
    MONOTONE,
    OTHERS,
    Oracle,
    encoded,
    frames,
    settings_of,
)


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(frames(most=30), st.sampled_from(MONOTONE + OTHERS), st.sampled_from([(), ("none",), ("none", None)]), st.integers(1, 30))
def test_each_condition_is_decided_as_it_is_defined(drawn, asked, harmless, size):
    frame, quasi = drawn
    table, oracle = encoded(frame, quasi, harmless), Oracle(frame, harmless, asked)
    wanted = settings_of(table, 2, asked)
    rules, limits = compile_conditions(table, wanted.conditions), compile_limits(wanted.limits, table.rows)
    scratch = scratch_for(rules, limits, Watch().state, table.rows)
    draw = np.random.default_rng(size)
    for _ in range(4):
        rows = draw.permutation(table.rows)[: min(size, table.rows)].astype(np.int64)
        assert holds(rules, limits, rows, np.ones(len(rows), dtype=np.int64), scratch) == oracle.holds(rows.tolist())
    assert not scratch.tally.any()
    assert not scratch.share.any()
