"""Prosecutor, marketer, journalist and the individual risk from sampling weights, row by row from their definitions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.errors import InputRejected
from headgate.risk.reidentification.prosecutor import individual_risk, journalist, reidentification

GROUPS = st.lists(st.integers(0, 4), min_size=1, max_size=20)


def numbered(groups: list[int]) -> Any:
    return np.unique(groups, return_inverse=True)[1].astype(np.int32)


@settings(max_examples=40, deadline=None)
@given(GROUPS)
def test_the_prosecutor_finds_one_in_the_size_of_the_group(groups: list[int]) -> None:
    numbers = numbered(groups)
    risks = [1 / groups.count(group) for group in groups]
    found = reidentification([numbers], 0.5)
    assert found.per_row.tolist() == pytest.approx(risks)
    assert (found.max, found.mean) == pytest.approx((max(risks), sum(risks) / len(risks)))
    assert found.at_risk == pytest.approx(sum(risk > 0.5 for risk in risks) / len(risks))


@settings(max_examples=40, deadline=None)
@given(GROUPS, st.sampled_from(["0.2", "0.25", "0.3333333333", "0.5", "1"]))
def test_groups_above_the_risk_wanted_are_named_with_what_they_are_over(groups: list[int], wanted: str) -> None:
    short = reidentification([numbered(groups)]).short_of(wanted)
    over = {i: 1 / groups.count(group) - float(wanted) for i, group in enumerate(sorted(set(groups)))}
    over = {group: more for group, more in over.items() if more > 1e-9}
    assert dict(zip(short.groups.tolist(), short.missing.tolist(), strict=True)) == pytest.approx(over)
    assert short.people == sum(groups.count(sorted(set(groups))[group]) for group in over)


@settings(max_examples=30, deadline=None)
@given(GROUPS, st.integers(2, 4))
def test_repeating_every_row_divides_the_risk(groups: list[int], times: int) -> None:
    once, often = reidentification([numbered(groups)]), reidentification([numbered(groups * times)])
    assert (often.max, often.mean) == pytest.approx((once.max / times, once.mean / times))


def test_the_marketer_s_figure_is_groups_over_rows_exactly() -> None:
    numbers = np.arange(4900, dtype=np.int32) // 49
    assert reidentification([numbers]).mean == 100 / 4900


def test_the_threshold_itself_is_not_above() -> None:
    numbers = np.array([0, 0, 0, 1], dtype=np.int32)
    assert [reidentification([numbers], bound).at_risk for bound in (0.2, 1 / 3, 0.4, 1)] == [1.0, 0.25, 0.25, 0.0]
    assert reidentification([numbers]).at_risk is None


def test_the_worse_reading_counts() -> None:
    alike, apart = np.zeros(4, dtype=np.int32), np.array([0, 0, 0, 1], dtype=np.int32)
    for readings in ([alike, apart], [apart, alike]):
        found = reidentification(readings, 0.5)
        assert (found.max, found.mean, found.at_risk) == (1.0, 0.5, 0.25)
    assert reidentification([alike, apart]).short_of(0.5).by_values


def test_the_journalist_needs_the_population() -> None:
    found = journalist(np.array([4, 0, 1]), threshold=0.25)
    assert (found.max, found.mean, found.at_risk) == pytest.approx((1.0, 1.25 / 3, 1 / 3))
    assert found.per_row.tolist() == [0.25, 0.0, 1.0]


def test_the_journalist_s_risk_of_a_group_is_its_worst_record_s() -> None:
    found = journalist(np.array([4, 2, 5, 0]), [np.array([0, 0, 1, 1], dtype=np.int32)])
    assert found.figure.per_group.tolist() == [0.5, 0.2]
    assert found.mean == pytest.approx((0.25 + 0.5 + 0.2) / 4)
    assert (found.short_of(0.3).groups.tolist(), found.short_of(0.3).people) == ([0], 2)


def expected_inverse(f: int, p: float) -> float:
    """E(1/F), F negative binomial: P(F = h) = C(h−1, f−1)·p^f·(1−p)^{h−f}, h from f up, added up term by term."""
    total, chance, h = 0.0, p**f, f
    while h < f / p or chance > 1e-18:
        total += chance / h
        chance *= (1 - p) * h / (h + 1 - f)
        h += 1
    return total


@pytest.mark.parametrize("p", [0.004, 0.05, 0.3, 0.49, 0.51, 0.9, 0.9999])
@pytest.mark.parametrize("f", [1, 2, 3, 7, 19, 20, 21, 60])
def test_the_individual_risk_is_the_expected_inverse_of_the_population_s_group(f: int, p: float) -> None:
    numbers, weights = np.zeros(f, dtype=np.int32), np.full(f, 1 / p)
    assert individual_risk([numbers], weights).max == pytest.approx(expected_inverse(f, p), rel=1e-9)


def test_the_individual_risk_of_a_sample_unique_is_argus_s_closed_form() -> None:
    """μ-Argus manual: f = 1: p/(1−p)·ln(1/p); f = 2: p/(1−p)² · (p·ln p + 1 − p)."""
    numbers = np.array([0, 1, 1], dtype=np.int32)
    p, r = 1 / 20, 2 / 50
    found = individual_risk([numbers], np.array([20.0, 30.0, 20.0]))
    wanted = [p / (1 - p) * math.log(1 / p), r / (1 - r) ** 2 * (r * math.log(r) + 1 - r)]
    assert found.figure.per_group.tolist() == pytest.approx(wanted)
    assert found.mean == pytest.approx((wanted[0] + 2 * wanted[1]) / 3)


@settings(max_examples=30, deadline=None)
@given(GROUPS, st.lists(st.floats(0.01, 1e6), min_size=20, max_size=20))
def test_the_individual_risk_is_at_most_the_prosecutor_s_and_equals_it_if_all_were_drawn(groups: list[int], weights: list[float]) -> None:
    numbers = numbered(groups)
    prosecutor = reidentification([numbers]).per_row
    given_weights = np.array(weights[: len(groups)])
    found = individual_risk([numbers], given_weights).per_row
    assert ((found > 0) & (found <= prosecutor)).all()
    assert (individual_risk([numbers], given_weights * 2).per_row <= found * (1 + 1e-12)).all()
    assert individual_risk([numbers], np.ones(len(groups))).per_row.tolist() == prosecutor.tolist()


def test_a_large_group_of_a_huge_population_has_a_number() -> None:
    numbers = np.zeros(5000, dtype=np.int32)
    found = individual_risk([numbers], np.full(5000, 1e5)).max
    assert found == pytest.approx(1 / (4999 * 1e5), rel=1e-3)  # E(1/F) of a negative binomial is about p/(f−1)


@pytest.mark.parametrize("weight", [0.0, -1.0, math.nan, math.inf, 1e300])
def test_weights_that_stand_for_nobody_are_refused(weight: float) -> None:
    with pytest.raises(InputRejected, match="not a positive number"):
        individual_risk([np.zeros(2, dtype=np.int32)], np.array([1.0, weight]))


def test_weights_that_are_no_numbers_are_refused_without_being_shown() -> None:
    with pytest.raises(InputRejected, match="must be numbers") as refused:
        individual_risk([np.zeros(2, dtype=np.int32)], np.array(["1", "secret"]))
    assert "secret" not in str(refused.value)


def test_weights_that_are_next_to_nothing_make_the_sample_the_population() -> None:
    assert individual_risk([np.zeros(2, dtype=np.int32)], np.full(2, 5e-324)).max == 0.5


def test_what_cannot_be_measured_is_refused() -> None:
    with pytest.raises(InputRejected, match="no rows"):
        reidentification([np.empty(0, dtype=np.int32)])
    with pytest.raises(InputRejected, match="no rows"):
        journalist(np.empty(0, dtype=np.int64))
    with pytest.raises(InputRejected, match="without gaps"):
        reidentification([np.array([0, 2], dtype=np.int32)])
    with pytest.raises(InputRejected, match="without gaps"):
        reidentification([np.array([0, -1], dtype=np.int32)])
    with pytest.raises(InputRejected, match="different numbers of rows"):
        reidentification([np.zeros(2, dtype=np.int32), np.zeros(3, dtype=np.int32)])
    with pytest.raises(InputRejected, match="3 class numbers for 2 records"):
        journalist(np.array([1, 2]), [np.zeros(3, dtype=np.int32)])
    with pytest.raises(InputRejected, match="not a number"):
        reidentification([np.zeros(2, dtype=np.int32)], math.nan)
    with pytest.raises(InputRejected, match="1 sampling weights for 2 rows"):
        individual_risk([np.zeros(2, dtype=np.int32)], np.ones(1))
