from __future__ import annotations

import threading
from time import perf_counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headgate as hg
from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.grouping.limits import dissimilarity
from headgate.grouping.watch import Stopped, Watch
from headgate.methods.mondrian.mondrian_partition import mondrian_partition
from headgate.methods.settings import Settings
from tests.unit.headgate.methods.mondrian.definitions import (
    MONOTONE,
    Line,
    Oracle,
    as_sets,
    encoded,
    frames,
    recursion,
    settings_of,
)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(frames(), st.integers(1, 6), st.booleans())
def test_strict_cuts_with_k_alone_are_those_of_a_plain_recursion(drawn, k, copied):
    frame, quasi = drawn
    if copied:  # equal rows stand for each other
        frame = pd.concat([frame[[*quasi, "pay"]]] * 9, ignore_index=True)
    if len(frame) < k:
        return
    lines = [Line(name, frame[name].tolist()) for name in quasi]
    found = mondrian_partition(encoded(frame, quasi), [], Settings(k))
    assert as_sets(found.groups) == recursion(lines, list(range(len(frame))), k, lambda rows: True)
    assert found.reached


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(frames(), st.sampled_from(MONOTONE), st.integers(2, 4))
def test_conditions_allow_exactly_the_cuts_whose_sides_hold_them(drawn, asked, k):
    frame, quasi = drawn
    oracle = Oracle(frame, (), asked)
    everything = list(range(len(frame)))
    if len(frame) < k or not oracle.holds(everything):
        return
    table = encoded(frame, quasi)
    found = mondrian_partition(table, [], settings_of(table, k, asked))
    lines = [Line(name, frame[name].tolist()) for name in quasi]
    assert as_sets(found.groups) == recursion(lines, everything, k, oracle.holds)
    assert found.reached


def test_a_table_that_breaks_a_condition_may_have_parts_that_keep_it():
    """At k = 2, δ = 0.7 no two of four rows may be alike: two pairs of x and y can do it, all four rows together cannot."""
    frame = pd.DataFrame({"age": [1, 1, 9, 9], "illness": ["flu", "cold", "flu", "cold"]})
    table = encoded(frame, ["age"])
    limit = dissimilarity(table.select(["illness"]), "0", "0.7")
    found = mondrian_partition(table, ["illness"], Settings(2, (limit,)))
    assert found.reached
    assert found.groups.tolist() == [0, 0, 1, 1]


def test_missing_cells_come_last_and_count_as_the_whole_domain():
    """Ages 0 … 3 and four missing ones: the axis is as wide as can be, and the cut is between present and missing."""
    frame = pd.DataFrame({"age": pd.Series([None, 3, None, 1, 0, None, 2, None], dtype=object), "sex": ["f", "m"] * 4})
    found = mondrian_partition(encoded(frame, ["age", "sex"]), [], Settings(4))
    assert found.groups.tolist() == [1, 0, 1, 0, 0, 1, 0, 1]


def test_equal_rows_and_constant_attributes_make_one_group():
    frame = pd.DataFrame({"age": [30] * 50, "sex": ["f"] * 50, "illness": ["flu"] * 50})
    for strict in (True, False):
        found = hg.mondrian(frame, ["age", "sex"], 5, ["illness"], strict=strict, closeness="0", distinct_l=2, entropy_l=1)
        assert found.reached
        assert found.partition.count == 1
        assert found.loss == 0.0


def test_a_run_tells_how_far_it_is():
    table = encoded(pd.DataFrame({"age": np.random.default_rng(0).integers(0, 400, 3000)}), ["age"])
    watch = Watch()
    mondrian_partition(table, [], Settings(5), watch=watch)
    assert watch.state[:2].tolist() == [3000, 3000]


class ToldAtOnce(Watch):
    """Told to stop as soon as the work begins."""

    def run(self, work):
        self.stop()
        work()
        raise Stopped


def test_a_run_that_was_told_to_stop_cuts_nothing_more():
    table = encoded(pd.DataFrame({"age": np.arange(100) % 40}), ["age"])
    watch = ToldAtOnce()
    with pytest.raises(Stopped):
        mondrian_partition(table, [], Settings(5), watch=watch)
    assert watch.state[:2].tolist() == [0, 100]


def test_a_long_run_stops_soon_after_it_is_told_to():
    """Among a hundred thousand different values one look at a block takes a moment, and there are hundreds of blocks."""
    draw = np.random.default_rng(5)
    frame = pd.DataFrame({"age": draw.integers(0, 400, 100_000), "pay": draw.random(100_000), "home": draw.random(100_000)})
    kinds = {"age": Role.QUASI, "pay": Role.SENSITIVE, "home": Role.SENSITIVE}
    table = encode_table(frame, {name: ColumnSpec(name, Kind.NUMBER, role) for name, role in kinds.items()})
    limit = dissimilarity(table.select(["pay", "home"]), "0.05", "0.6")
    few = np.arange(500)
    mondrian_partition(table.take(few), [], Settings(5, (limit.take(few),)))
    watch, told = Watch(), []
    threading.Timer(0.2, lambda: (told.append(perf_counter()), watch.stop())).start()
    with pytest.raises(Stopped):
        mondrian_partition(table, [], Settings(5, (limit,)), watch=watch)
    assert perf_counter() - told[0] < 3.0
    assert watch.state[0] < 100_000
