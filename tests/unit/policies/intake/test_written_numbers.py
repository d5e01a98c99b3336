"""Numbers as sources write them: what is declared is read, and nothing else is."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.intake.rule import UNREAD
from policies.intake.written_numbers import WrittenNumbers

GERMAN = WrittenNumbers(",", ".", ("kg", "€"))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1.234,5 kg", "1234.5"),
        ("12", "12"),
        ("0,50", "0.50"),
        (",5", "0.5"),
        ("€ 1.000", "1000"),
        ("-3,5€", "-3.5"),
        ("€-3", "-3"),
        ("\u22124", "-4"),
        ("+4", "4"),
        ("1e3", "1e3"),
        # what somebody must look at
        ("12.34", UNREAD),
        ("1.5", UNREAD),
        ("1,234.5", UNREAD),
        ("1.234,5 g", UNREAD),
        ("kg", UNREAD),
        ("", UNREAD),
        (",", UNREAD),
        ("1,", UNREAD),
        ("--3", UNREAD),
        ("+-3", UNREAD),
        ("3 4", UNREAD),
        ("nan", UNREAD),
        ("\u0663", UNREAD),  # a digit of another script
        ("1.234.5", UNREAD),
        ("12.34.567", UNREAD),
    ],
)
def test_a_number_is_read_as_declared_or_not_at_all(text: str, number: object) -> None:
    assert GERMAN.read(text) == number


def test_with_commas_groups_of_two_may_stand_before_the_last_as_in_india() -> None:
    assert WrittenNumbers(".", ",").read("12,34,567.5") == "1234567.5"
    assert WrittenNumbers(".", ",").read("12,34") is UNREAD
    assert WrittenNumbers(",", " ").read("12 34 567") is UNREAD


@pytest.mark.parametrize("blank", [" ", "\u00a0", "\u202f"])
def test_any_blank_may_stand_between_thousands(blank: str) -> None:
    assert WrittenNumbers(",", " ").read(f"1{blank}234{blank}567,8") == "1234567.8"
    assert WrittenNumbers(",", " ").read(f"1{blank}23") is UNREAD


@given(
    number=st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**12), max_value=10**12),
    decimal=st.sampled_from([".", ","]),
    thousands=st.sampled_from([".", ",", " ", "'", None]),
    unit=st.sampled_from(["", "kg", "€"]),
    before=st.booleans(),
)
def test_what_is_written_with_any_marks_and_a_unit_is_read_back(
    number: Decimal, decimal: str, thousands: str | None, unit: str, before: bool
) -> None:
    if thousands == decimal:
        thousands = None
    text = f"{number:,.3f}".replace(",", "T").replace(".", decimal).replace("T", thousands or "")
    cell = text if not unit else f"{unit} {text}" if before else f"{text} {unit}"
    read = WrittenNumbers(decimal, thousands, (unit,) if unit else ()).read(cell)
    assert isinstance(read, str)
    assert Decimal(read) == number
