"""Bands of numbers: a lower bound belongs to its band, an upper bound to the next, and the last band holds its own."""

from __future__ import annotations

from decimal import Decimal

import pytest

from policies.intake.bands import Bands, band_names
from policies.intake.rule import UNREAD


def decimals(*numbers: str) -> tuple[Decimal, ...]:
    return tuple(map(Decimal, numbers))


@pytest.mark.parametrize(
    ("text", "band"),
    [
        ("0", "child"),
        ("17.99", "child"),
        ("18", "adult"),
        ("64", "adult"),
        ("65", "old"),
        ("110", "old"),
        ("-0.01", UNREAD),
        ("110.01", UNREAD),
        ("many", UNREAD),
        ("nan", UNREAD),
        ("inf", UNREAD),
    ],
)
def test_a_number_becomes_the_band_that_it_lies_in(text: str, band: object) -> None:
    assert Bands(("child", "adult", "old"), decimals("0", "18", "65", "110")).read(text) == band


def test_bands_without_names_are_named_by_what_they_hold() -> None:
    assert band_names(decimals("0", "18", "65", "110")) == ("0 to 17", "18 to 64", "65 to 110")
    assert band_names(decimals("-10", "0", "1", "5")) == ("-10 to -1", "0", "1 to 5")
    assert band_names(decimals("0", "0.5", "1.5")) == ("0 to under 0.5", "0.5 to 1.5")
