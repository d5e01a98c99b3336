import itertools
from fractions import Fraction

import numpy as np
import pytest

from headgate.advice.result import Tried
from headgate.advice.rungs import delta_text, rungs
from headgate.core.errors import InputRejected
from headgate.grouping.limits import dissimilarity, linkability
from headgate.methods.anonymize import anonymize
from headgate.methods.blocks.blocks_method import Blocks
from headgate.methods.settings import Settings
from tests.unit.headgate.advice.people import people
from tests.unit.headgate.advice.trials import advised


def test_what_is_guaranteed_and_what_is_reached_is_possible():
    advice = advised(people(), ["illness"], sizes=(5, 10), epsilons=("0", "0.5"))
    assert len(advice.settings) == 4
    for setting in advice.settings:
        assert setting.reached is not None
        assert setting.reached <= setting.possible
        assert setting.guaranteed is None or setting.guaranteed <= setting.possible


def test_the_delta_advised_can_be_reached_and_the_first_refuted_one_cannot():
    table = people(alike=0.5)
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
    table = people(rows, alike=0.6)
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
    (setting,) = advised(people(2000), ["illness", "pay"], sizes=(10,), epsilons=("0.1",)).settings
    assert len(setting.frontier) >= 3
    assert [point.delta for point in setting.frontier] == sorted((point.delta for point in setting.frontier), reverse=True)
    assert setting.frontier[-1].tried.loss < setting.frontier[0].tried.loss
    assert all(point.tried.query_error is not None for point in setting.frontier)


def test_nothing_is_tried_twice():
    asked = []

    def trial(k, epsilon, delta):
        asked.append((k, epsilon, delta))
        return Tried(float(delta) <= 0.5, loss=0.1)

    advice = advised(people(), ["illness"], sizes=(5, 10), epsilons=("0", "0.5"), trial=trial)
    assert len(asked) == len(set(asked))
    assert {epsilon for _, epsilon, _ in asked} == {"0"}  # a larger ε that adds no pair is the same graph
    assert [setting.reached for setting in advice.settings] == [Fraction(1, 2)] * 4


def test_nothing_that_is_refuted_is_tried():
    tried = []

    def trial(k, epsilon, delta):
        tried.append(Fraction(delta))
        return Tried(False, reason="not today")

    (setting,) = advised(people(alike=0.7), ["illness"], sizes=(5,), epsilons=("0",), trial=trial).settings
    assert tried
    assert max(tried) <= setting.possible < 1
    assert setting.reached is None
    assert setting.why_not == "not today"


def test_theta_and_the_bottleneck_are_shown():
    table = people()
    (setting,) = advised(table, ["illness"], sizes=(5,), epsilons=("0",)).settings
    most = int(np.bincount(table["illness"].codes).max())
    assert setting.largest_degree == most - 1
    assert setting.bottleneck == pytest.approx(1 - 2 * (most - 1) / 400)


def test_a_linkability_that_no_partition_keeps_leaves_no_delta():
    table = people(alike=0.9)
    others = [linkability(table["illness"], "0.5")]
    (setting,) = advised(table, ["illness"], sizes=(5,), epsilons=("0",), others=others).settings
    assert setting.possible is None
    assert setting.reached is None
    assert setting.certificate.limit == "linkability of illness"
    assert "linkability of illness" in setting.why_not


def test_settings_are_told_as_they_are_done():
    done = []
    advised(people(), ["illness"], sizes=(5, 10), epsilons=("0", "0.5"), announce=done.append)
    assert sum(done) == 4


def test_sizes_that_do_not_fit_are_left_out_or_refused():
    assert [setting.k for setting in advised(people(12), ["pay"], epsilons=("0",)).settings] == [5, 10]
    with pytest.raises(InputRejected):
        advised(people(4), ["pay"])
    with pytest.raises(InputRejected):
        rungs(1)
