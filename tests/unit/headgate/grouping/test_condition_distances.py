from __future__ import annotations

from collections import Counter
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.grouping.condition_checks import holds, scratch_for
from headgate.grouping.condition_rules import compile_conditions
from headgate.grouping.conditions import conditions_of
from headgate.grouping.nearness import compile_limits
from headgate.grouping.watch import Watch
from tests.unit.headgate.methods.mondrian.definitions import (
    SENSITIVE,
    encoded,
    frames,
    transport,
)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(frames(most=30), st.sampled_from([*SENSITIVE, "entropy"]), st.integers(1, 30))
def test_distances_and_entropies_turn_at_the_very_figure_of_their_definition(drawn, what, size):
    frame, quasi = drawn
    table, everything = encoded(frame, quasi), np.arange(len(frame))
    rows = np.random.default_rng(size).permutation(everything)[:size]
    weight = np.arange(len(rows), dtype=np.int64) % 3 + 1  # a row stands for so many
    name = "illness" if what == "entropy" else what
    cells = [frame[name][row] for row, many in zip(rows, weight, strict=True) for _ in range(many)]
    if what == "entropy":
        figure = exp(-sum(n / len(cells) * log(n / len(cells)) for n in Counter(cells).values()))
        asked = [conditions_of([name], entropy_l=max(1.0, figure - 1e-6)), conditions_of([name], entropy_l=figure + 1e-6)]
    else:
        figure = transport(name, cells, frame[name].tolist())
        asked = [conditions_of([name], closeness=figure + 1e-6), conditions_of([name], closeness=max(0.0, figure - 1e-6))]
    limits, found = compile_limits([], table.rows), []
    for conditions in asked:
        rules = compile_conditions(table, conditions)
        found.append(holds(rules, limits, rows.astype(np.int64), weight, scratch_for(rules, limits, Watch().state, table.rows)))
    assert found == [True, what != "entropy" and figure < 1e-7]
