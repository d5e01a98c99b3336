"""Differences of numbers are those of the decimals that were written."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from headgate.core.decimals import in_units

DECIMALS = st.decimals(-(10**7), 10**7, places=8)


@given(DECIMALS, DECIMALS)
@example(Fraction("10000000.2"), Fraction("10000000.3"))
def test_differences_lose_no_digits(one: Fraction, other: Fraction) -> None:
    units, size = in_units(np.array([float(one), float(other)]))
    assert Fraction(units[1] - units[0]) / Fraction(size) == Fraction(other) - Fraction(one)


def test_whole_numbers_and_numbers_of_too_many_digits_stay_as_they_are() -> None:
    for numbers in ([], [1.0, -5.0], [0.1, 1e16], [1 / 3], [1e300, -1e300]):
        units, size = in_units(np.array(numbers))
        assert (units.tolist(), size) == (numbers, 1.0)


def test_noise_in_the_last_digits_of_a_small_number_is_kept_as_it_is() -> None:
    units, size = in_units(np.array([0.1 + 0.2]))
    assert units[0] / size == 0.1 + 0.2
