from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headgate as hg
from headgate.grouping.items import items_of
from headgate.grouping.limits import dissimilarity
from headgate.grouping.recount import recount
from headgate.methods.mondrian.mondrian_partition import mondrian_partition
from headgate.methods.settings import Settings
from tests.unit.headgate.methods.mondrian.definitions import (
    MONOTONE,
    OTHERS,
    SENSITIVE,
    encoded,
    frames,
    settings_of,
)


@settings(max_examples=40, deadline=None)
@given(frames(), st.sampled_from(MONOTONE + OTHERS), st.integers(2, 4), st.integers(0, 99))
def test_the_order_of_rows_changes_no_strict_group(drawn, asked, k, seed):
    frame, quasi = drawn
    if len(frame) < k:
        return
    order = np.random.default_rng(seed).permutation(len(frame))
    table = encoded(frame, quasi)
    moved = table.take(order)
    one = mondrian_partition(table, SENSITIVE, settings_of(table, k, asked))
    other = mondrian_partition(moved, SENSITIVE, settings_of(moved, k, asked))
    assert other.groups.tolist() == one.groups[order].tolist()


@settings(max_examples=40, deadline=None)
@given(frames(), st.sampled_from([{}, *MONOTONE]), st.integers(2, 4), st.integers(0, 99))
def test_the_order_of_rows_changes_relaxed_groups_by_rows_that_are_alike_only(drawn, asked, k, seed):
    frame, quasi = drawn
    if len(frame) < k:
        return
    table = encoded(frame, quasi)
    moved = table.take(np.random.default_rng(seed).permutation(len(frame)))

    def contents(table):
        groups = mondrian_partition(table, SENSITIVE, settings_of(table, k, asked), strict=False).groups
        cells = table.codes([*quasi, *SENSITIVE])
        return Counter(tuple(sorted(map(tuple, cells[groups == g].tolist()))) for g in range(int(groups.max()) + 1))

    assert contents(moved) == contents(table)


def test_with_one_quasi_identifier_groups_stay_as_they_are_published():
    """Four ages of four rows, two of them alike: each keeps δ = 0.6, but not the first and the third together (4 of 8, where 3 may be)."""
    pays = [0, 1, 200, 220, 100, 101, 240, 260, 2, 3, 280, 300, 102, 103, 320, 340]
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(16)
        table = encoded(pd.DataFrame({"age": np.repeat(np.arange(4), 4)[order], "pay": np.array(pays)[order]}), ["age"])
        limit = dissimilarity(table.select(["pay"]), "0.02", "0.6")
        found = mondrian_partition(table, ["pay"], Settings(4, (limit,)))
        assert (found.count, found.loss, found.reached) == (4, 0.0, True)


@pytest.mark.parametrize("ties", [1, 7])
def test_relaxed_sides_differ_by_at_most_one_row(ties):
    """1000 rows at k = 10 are halved six times: 64 groups of 15 or 16."""
    frame = pd.DataFrame({"age": np.random.default_rng(1).permutation(1000) // ties})
    sizes = np.bincount(hg.mondrian(frame, ["age"], 10, strict=False).groups)
    assert len(sizes) == 64
    assert set(sizes.tolist()) == {15, 16}
    for k in (2, 3, 7, 40) if ties == 1 else (14, 40):
        sizes = np.bincount(hg.mondrian(frame.iloc[:997], ["age"], k, strict=False).groups)
        assert k <= sizes.min() <= sizes.max() <= 2 * k - 1


def test_divided_rows_take_evenly_from_the_sensitive_values():
    """32 rows at one age, half of them ill, and one at another: both parts of the first cut hold eight ill rows."""
    frame = pd.DataFrame({"age": [30] * 32 + [31], "illness": ["flu"] * 16 + ["cold"] * 16 + ["flu"]})
    found = mondrian_partition(encoded(frame, ["age"]), ["illness"], Settings(16), strict=False)
    ill = [int((frame["illness"][found.groups == g] == "flu").sum()) for g in range(found.count)]
    assert sorted(ill) == [8, 9]


def test_cuts_whose_groups_break_a_condition_as_one_published_class_are_taken_back():
    """Both halves of region0's three districts are published as region0. At δ = 0.66 four rows may hold two alike, but eight only three."""
    towns = ["t0", "t1", "t2", "t2", "t3", "t3", "t4", "t5", *["t6"] * 4]
    illness = [*"xxab", *"xxcd", *"efgh"]
    frame = pd.DataFrame({"town": towns, "illness": illness})
    table = encoded(frame, ["town"])
    limit = dissimilarity(table.select(["illness"]), "0", "0.66")
    apart = np.repeat(np.arange(3), 4).astype(np.int32)
    assert recount(items_of(table, [limit]), [limit], apart).broken
    found = mondrian_partition(table, ["illness"], Settings(4, (limit,)))
    assert found.reached
    assert found.count == 1  # the first cut was between the two


@pytest.mark.long
def test_a_cut_guessed_from_a_sample_of_centres_is_taken_back_if_one_centre_breaks_the_condition():
    """Half of the rows surround one centre, which alone has them all within ε: 1,301 of its 3,000 rows where 1,200 may be, of 6,000
    where 2,400 may be. Everybody else is near few."""
    draw = np.random.default_rng(1)
    corners = np.array([(0.5, 0.6), (0.5, 0.4), (0.6, 0.5), (0.4, 0.5)])[np.arange(1300) % 4] + draw.uniform(-0.004, 0.004, (1300, 2))
    others = draw.random((4697, 2))
    others = others[np.abs(others - 0.5).sum(axis=1) > 0.25]
    others = others[draw.integers(0, len(others), 4697)] + draw.uniform(-1e-6, 1e-6, (4697, 2))
    points = np.concatenate([others[:1697], [[0.5, 0.5]], corners, others[1697:], [[0.0, 0.0], [1.0, 1.0]]])
    frame = pd.DataFrame({"sex": ["f"] * 2998 + ["m"] * 3002, "a": points[:, 0], "b": points[:, 1]})
    found = hg.mondrian(frame, ["sex"], 10, ["a", "b"], epsilon="0.055", delta="0.6")
    assert found.reached
    assert found.partition.count == 1
    far = frame.assign(a=np.where(frame.index == 1697, 0.0, frame["a"]))
    assert hg.mondrian(far, ["sex"], 10, ["a", "b"], epsilon="0.055", delta="0.6").partition.count == 2
