"""Days, months, quarters and years: their text, and the days that each spans. A day is a number, counted from 1970-01-01."""

from __future__ import annotations

import calendar
import datetime
import re

EPOCH = datetime.date(1970, 1, 1).toordinal()
FIRST_DAY, LAST_DAY = -719_162, 2_932_896  # 0001-01-01 and 9999-12-31


def format_day(days: int) -> str:
    return datetime.date.fromordinal(int(days) + EPOCH).isoformat()


def parts_of(days: int) -> tuple[str, str, str, str]:
    """A day, and its month, quarter and year."""
    day = datetime.date.fromordinal(int(days) + EPOCH)
    year = f"{day.year:04d}"
    return day.isoformat(), f"{year}-{day.month:02d}", f"{year}-Q{(day.month + 2) // 3}", year


def common_part(first: int, last: int) -> str | None:
    """The smallest of day, month, quarter and year that holds both days; None if they are of different years."""
    return next((part for part, other in zip(parts_of(first), parts_of(last), strict=True) if part == other), None)


def part_above(label: str) -> str | None:
    """Day → month → quarter → year → None."""
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", label):
        return label[:7]
    if re.fullmatch(r"\d{4}-\d{2}", label):
        return f"{label[:4]}-Q{(int(label[5:]) + 2) // 3}"
    return label[:4] if "Q" in label else None


def calendar_span(label: str) -> tuple[int, int] | None:
    """First and last day of a day, month, quarter or year, as days since 1970-01-01; None if it is none of them."""
    parts = re.fullmatch(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?|-Q([1-4]))?", label)
    if parts is None:
        return None
    month, day, quarter = (None if part is None else int(part) for part in parts.groups()[1:])
    if month is not None:
        first = last = month
    else:
        first, last = (1, 12) if quarter is None else (3 * quarter - 2, 3 * quarter)
    try:
        begin = datetime.date(int(parts[1]), first, 1 if day is None else day)
        end = datetime.date(int(parts[1]), last, calendar.monthrange(begin.year, last)[1] if day is None else day)
    except ValueError:  # calendar.IllegalMonthError is one
        return None
    return begin.toordinal() - EPOCH, end.toordinal() - EPOCH


def days_inside(span: tuple[float, float], domain: tuple[float, float]) -> float:
    """The part of the domain's days that lie in the span."""
    return (min(span[1], domain[1]) - max(span[0], domain[0]) + 1) / (domain[1] - domain[0] + 1)
