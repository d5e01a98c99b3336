"""Decision theory over dictionaries: Bayes and minimax, the best rules, who carries the risk, and Theorem 1 with its preconditions."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from headgate.core.columns import Column, Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import InputRejected
from headgate.risk.disclosure.decision import (
    agrees,
    bayes_losses,
    bayes_risk,
    bayes_rule,
    best_rule,
    bound_holds,
    minimax_risk,
    minimax_rule,
    refines,
    risk_distribution,
)
from headgate.risk.disclosure.expected_loss import disclosure_risk
from headgate.risk.disclosure.sensitivity import Sensitivity

FIELDS = ["age", "town"]
KINDS = {"age": Kind.INTEGER, "town": Kind.CATEGORY}
TENTHS = st.lists(st.integers(0, 10), min_size=1, max_size=5)
RISKS = st.sampled_from([0.0, 0.1, 0.5, 2.0, math.inf])


def columns(rows: list[tuple[Any, ...]]) -> dict[str, Column]:
    frame = pd.DataFrame(rows, columns=FIELDS, dtype=object)
    return {name: encode_column(frame[name], ColumnSpec(name, KINDS[name], Role.QUASI)) for name in FIELDS}


@settings(max_examples=60, deadline=None)
@given(TENTHS, st.data())
def test_the_bayes_risk_is_the_expectation_in_any_order_of_the_dictionaries(weights: list[int], draw: st.DataObject) -> None:
    assume(sum(weights) > 0)
    prior = [Fraction(weight, sum(weights)) for weight in weights]
    risks = [draw.draw(RISKS) for _ in prior]
    found = bayes_risk(risks, [float(share) for share in prior])
    if any(share and math.isinf(risk) for share, risk in zip(prior, risks, strict=True)):
        assert found == math.inf
    else:
        wanted = sum(share * Fraction(risk) for share, risk in zip(prior, risks, strict=True) if share)
        assert found == pytest.approx(float(wanted))
    assert bayes_risk(risks[::-1], [float(share) for share in prior[::-1]]) == found
    assert found <= minimax_risk(risks) * (1 + 1e-12)


def test_the_minimax_risk_is_that_of_the_worst_dictionary() -> None:
    assert minimax_risk([0.2, 0.7, 0.1]) == 0.7
    assert minimax_risk([0.2, math.inf]) == math.inf


@pytest.mark.parametrize("prior", [[0.5, 0.4], [0.5, 0.6], [1.5, -0.5], [math.nan, 1.0], [math.inf, 0.0], [1.0], [0.4, 0.4, 0.2]])
def test_a_prior_that_is_no_distribution_is_refused(prior: list[float]) -> None:
    with pytest.raises(InputRejected, match="prior"):
        bayes_risk([1.0, 2.0], prior)
    with pytest.raises(InputRejected, match="prior"):
        bayes_losses([np.ones(2), np.ones(2)], prior)


def test_a_prior_sums_to_one_within_the_tolerance() -> None:
    assert bayes_risk([1.0] * 10, [0.1] * 10) == pytest.approx(1.0)
    assert bayes_risk([3.0, 3.0], [0.5, 0.5 + 5e-10]) == pytest.approx(3.0)
    with pytest.raises(InputRejected, match="prior"):
        bayes_risk([3.0, 3.0], [0.5, 0.5 + 5e-9])


def test_a_risk_that_is_not_measurable_is_refused() -> None:
    for risks in ([math.nan, 1.0], [-0.1], []):
        for judge in (minimax_risk, best_rule, lambda one: bayes_risk(one, [1.0] * len(one)), lambda one: risk_distribution(np.array(one))):
            with pytest.raises(InputRejected):
                judge(risks)


def test_the_best_rules_are_the_first_with_the_least_risk() -> None:
    """Rows are rules, columns dictionaries."""
    risks = [[0.4, 0.1], [0.2, 0.3], [0.2, 0.3], [0.0, 0.9]]
    assert (best_rule([0.4, 0.2, 0.2, 0.3]).place, best_rule([0.4, 0.2, 0.2]).risk) == (1, 0.2)
    assert (bayes_rule(risks, [0.5, 0.5]).place, bayes_rule(risks, [0.0, 1.0]).place, bayes_rule(risks, [1.0, 0.0]).place) == (0, 0, 3)
    assert (minimax_rule(risks).place, minimax_rule(risks).risk) == (1, 0.3)
    assert best_rule([math.inf, math.inf]).place == 0
    assert best_rule([0.2 + 1e-12, 0.2]).place == 1


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from([0.0, 1.0, 5.0, math.inf])), min_size=1, max_size=6))
def test_the_bayes_loss_of_a_record_is_the_papers_second_formula(records: list[tuple[int, int, float]]) -> None:
    """Φ·Σ p(θ)/|ρ|, without the dictionaries in which nobody is consistent; its mean is the Bayes risk."""
    prior = [0.25, 0.75]
    losses = [np.array([phi / counts[i] if counts[i] else 0.0 for *counts, phi in records]) for i in range(2)]
    found = bayes_losses(losses, prior)
    for one, (first, second, phi) in zip(found, records, strict=True):
        share = (0.25 / first if first else 0) + (0.75 / second if second else 0)
        assert one == pytest.approx(phi * share if share else 0.0)
    assert found.mean() == pytest.approx(bayes_risk([float(each.mean()) for each in losses], prior))


def test_a_dictionary_that_the_prior_excludes_may_have_infinite_losses() -> None:
    assert bayes_losses([np.array([1.0, 2.0]), np.array([math.inf, 0.0])], [1.0, 0.0]).tolist() == [1.0, 2.0]
    with pytest.raises(InputRejected, match="different numbers of records"):
        bayes_losses([np.ones(2), np.ones(3)], [0.5, 0.5])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, 4.0, math.inf]), min_size=1, max_size=130))
def test_the_most_exposed_records_carry_their_share_of_the_risk(losses: list[float]) -> None:
    found = risk_distribution(np.array(losses))
    falling = sorted(losses, reverse=True)
    assert found.infinite == losses.count(math.inf)
    for share, percent in ((0.01, 1), (0.05, 5), (0.1, 10)):
        most = falling[: -(-percent * len(losses) // 100)]
        if found.infinite:
            wanted = most.count(math.inf) / found.infinite
        else:
            wanted = sum(most) / sum(losses) if sum(losses) else 0.0
        assert found.carried[share] == pytest.approx(wanted)
    for share, value in found.quantiles.items():
        at_most_it = sum(loss <= value for loss in losses)
        below = sum(loss < value for loss in losses)
        assert below < share * len(losses) + 1e-9 <= at_most_it + 1e-6
    assert found.quantiles[1.0] == falling[0]


CELLS = st.tuples(st.sampled_from([None, 20, 30, 40]), st.sampled_from([None, "Rome", "Lyon"]))
PEOPLE = st.lists(CELLS, min_size=1, max_size=7)
KNOWN = ([20, 30, 40], ["Rome", "Lyon"])


def refines_by_hand(estimate: list[tuple[Any, ...]], true: list[tuple[Any, ...]], keys: list[int], true_keys: list[int]) -> bool:
    for key, row in zip(keys, estimate, strict=True):
        others = [other for other_key, other in zip(true_keys, true, strict=True) if other_key == key]
        if not any(all(b is None or a == b for a, b in zip(row, other, strict=True)) for other in others):
            return False
    return True


def test_losses_whose_sum_no_float_holds_share_the_risk_too() -> None:
    assert risk_distribution(np.full(4, 1.5e308)).carried == dict.fromkeys((0.01, 0.05, 0.1), 0.25)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(PEOPLE, PEOPLE, st.data())
def test_refinement_and_agreement_are_those_of_the_definitions(
    one: list[tuple[Any, ...]], other: list[tuple[Any, ...]], draw: st.DataObject
) -> None:
    keys = draw.draw(st.permutations(range(len(one))))
    other_keys = draw.draw(st.permutations(range(len(other) + 1)))[: len(other)]
    if draw.draw(st.booleans()):  # mostly alike, so that both answers are met
        place = dict(zip(keys, one, strict=True))
        other = [place.get(key, cells) if draw.draw(st.integers(0, 5)) else cells for key, cells in zip(other_keys, other, strict=True)]
    names, others = np.array([f"p{key}" for key in keys], dtype=object), np.array([f"p{key}" for key in other_keys], dtype=object)
    assert refines(columns(one), columns(other), names, others, FIELDS) == refines_by_hand(one, other, keys, other_keys)
    rows = dict(zip(other_keys, other, strict=True))
    wanted = all(
        key in rows and all(a is None or b is None or a == b for a, b in zip(cells, rows[key], strict=True))
        for key, cells in zip(keys, one, strict=True)
    )
    assert agrees(columns(other), others, columns(one), names, FIELDS) == wanted


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(PEOPLE, PEOPLE, st.data())
def test_theorem_one_holds_with_all_its_preconditions(
    rows: list[tuple[Any, ...]], more: list[tuple[Any, ...]], draw: st.DataObject
) -> None:
    """θ_true has gaps and more people; the rule suppresses and generalizes."""
    estimate = [
        tuple(cell if cell is not None else draw.draw(st.sampled_from(known)) for cell, known in zip(cells, KNOWN, strict=True))
        for cells in rows
    ]
    true = [tuple(draw.draw(st.sampled_from([cell, None])) for cell in cells) for cells in estimate] + more
    keys, true_keys = np.arange(len(rows)), np.arange(len(true))
    assert refines(columns(estimate), columns(true), keys, true_keys, FIELDS)
    assert agrees(columns(estimate), keys, columns(rows), keys, FIELDS)
    released = pd.DataFrame(
        [
            (
                age if age is None else draw.draw(st.sampled_from([str(age), f"[{age - 10}..{age + 10}]", "*", None])),
                town if town is None else draw.draw(st.sampled_from([town, "{Lyon|Rome}", None])),
            )
            for age, town in rows
        ],
        columns=FIELDS,
        dtype=object,
    )
    sensitivity = Sensitivity.multiplicative({"age": 0.5, "town": draw.draw(st.sampled_from([0.0, 1.0, math.inf]))})
    risks = [
        disclosure_risk(released, pd.DataFrame(one, columns=FIELDS, dtype=object), FIELDS, sensitivity, KINDS) for one in (true, estimate)
    ]
    assert bound_holds(risks[0].mean, risks[1].mean)
    assert all(bound_holds(a, b) for a, b in zip(risks[0].per_record, risks[1].per_record, strict=True))


def test_without_an_entry_for_each_records_person_the_estimate_may_be_no_bound() -> None:
    """θ̂ knows Lyon's only person alone, so nobody in it fits Rome and it sees no risk; the attacker's phone book has both."""
    estimate, true, records = [(20, "Lyon")], [(20, "Lyon"), (30, "Rome")], [(30, "Rome")]
    assert refines(columns(estimate), columns(true), np.array(["a"]), np.array(["a", "b"]), FIELDS)
    assert not agrees(columns(estimate), np.array(["a"]), columns(records), np.array(["b"]), FIELDS)
    risks = [
        disclosure_risk(pd.DataFrame(records, columns=FIELDS), pd.DataFrame(one, columns=FIELDS), FIELDS, Sensitivity.fixed()).mean
        for one in (true, estimate)
    ]
    assert risks == [1.0, 0.0]
    assert not bound_holds(*risks)


def test_an_entry_that_contradicts_the_record_may_be_no_bound_either() -> None:
    estimate, true, records = [(20, "Lyon")], [(20, None)], [(20, "Rome")]
    assert refines(columns(estimate), columns(true), np.array([7]), np.array([7]), FIELDS)
    assert not agrees(columns(estimate), np.array([7]), columns(records), np.array([7]), FIELDS)
    risks = [
        disclosure_risk(pd.DataFrame(records, columns=FIELDS), pd.DataFrame(one, columns=FIELDS), FIELDS, Sensitivity.fixed()).mean
        for one in (true, estimate)
    ]
    assert not bound_holds(*risks)


def test_a_risk_that_cannot_be_compared_is_not_bound() -> None:
    assert not bound_holds(math.nan, 1.0)
    assert not bound_holds(math.inf, 1.0)
    assert bound_holds(0.1 + 0.2, 0.3)


def test_a_field_that_a_dictionary_lacks_is_missing_in_it() -> None:
    both, age = columns([(20, "Rome")]), {"age": columns([(20, "Rome")])["age"]}
    keys = np.array(["a"])
    assert refines(both, age, keys, keys, FIELDS)
    assert not refines(age, both, keys, keys, FIELDS)
    assert refines(age, columns([(20, None)]), keys, keys, FIELDS)
    assert agrees(age, keys, both, keys, FIELDS)
    assert agrees(both, keys, age, keys, FIELDS)


def test_a_person_may_have_several_records_but_one_entry() -> None:
    people = columns([(20, "Rome"), (20, "Rome")])
    assert agrees(columns([(20, "Rome")]), np.array(["a"]), people, np.array(["a", "a"]), FIELDS)
    with pytest.raises(InputRejected, match="repeated"):
        agrees(people, np.array(["a", "a"]), people, np.array(["a", "a"]), FIELDS)
    with pytest.raises(InputRejected, match="repeated"):
        refines(people, people, np.array(["a", "a"]), np.array(["a", "b"]), FIELDS)


def test_tables_that_cannot_be_compared_are_refused() -> None:
    people, keys = columns([(20, "Rome")]), np.array(["a"])
    for missing in (None, math.nan, ""):
        with pytest.raises(InputRejected, match="key is missing"):
            refines(people, people, np.array([missing], dtype=object), keys, FIELDS)
    with pytest.raises(InputRejected, match="not one key per row"):
        refines(people, people, keys, np.array(["a", "b"]), FIELDS)
    with pytest.raises(InputRejected, match="'eye' is in neither"):
        refines(people, people, keys, keys, ["eye"])
    with pytest.raises(InputRejected, match="at least one field|No field"):
        refines(people, people, keys, keys, [])
    texts = {"age": encode_column(pd.Series(["20"]), ColumnSpec("age", Kind.CATEGORY, Role.QUASI))}
    with pytest.raises(InputRejected, match="of kind integer in one table and category in the other"):
        refines(people, texts, keys, keys, ["age"])
