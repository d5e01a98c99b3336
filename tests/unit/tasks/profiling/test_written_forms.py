"""What is recognized in a column is what a release then reads: drafted keys give back the numbers and days that were written."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.intake.written_days import WrittenDays
from policies.intake.written_numbers import WrittenNumbers
from policies.schema.intake_keys import forms_of
from tasks.profiling.written_forms import seen_in

AMOUNTS = st.lists(st.integers(100_000, 99_999_999).filter(lambda cents: cents % 100), min_size=20, max_size=40, unique=True)


@given(
    cents=AMOUNTS,
    decimal=st.sampled_from([".", ","]),
    thousands=st.sampled_from([".", ",", " ", "'", ""]),
    unit=st.sampled_from(["", "EUR", "€", "kg"]),
)
def test_numbers_in_any_form_are_read_as_they_were_meant(cents: list[int], decimal: str, thousands: str, unit: str) -> None:
    thousands = "" if thousands == decimal else thousands
    marks = str.maketrans({",": thousands or None, ".": decimal})
    cells = [f"{amount / 100:,.2f}".translate(marks) + (f" {unit}" if unit else "") for amount in cents]
    seen = seen_in(cells)
    reader = WrittenNumbers(seen.written.decimal or ".", seen.written.thousands or None, seen.written.units)
    assert seen.look == "number"
    assert [Decimal(str(reader.read(cell))) for cell in cells] == [Decimal(amount) / 100 for amount in cents]
    assert seen.ends == (min(cents) / 100, max(cents) / 100)
    assert seen.says == ""


@given(
    days=st.lists(st.dates(datetime.date(1930, 1, 1), datetime.date(2024, 12, 31)), min_size=30, max_size=50, unique=True),
    form=st.sampled_from(["%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%b-%Y", "%d.%m.%Y %H:%M", "%Y%m%d"]),
)
def test_days_in_any_order_are_read_as_they_were_meant(days: list[datetime.date], form: str) -> None:
    cells = [day.strftime(form) for day in days]
    seen = seen_in(cells)
    reader = WrittenDays(tuple(forms_of(seen.written.dates)))
    assert seen.look == "date"
    if "choose" not in seen.says:  # no day above the twelfth among them
        assert [reader.read(cell) for cell in cells] == [day.isoformat() for day in days]


@pytest.mark.parametrize(("cells", "said"), [(["1.234", "12.345"], True), (["1.234", "0.125"], False), (["1.23", "12.345"], False)])
def test_a_point_that_may_stand_between_thousands_is_asked_about(cells: list[str], said: bool) -> None:
    """1.234 of a German table is more than a thousand, and reads well as less than two."""
    assert ("the mark between thousands" in seen_in(cells).says) is said
