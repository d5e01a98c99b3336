import itertools
import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate.advice.binding import binding_sentence, smallest_bounds
from headgate.advice.delta_search import first_that, search
from headgate.advice.pareto import frontier
from headgate.advice.result import Tried
from headgate.advice.rungs import delta_text, largest, rungs
from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.errors import InputRejected
from headgate.grouping.limits import dissimilarity, linkability
from headgate.methods.anonymize import anonymize
from headgate.methods.blocks.blocks_method import Blocks
from headgate.methods.settings import Settings
from tests.unit.headgate.advice.trials import advised


def _table(rows=400, alike=0.3, seed=1):
    draw = np.random.default_rng(seed)
    illness = np.where(draw.random(rows) < alike, "flu", draw.choice([f"v{i}" for i in range(20)], rows))
    frame = pd.DataFrame({"age": draw.integers(0, 90, rows), "illness": illness, "pay": draw.integers(0, 100, rows)})
    specs = {
        "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI),
        "illness": ColumnSpec("illness", Kind.CATEGORY, Role.SENSITIVE, weight=3.0),
        "pay": ColumnSpec("pay", Kind.INTEGER, Role.SENSITIVE),
    }
    return encode_table(frame, specs)


def test_what_is_guaranteed_and_what_is_reached_is_possible():
    advice = advised(_table(), ["illness"], sizes=(5, 10), epsilons=("0", "0.5"))
    assert len(advice.settings) == 4
    for setting in advice.settings:
        assert setting.reached is not None
        assert setting.reached <= setting.possible
        assert setting.guaranteed is None or setting.guaranteed <= setting.possible


def test_the_delta_advised_can_be_reached_and_the_first_refuted_one_cannot():
    table = _table(alike=0.5)
    (setting,) = advised(table, ["illness"], sizes=(10,), epsilons=("0",)).settings
    limit = dissimilarity(table.select(["illness"]), "0", "0")
    again = anonymize(Blocks(), table, ["illness"], Settings(10, (limit.with_delta(delta_text(setting.reached)),)), 0)
    assert again.reached
    assert again.loss == pytest.approx(setting.best.tried.loss)
    assert setting.possible < 1
    assert setting.certificate is not None
    above = limit.with_delta(setting.possible + Fraction(1, 100))
    assert not anonymize(Blocks(), table, ["illness"], Settings(10, (above,)), 0).reached


def test_the_possible_delta_is_the_last_hundredth_at_which_equal_rows_find_room():
    """By counting alone: c equal rows of n fit only into groups of sizes ≥ k that hold ⌊(1−δ)(s−1)⌋ + 1 of them each."""
    rows, k = 60, 5
    table = _table(rows, alike=0.6)
    most = int(np.bincount(table["illness"].codes).max())

    def room(delta):
        best = [0] + [-1] * rows
        for total, size in itertools.product(range(k, rows + 1), range(k, rows + 1)):
            if total >= size and best[total - size] >= 0:
                best[total] = max(best[total], best[total - size] + int((1 - delta) * (size - 1)) + 1)
        return best[rows]

    (setting,) = advised(table, ["illness"], sizes=(k,), epsilons=("0",)).settings
    assert setting.possible == max(delta for delta in (Fraction(i, 100) for i in range(101)) if most <= room(delta))


def test_a_smaller_delta_is_tried_too_and_the_frontier_shows_what_it_costs():
    (setting,) = advised(_table(2000), ["illness", "pay"], sizes=(10,), epsilons=("0.1",)).settings
    assert len(setting.frontier) >= 3
    assert [point.delta for point in setting.frontier] == sorted((point.delta for point in setting.frontier), reverse=True)
    assert setting.frontier[-1].tried.loss < setting.frontier[0].tried.loss
    assert all(point.tried.query_error is not None for point in setting.frontier)


def test_nothing_is_tried_twice():
    asked = []

    def trial(k, epsilon, delta):
        asked.append((k, epsilon, delta))
        return Tried(float(delta) <= 0.5, loss=0.1)

    advice = advised(_table(), ["illness"], sizes=(5, 10), epsilons=("0", "0.5"), trial=trial)
    assert len(asked) == len(set(asked))
    assert {epsilon for _, epsilon, _ in asked} == {"0"}  # a larger ε that adds no pair is the same graph
    assert [setting.reached for setting in advice.settings] == [Fraction(1, 2)] * 4


def test_nothing_that_is_refuted_is_tried():
    tried = []

    def trial(k, epsilon, delta):
        tried.append(Fraction(delta))
        return Tried(False, reason="not today")

    (setting,) = advised(_table(alike=0.7), ["illness"], sizes=(5,), epsilons=("0",), trial=trial).settings
    assert tried
    assert max(tried) <= setting.possible < 1
    assert setting.reached is None
    assert setting.why_not == "not today"


@given(st.integers(1, 60), st.data())
def test_the_first_that_holds_is_found_wherever_the_search_starts(count, data):
    first = data.draw(st.integers(0, count))
    start = data.draw(st.none() | st.integers(-3, count + 3))
    looked = []

    def holds(place):
        looked.append(place)
        return place >= first

    assert first_that(count, holds, start) == first
    assert len(looked) == len(set(looked))
    assert all(0 <= place < count for place in looked)


@given(st.integers(2, 60), st.floats(0, 1))
def test_the_search_finds_the_largest_rung_that_is_reached(k, bound):
    steps = rungs(k)
    points = search(steps, lambda delta: Tried(delta <= bound))
    assert max(point.delta for point in points if point.tried.reached) == max(delta for delta in steps if delta <= bound)


@given(st.integers(0, 10**6))
def test_rungs_fall_and_are_written_exactly(millionths):
    steps = rungs(5, [Fraction(millionths, 10**6)])
    assert [Fraction(delta_text(delta)) for delta in steps] == list(steps) == sorted(steps, reverse=True)
    assert {Fraction(0), Fraction(millionths, 10**6), Fraction(1)} <= set(steps)


@given(st.integers(-1, 100))
def test_the_largest_hundredth_that_holds(last):
    found = largest(lambda delta: delta * 100 <= last)
    assert found == (None if last < 0 else Fraction(last, 100))


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=12))
def test_the_frontier_is_what_nothing_else_beats(points):
    kept = frontier(points)
    for place, (risk, loss) in enumerate(points):
        beaten = any(one != (risk, loss) and one[0] <= risk and one[1] <= loss for one in points)
        twin = points.index((risk, loss)) < place
        assert (place in kept) == (not beaten and not twin)


def test_advice_names_the_binding_values_and_what_epsilon_is_a_share_of():
    advice = advised(_table(alike=0.6), ["illness", "pay"], sizes=(5,), epsilons=("0.1",))
    assert advice.epsilon_means == (("illness", 0.75), ("pay", 0.25))
    assert advice.binding[0].value == "flu"
    assert advice.binding[0].share == pytest.approx(advice.binding[0].rows / 400)
    assert json.loads(json.dumps(advice.to_json()))["binding"][0]["value"] == "flu"


def test_what_binds_is_said_in_words_with_its_value_only_where_values_may_be_shown():
    table = _table(alike=0.6)
    (setting,) = smallest_bounds(advised(table, ["illness"], sizes=(5, 10), epsilons=("0",)).settings)
    rows = int(np.bincount(table["illness"].codes).max())
    shown, hidden = binding_sentence(setting, True), binding_sentence(setting, False)
    assert shown == (
        f"{rows} rows, {rows / 4:.1f} %, share one value (illness: flu): "
        f"no partition exists above δ = {delta_text(setting.possible)} at k = 5 or more and ε = 0."
    )
    assert "flu" not in hidden
    assert "of illness" in hidden


def test_theta_and_the_bottleneck_are_shown():
    table = _table()
    (setting,) = advised(table, ["illness"], sizes=(5,), epsilons=("0",)).settings
    most = int(np.bincount(table["illness"].codes).max())
    assert setting.largest_degree == most - 1
    assert setting.bottleneck == pytest.approx(1 - 2 * (most - 1) / 400)


def test_a_linkability_that_no_partition_keeps_leaves_no_delta():
    table = _table(alike=0.9)
    others = [linkability(table["illness"], "0.5")]
    (setting,) = advised(table, ["illness"], sizes=(5,), epsilons=("0",), others=others).settings
    assert setting.possible is None
    assert setting.reached is None
    assert setting.certificate.limit == "linkability of illness"
    assert "linkability of illness" in setting.why_not


def test_settings_are_told_as_they_are_done():
    done = []
    advised(_table(), ["illness"], sizes=(5, 10), epsilons=("0", "0.5"), told=done.append)
    assert sum(done) == 4


def test_sizes_that_do_not_fit_are_left_out_or_refused():
    assert [setting.k for setting in advised(_table(12), ["pay"], epsilons=("0",)).settings] == [5, 10]
    with pytest.raises(InputRejected):
        advised(_table(4), ["pay"])
    with pytest.raises(InputRejected):
        rungs(1)
