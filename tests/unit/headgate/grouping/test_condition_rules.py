"""Conditions laid out beside each other: each reads its own numbers, whatever stands before or after it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headgate as hg

TREE = [["a", "*"], ["b", "*"]]


def columns(order, illness, town):
    return pd.DataFrame({"town": town, **{name: illness[name] for name in order}})


def test_closeness_with_missing_cells_and_a_hierarchy_means_the_same_beside_another():
    """The table's share of missing cells was read as the last number of all conditions together: here as s2's share of "w" or of its
    missing cells, so that the only partition there is was called invalid."""
    cells = {"s1": ["a", None, "b"] * 3, "s2": ["u", "v", "w"] * 3}
    for order in (["s1", "s2"], ["s2", "s1"]):
        frame = columns(order, cells, list("xxxyyyzzz"))
        found = hg.mondrian(frame, ["town"], 2, order, closeness={"s1": 0.1, "s2": 1}, hierarchies={"s1": TREE})
        assert found.reached
        assert len(set(found.groups)) == 3


def test_each_closeness_is_compared_with_the_shares_of_its_own_attribute():
    """Every town has the table's own shares, so every level of the towns is valid."""
    alike, mixed = ["u"] * 9, ["a", None, "b"] * 3
    towns = [["x", "p", "*"], ["y", "p", "*"], ["z", "q", "*"]]
    for cells, tree in (({"s1": alike, "s2": mixed}, "s2"), ({"s1": mixed, "s2": alike}, "s1")):
        frame = columns(["s1", "s2"], cells, list("xxxyyyzzz"))
        asked = {"quasi": ["town"], "sensitive": ["s1", "s2"], "k": 2, "closeness": {"s1": 0.1, "s2": 0.1}}
        assert hg.full_domain(frame, hierarchies={"town": towns, tree: TREE}, **asked).valid_nodes == 3


@st.composite
def tables(draw):
    rows = draw(st.integers(4, 24))
    random = np.random.default_rng(draw(st.integers(0, 100_000)))
    cells = {"s1": random.choice(np.array(["a", "b", None], dtype=object), rows), "s2": random.choice(list("uvw"), rows)}
    return cells, random.choice(list("xyz"), rows), draw(st.sampled_from(["0.05", "0.1", "0.2", "0.35"]))


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(tables(), st.sampled_from([["s1", "s2"], ["s2", "s1"]]))
def test_a_closeness_that_always_holds_changes_nothing_in_either_order(drawn, order):
    cells, town, t = drawn
    frame = columns(order, cells, town)
    asked = {"k": 2, "sensitive": order, "hierarchies": {"s1": TREE}}
    alone = hg.mondrian(frame, ["town"], closeness={"s1": t}, **asked)
    beside = hg.mondrian(frame, ["town"], closeness={"s1": t, "s2": 1}, **asked)
    assert beside.reached == alone.reached
    assert (beside.groups == alone.groups).all()


@pytest.mark.slow
@pytest.mark.parametrize("order", [["s1", "s2"], ["s2", "s1"]])
def test_a_level_that_is_valid_stays_valid_beside_a_closeness_that_always_holds(order):
    random = np.random.default_rng(7)
    for _ in range(60):
        rows = int(random.integers(4, 24))
        cells = {"s1": random.choice(np.array(["a", "b", None], dtype=object), rows), "s2": random.choice(list("uvw"), rows)}
        frame = columns(order, cells, random.choice(list("xyz"), rows))
        levels = {"town": [["x", "p", "*"], ["y", "p", "*"], ["z", "q", "*"]]}
        asked = {"hierarchies": {**levels, "s1": TREE}, "quasi": ["town"], "k": 2, "sensitive": order}
        alone = hg.full_domain(frame, closeness={"s1": "0.2"}, **asked)
        beside = hg.full_domain(frame, closeness={"s1": "0.2", "s2": 1}, **asked)
        assert beside.valid_nodes == alone.valid_nodes
