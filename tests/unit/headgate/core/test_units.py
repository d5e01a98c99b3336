"""Amounts and ratios in sentences."""

from __future__ import annotations

import pytest

from headgate.core.units import amount_text, counted, ratio_text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (24000, "24,000"),
        (24000.0, "24,000"),
        (0.1, "0.1"),
        (1234.56, "1,234.6"),
        (0, "0"),
        (2**40 + 0.5, "1,099,511,627,776"),
        (12.345, "12.35"),
        (0.00001, "0.00001"),
        (999.96, "1,000"),
        (-999.96, "-1,000"),
    ],
)
def test_an_amount_has_thousands_and_no_more_decimals_than_it_needs(number: float, text: str) -> None:
    assert amount_text(number) == text


def test_one_thing_is_singular() -> None:
    assert [counted(number, "row") for number in (0, 1, 2, 12_345)] == ["0 rows", "1 row", "2 rows", "12,345 rows"]
    assert [counted(number, "person", "people") for number in (1, 12_345)] == ["1 person", "12,345 people"]
    assert (counted(1, "day"), counted(0, "day"), counted(1200, "day")) == ("1 day", "0 days", "1,200 days")


@pytest.mark.parametrize(
    ("more", "text"),
    [
        (0.0, "only if they are equal"),
        (0.1, "within 10 % of each other"),
        (0.0253, "within 2.53 % of each other"),
        (1.0, "within a factor of 2 of each other"),
        (2.1623, "within a factor of 3.16 of each other"),
    ],
)
def test_a_ratio_is_said_as_per_cent_up_to_twice_as_much(more: float, text: str) -> None:
    assert ratio_text(more) == text
