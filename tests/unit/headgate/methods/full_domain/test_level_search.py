"""The search of the lattice against every node counted by hand: dictionaries of labels, fractions, definitions."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headgate as hg
from headgate.core.errors import RequirementNotMet
from headgate.grouping.watch import Stopped, Watch
from headgate.methods.full_domain.level_search import full_domain
from headgate.methods.full_domain.level_settings import LevelSettings
from tests.unit.headgate.methods.full_domain import mixed as mixed_table
from tests.unit.headgate.methods.full_domain.every_node import (
    CONDITIONS,
    compare,
    drawn,
    encoded,
    rows_of_tables,
)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    rows_of_tables,
    st.integers(1, 5),
    st.sampled_from(["0", "0.1", "0.35", "1"]),
    st.sampled_from(["ncp", "discernibility", "arx"]),
    st.lists(st.sampled_from(CONDITIONS), max_size=2, unique_by=lambda one: one[0]),
    st.sampled_from([(), ("none",)]),
    st.booleans(),
)
def test_valid_nodes_minimal_nodes_and_the_optimum_are_those_of_every_node_counted(rows, k, share, objective, asked, harmless, tree):
    if any(one[:2] == ("close", "pay") for one in asked):  # on a line with missing cells see the tests of line_transport
        rows = [(*row[:4], 10 if row[4] is None else row[4]) for row in rows]
    compare(rows, k, share, objective, asked, harmless, tree)


def test_column_and_row_order_do_not_matter():
    rows = drawn(9, 60)
    one = full_domain(encoded(rows), (), LevelSettings(3, Fraction("0.1")))
    other = full_domain(encoded(rows[::-1]), (), LevelSettings(3, Fraction("0.1")))
    assert (one.optimum, one.valid_nodes, one.minimal) == (other.optimum, other.valid_nodes, other.minimal)
    assert one.loss == pytest.approx(other.loss)
    pairs = set(zip(one.groups.tolist(), other.groups[::-1].tolist(), strict=True))
    assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


def test_no_valid_node_is_said_so_and_required_in_vain():
    frame = pd.DataFrame({"town": ["a", "b"], "ill": ["flu", "flu"]})
    found = hg.full_domain(frame, {"town": [("a", "*"), ("b", "*")]}, k=2, frequency={"ill": 2})
    assert not found.reached
    assert (found.valid_nodes, found.minimal, found.groups.tolist()) == (0, (), [-1, -1])
    with pytest.raises(RequirementNotMet, match="Lower k"):
        found.require()


def test_a_stopped_search_has_no_result():
    watch = Watch()
    watch.stop()
    with pytest.raises(Stopped):
        full_domain(mixed_table.encoded(mixed_table.mixed()), ("ill",), LevelSettings(2), watch)
