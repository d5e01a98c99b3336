"""Days, months, quarters and years as published."""

from __future__ import annotations

import datetime
import itertools

import pytest

from headgate.core.calendar_parts import FIRST_DAY, LAST_DAY, calendar_span, common_part, format_day, part_above, parts_of


@pytest.mark.parametrize("label", ["2025", "2025-Q1", "2024-02", "2024-02-29", "[2024..2025]"])
def test_a_calendar_part_spans_exactly_the_days_that_carry_its_name(label: str) -> None:
    span = calendar_span(label)
    assert span is not None
    days = [day for day in (datetime.date(2024, 1, 1) + datetime.timedelta(i) for i in range(731)) if _named(day, label)]
    assert [format_day(span[0]), format_day(span[1])] == [days[0].isoformat(), days[-1].isoformat()]


def _named(day: datetime.date, label: str) -> bool:
    quarter = f"{day.year}-Q{(day.month - 1) // 3 + 1}"
    return label in ("[2024..2025]", str(day.year), day.isoformat()[:7], day.isoformat(), quarter)


@pytest.mark.parametrize(
    "label",
    [
        "2025-13",
        "2025-00",
        "2025-02-30",
        "2025-Q5",
        "25",
        "0000",
        "2025-3",
        "[2025..2025]",
        "[2025..2024]",
        "[25..29]",
        "2020..2024",
        "[2020-2024]",
    ],
)
def test_what_is_no_calendar_part_spans_nothing(label: str) -> None:
    assert calendar_span(label) is None


def day(text: str) -> int:
    return (datetime.date.fromisoformat(text) - datetime.date(1970, 1, 1)).days


@pytest.mark.parametrize(
    ("first", "last", "part"),
    [
        ("1983-12-31", "1984-01-01", "[1980..1984]"),
        ("1984-12-31", "1985-01-01", "[1980..1989]"),
        ("1989-12-31", "1990-01-01", "[1980..1999]"),
        ("1980-01-01", "1999-12-31", "[1980..1999]"),
        ("1999-12-31", "2000-01-01", None),
        ("1969-12-31", "1968-01-01", "[1965..1969]"),
        ("0001-01-01", "0003-01-01", "[0000..0004]"),
    ],
)
def test_days_of_different_years_share_the_smallest_band_that_holds_both(first: str, last: str, part: str | None) -> None:
    """There was nothing between a year and everything: 11,889 of 12,000 birth dates were published as `*`."""
    assert common_part(day(first), day(last)) == common_part(day(last), day(first)) == part


def test_other_widths_make_other_bands() -> None:
    assert parts_of(day("1986-05-04"), (3, 12))[3:] == ("1986", "[1986..1988]", "[1980..1991]")
    assert common_part(day("1984-12-31"), day("1985-01-01"), (25,)) == "[1975..1999]"
    assert common_part(day("1984-12-31"), day("1985-01-01"), ()) is None


def test_every_day_lies_in_each_of_its_parts_and_each_part_in_the_next() -> None:
    for days in (FIRST_DAY, day("0004-12-31"), -1, 0, day("2024-02-29"), LAST_DAY):
        spans = [calendar_span(part) for part in parts_of(days)]
        assert spans[0] == (days, days)
        for inner, outer in itertools.pairwise(spans):
            assert inner is not None
            assert outer is not None
            assert outer[0] <= inner[0] <= inner[1] <= outer[1]


def test_above_a_band_that_is_not_among_the_widths_comes_the_next_that_holds_it() -> None:
    assert part_above("[1984..1985]") == "[1980..1989]"
    assert part_above("[1979..1985]") is None
    assert part_above("1984", (25,)) == "[1975..1999]"
    assert part_above("no date") is None
