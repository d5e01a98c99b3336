"""Mondrian on frames: what strict and relaxed cuts do, conditions that are not monotone, wrong settings, long runs."""

from __future__ import annotations

import threading
from dataclasses import replace
from time import perf_counter

import numpy as np
import pandas as pd
import pytest

import headgate as hg
from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.errors import InputRejected, RequirementNotMet
from headgate.core.hierarchy import Hierarchy
from headgate.grouping.conditions import conditions_of
from headgate.grouping.items import items_of
from headgate.grouping.limits import dissimilarity
from headgate.grouping.recount import recount
from headgate.grouping.watch import Stopped, Watch
from headgate.methods.anonymize import anonymize
from headgate.methods.mondrian.mondrian_method import Mondrian
from headgate.methods.mondrian.mondrian_partition import mondrian_partition
from headgate.methods.settings import Infeasible, Settings

TREE = Hierarchy.from_rows([(f"t{i}", f"district{i // 2}", f"region{i // 6}", "*") for i in range(9)], "town")


def encoded(frame, quasi):
    return encode_table(
        frame,
        {
            name: ColumnSpec(
                name,
                Kind.INTEGER if name == "age" else Kind.CATEGORY,
                Role.QUASI if name in quasi else Role.SENSITIVE,
                hierarchy=TREE if name == "town" else None,
            )
            for name in frame.columns
        },
    )


def test_equal_quasi_identifiers_are_never_separated_by_strict_cuts_and_may_be_by_relaxed_ones():
    draw = np.random.default_rng(4)
    frame = pd.DataFrame({"age": draw.integers(0, 12, 400), "sex": draw.choice(["f", "m"], 400), "pay": draw.integers(0, 9, 400)})
    strict = hg.mondrian(frame, ["age", "sex"], 5)
    relaxed = hg.mondrian(frame, ["age", "sex"], 5, strict=False)
    assert frame.assign(group=strict.groups).groupby(["age", "sex"])["group"].nunique().max() == 1
    assert frame.assign(group=relaxed.groups).groupby(["age", "sex"])["group"].nunique().max() > 1
    assert relaxed.partition.count > strict.partition.count


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


def test_a_table_that_breaks_a_condition_may_have_parts_that_keep_it():
    """At k = 2, δ = 0.7 no two of four rows may be alike: two pairs of x and y can do it, all four rows together cannot."""
    frame = pd.DataFrame({"age": [1, 1, 9, 9], "illness": ["flu", "cold", "flu", "cold"]})
    table = encoded(frame, ["age"])
    limit = dissimilarity(table.select(["illness"]), "0", "0.7")
    found = mondrian_partition(table, ["illness"], Settings(2, (limit,)))
    assert found.reached
    assert found.groups.tolist() == [0, 0, 1, 1]


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


def test_missing_cells_come_last_and_count_as_the_whole_domain():
    """Ages 0 … 3 and four missing ones: the axis is as wide as can be, and the cut is between present and missing."""
    frame = pd.DataFrame({"age": pd.Series([None, 3, None, 1, 0, None, 2, None], dtype=object), "sex": ["f", "m"] * 4})
    found = mondrian_partition(encoded(frame, ["age", "sex"]), [], Settings(4))
    assert found.groups.tolist() == [1, 0, 1, 0, 0, 1, 0, 1]


def test_a_required_distinct_l_is_capped_at_what_the_table_has():
    frame = pd.DataFrame({"age": range(12), "illness": ["flu", "cold"] * 6})
    found = hg.mondrian(frame, ["age"], 2, ["illness"], distinct_l=5)
    assert found.reached
    assert found.partition.count == 4  # halves of 6 and 3: a smaller cut would leave one row alone


def test_suppression_and_relaxing_work_as_for_the_other_methods():
    draw = np.random.default_rng(3)
    frame = pd.DataFrame({"age": draw.integers(0, 90, 200), "illness": draw.permutation(["flu"] * 120 + [f"v{i}" for i in range(80)])})
    table = encoded(frame, ["age"])
    limit = dissimilarity(table.select(["illness"]), "0", "0.6")
    plain = Settings(10, (limit,), conditions=conditions_of(["illness"], closeness="0.9"))
    refused = anonymize(Mondrian(), table, ["illness"], plain, 0)
    assert not refused.reached
    assert refused.certificate is not None
    with pytest.raises(RequirementNotMet):
        refused.require()
    fewer = anonymize(Mondrian(), table, ["illness"], replace(plain, infeasible=Infeasible.of({"suppress": "0.5"})), 0)
    assert fewer.reached
    assert 0 < fewer.suppressed == (fewer.groups < 0).sum() <= 100
    for group in range(fewer.count):
        inside = frame["illness"][fewer.groups == group]
        assert len(inside) >= 10
        assert (inside == "flu").sum() - 1 <= 0.4 * (len(inside) - 1) + 1e-9
    relaxed = anonymize(Mondrian(), table, ["illness"], replace(plain, infeasible=Infeasible.of({"relax": "0.2"})), 0)
    assert relaxed.reached
    assert 0.2 <= relaxed.delta_asked < 0.6


def test_frames_are_conditioned_by_one_bound_or_one_for_each_attribute():
    draw = np.random.default_rng(2)
    frame = pd.DataFrame({"age": draw.integers(0, 90, 600), "illness": draw.choice(list("abcde"), 600), "pay": draw.integers(0, 40, 600)})
    plain = hg.mondrian(frame, ["age"], 5, ["illness", "pay"])
    for condition in (
        {"distinct_l": 4},
        {"entropy_l": {"illness": 3}},
        {"recursive": (2, 3)},
        {"recursive": {"illness": (2, 3)}},
        {"closeness": {"pay": "0.15"}},
        {"frequency": {"illness": "2.5"}},
        {"epsilon": "0.1", "delta": "0.8"},
        {"closeness": "0.3", "strict": False},
    ):
        found = hg.mondrian(frame, ["age"], 5, ["illness", "pay"], **condition)
        assert found.reached
        assert found.partition.count > 1
        assert found.groups.tolist() != plain.groups.tolist(), condition
    figures = hg.check(
        hg.mondrian(frame, ["age"], 5, ["illness", "pay"], closeness="0.3", distinct_l={"illness": 3}).release(frame),
        quasi=["age"],
        sensitive=["illness", "pay"],
        group="group",
    )
    assert figures.sensitive["illness"].distinct_l >= 3
    assert max(one.closeness for one in figures.sensitive.values()) <= 0.3 + 1e-9


@pytest.mark.parametrize(
    "wrong",
    [
        {"k": 0},
        {"k": 41},
        {"quasi": []},
        {"sensitive": [], "closeness": "0.3"},
        {"distinct_l": 0.5},
        {"entropy_l": 0},
        {"frequency": "0.2"},
        {"recursive": 3},
        {"recursive": (0, 2)},
        {"recursive": (3, 1)},
        {"closeness": "-0.1"},
        {"closeness": {"age": "0.1"}},
        {"epsilon": "0.1"},
    ],
)
def test_what_cannot_be_meant_is_refused(wrong):
    frame = pd.DataFrame({"age": range(40), "illness": ["flu", "cold"] * 20})
    with pytest.raises(InputRejected) as refusal:
        hg.mondrian(frame, **{"quasi": ["age"], "k": 5, "sensitive": ["illness"], **wrong})
    assert refusal.value.cure


def test_equal_rows_and_constant_attributes_make_one_group():
    frame = pd.DataFrame({"age": [30] * 50, "sex": ["f"] * 50, "illness": ["flu"] * 50})
    for strict in (True, False):
        found = hg.mondrian(frame, ["age", "sex"], 5, ["illness"], strict=strict, closeness="0", distinct_l=2, entropy_l=1)
        assert found.reached
        assert found.partition.count == 1
        assert found.loss == 0.0


def test_the_room_of_the_method_does_not_hide_the_function_of_its_name():
    import headgate.methods.mondrian.mondrian_partition

    frame = pd.DataFrame({"age": range(40)})
    assert headgate.methods.mondrian.mondrian_partition.mondrian_partition is mondrian_partition
    assert headgate.mondrian(frame, quasi=["age"], k=10).reached


def test_a_run_tells_how_far_it_is():
    table = encoded(pd.DataFrame({"age": np.random.default_rng(0).integers(0, 400, 3000)}), ["age"])
    watch = Watch()
    mondrian_partition(table, [], Settings(5), watch=watch)
    assert watch.state[:2].tolist() == [3000, 3000]


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
    assert perf_counter() - told[0] < 1.0
    assert watch.state[0] < 100_000
