"""One tolerance for every comparison, and exact floors of what a person wrote."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.errors import InputRejected
from headgate.core.tolerance import at_least, at_most, exact, floors, neighbours_allowed


def test_a_rounding_error_is_no_violation_but_a_real_excess_is() -> None:
    assert at_most(abs(0.7 - 0.8), 0.1)
    assert not at_most(0.1001, 0.1)
    assert at_most(1e12 + 100, 1e12)
    assert at_least(0.8 - 0.7, 0.1)


def test_nothing_lets_what_is_not_measurable_pass() -> None:
    assert not at_most(math.nan, 1.0)
    assert not at_least(math.nan, 1.0)
    assert not at_most(1.0, math.nan)


def test_an_infinite_risk_is_above_every_finite_threshold() -> None:
    """A tolerance relative to the larger of the two would be infinite and let it pass."""
    assert not at_most(math.inf, 0.5)
    assert not at_least(1.0, math.inf)
    assert at_most(0.5, math.inf)
    assert at_most(math.inf, math.inf)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 200_000), st.decimals(0, 1, places=17))
def test_floors_of_products_are_exact_whatever_the_decimals(size: int, delta) -> None:
    wanted = (1 - Fraction(str(delta))) * max(size - 1, 0)
    assert int(neighbours_allowed(np.array([size, 1]), str(delta))[0]) == math.floor(wanted)


def test_a_decimal_is_what_a_person_wrote() -> None:
    assert exact("0.7") == exact(0.7) == Fraction(7, 10)
    assert int(neighbours_allowed(101, "0.9")) == 10  # ⌊0.1·100⌋, which floats make 9


@pytest.mark.parametrize("text", ["1e400", "-1e400", "1e999999999", "1e-999999999", "1e", "inf", "nan"])
def test_a_number_that_no_float_holds_is_refused_at_once(text: str) -> None:
    with pytest.raises(InputRejected, match="not a number"):
        exact(text)
    assert exact("1e-300") == Fraction(1, 10**300)


def test_a_floor_beyond_64_bits_is_the_largest_number_that_fits() -> None:
    assert floors(np.array([3, 0]), Fraction(10**30)).tolist() == [2**63 - 1, 0]
