"""Completed years at a day."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.intake.age_at import AgeAt
from policies.intake.rule import UNREAD


@pytest.mark.parametrize(
    ("born", "at", "age"),
    [
        ("2000-12-31", "2024-12-31", "24"),
        ("2000-12-31", "2024-12-30", "23"),
        ("2000-02-29", "2023-02-28", "22"),
        ("2000-02-29", "2023-03-01", "23"),
        ("2024-12-31", "2024-12-31", "0"),
        ("2024-12-31 00:00:00", "2024-12-31", "0"),
        ("2025-01-01", "2024-12-31", UNREAD),
        ("31.12.2000", "2024-12-31", UNREAD),
        ("2000-12", "2024-12-31", UNREAD),
        ("2000-13-01", "2024-12-31", UNREAD),
        ("2000-12-31 10:00", "2024-12-31", UNREAD),
    ],
)
def test_the_age_is_the_number_of_birthdays(born: str, at: str, age: object) -> None:
    assert AgeAt("birth_date", date.fromisoformat(at)).read(born) == age


@given(born=st.dates(date(1900, 1, 1), date(2024, 12, 31)), days=st.integers(0, 40_000))
def test_ages_agree_with_birthdays_counted_one_by_one(born: date, days: int) -> None:
    at = born + timedelta(days=days)
    birthdays = 0
    for year in range(born.year + 1, at.year + 1):
        leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        birthday = date(year, 3, 1) if (born.month, born.day) == (2, 29) and not leap else born.replace(year=year)
        birthdays += birthday <= at
    assert AgeAt("birth_date", at).read(born.isoformat()) == str(birthdays)
