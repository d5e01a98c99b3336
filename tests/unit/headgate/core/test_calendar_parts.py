"""Days, months, quarters and years as published."""

from __future__ import annotations

import datetime

import pytest

from headgate.core.calendar_parts import calendar_span, format_day


@pytest.mark.parametrize("label", ["2025", "2025-Q1", "2024-02", "2024-02-29"])
def test_a_calendar_part_spans_exactly_the_days_that_carry_its_name(label: str) -> None:
    span = calendar_span(label)
    assert span is not None
    days = [day for day in (datetime.date(2024, 1, 1) + datetime.timedelta(i) for i in range(800)) if _named(day, label)]
    assert [format_day(span[0]), format_day(span[1])] == [days[0].isoformat(), days[-1].isoformat()]


def _named(day: datetime.date, label: str) -> bool:
    quarter = f"{day.year}-Q{(day.month - 1) // 3 + 1}"
    return label in (str(day.year), day.isoformat()[:7], day.isoformat(), quarter)


@pytest.mark.parametrize("label", ["2025-13", "2025-00", "2025-02-30", "2025-Q5", "25", "0000", "2025-3"])
def test_what_is_no_calendar_part_spans_nothing(label: str) -> None:
    assert calendar_span(label) is None
