"""Rounding and coding against decimal arithmetic and counting by hand."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate.core.number_form import NumberForm, half_even, largest_share, quantile

STEPS = st.sampled_from(["1000", "250", "7", "1", "0.5", "0.1", "0.25", "0.003", "1e-9", "3e12"])
NUMBERS = st.one_of(
    st.integers(-(10**12), 10**12).map(float),
    st.decimals(-(10**6), 10**6, places=2).map(float),
    st.floats(-1e15, 1e15).filter(lambda number: number == 0 or abs(number) > 1e-12),
)


def by_decimals(number: float, step: str) -> float:
    """The number and the step as they are written, rounded by the decimal module."""
    whole = (Decimal(repr(number)) / Decimal(step)).to_integral_value(ROUND_HALF_EVEN)
    return float(whole * Decimal(step))


@pytest.mark.parametrize(
    ("number", "step", "published"),
    [
        (500, "1000", 0),
        (1500, "1000", 2000),
        (2500, "1000", 2000),
        (-1500, "1000", -2000),
        (0.15, "0.1", 0.2),
        (1.5e-7, "1e-7", 2e-7),
        (0.25, "0.1", 0.2),
        (10, "7", 7),
    ],
)
def test_of_two_equally_near_multiples_the_even_one_is_published(number: float, step: str, published: float) -> None:
    assert half_even(np.array([float(number)]), Fraction(step)).tolist() == [published]


@given(st.lists(NUMBERS, min_size=1, max_size=20), STEPS)
def test_rounding_is_that_of_the_decimals_as_they_are_written(numbers: list[float], step: str) -> None:
    with localcontext() as context:
        context.prec = 60
        expected = [by_decimals(number, step) for number in numbers]
    assert half_even(np.array(numbers), Fraction(step)).tolist() == pytest.approx(expected, rel=1e-15, abs=0)


@given(st.lists(NUMBERS, min_size=1, max_size=20), STEPS)
def test_what_is_published_is_published_unchanged(numbers: list[float], step: str) -> None:
    once = half_even(np.array(numbers), Fraction(step))
    assert np.array_equal(half_even(once, Fraction(step)), once)


def test_what_lies_beyond_a_bound_is_the_bound() -> None:
    form = NumberForm(Fraction(10), Fraction(0), Fraction(100))
    assert form.of([-7, -3, 4, 95, 96, 104, 3000]).tolist() == [0, 0, 0, 100, 100, 100, 100]
    assert NumberForm().of([1.25, -3]).tolist() == [1.25, -3]


@given(st.lists(st.integers(0, 12), min_size=1, max_size=40), st.integers(1, 99), st.integers(1, 5))
def test_shares_are_resolved_as_rows_are_counted(rows: list[int], percent: int, beyond: int) -> None:
    values, counts = np.unique(rows, return_counts=True)
    ordered, share = sorted(rows), Fraction(percent, 100)
    assert quantile(values.astype(float), counts, share) == ordered[math.ceil(share * len(rows)) - 1]
    most = largest_share(counts, beyond)
    possible = [value for value in values.tolist() if sum(row > value for row in rows) >= beyond]
    if not possible:
        assert most is None
    else:
        assert most is not None
        assert quantile(values.astype(float), counts, most) == max(possible)
