"""Days, months, quarters, years and bands of years: their text, and the days that each spans. A day is counted from 1970-01-01."""

from __future__ import annotations

import calendar
import datetime
import re
from collections.abc import Sequence

EPOCH = datetime.date(1970, 1, 1).toordinal()
YEAR_BANDS = (5, 10, 20)  # years, where nobody gives other widths
FIRST_DAY, LAST_DAY = -719_162, 2_932_896  # 0001-01-01 and 9999-12-31


def format_day(days: int) -> str:
    return datetime.date.fromordinal(int(days) + EPOCH).isoformat()


def parts_of(days: int, bands: Sequence[int] = YEAR_BANDS) -> tuple[str, ...]:
    """A day, and its month, quarter, year and bands of years."""
    day = datetime.date.fromordinal(int(days) + EPOCH)
    year = f"{day.year:04d}"
    months = f"{year}-{day.month:02d}", f"{year}-Q{(day.month + 2) // 3}"
    return day.isoformat(), *months, year, *(_band(day.year, width) for width in bands)


def _band(year: int, width: int) -> str:
    """Bands begin at multiples of their width, so each lies in one of the next width."""
    low = year // width * width
    return f"[{low:04d}..{low + width - 1:04d}]"


def common_part(first: int, last: int, bands: Sequence[int] = YEAR_BANDS) -> str | None:
    """The smallest of day, month, quarter, year and bands of years that holds both days; None if no part does."""
    return next((part for part, other in zip(parts_of(first, bands), parts_of(last, bands), strict=True) if part == other), None)


def part_above(label: str, bands: Sequence[int] = YEAR_BANDS) -> str | None:
    """Day → month → quarter → year → bands of years → None."""
    span = calendar_span(label)
    if span is None:
        return None
    chain = parts_of(span[1], bands)
    return next((part for part in chain[1:] if _holds_more(part, span)), None)


def _holds_more(part: str, span: tuple[int, int]) -> bool:
    wider = calendar_span(part)
    return wider is not None and wider[0] <= span[0] and wider[1] >= span[1] and wider != span


def calendar_span(label: str) -> tuple[int, int] | None:
    """First and last day of a day, month, quarter, year or band of years, as days since 1970-01-01; None if it is none of them."""
    parts = re.fullmatch(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?|-Q([1-4]))?", label)
    if parts is None:
        return _band_span(label)
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


def _band_span(label: str) -> tuple[int, int] | None:
    """[1980..1984]. No day lies before the year 1."""
    years = re.fullmatch(r"\[(\d{4})\.\.(\d{4})\]", label)
    if years is None or not int(years[1]) < int(years[2]):
        return None
    first, last = datetime.date(max(int(years[1]), 1), 1, 1), datetime.date(int(years[2]), 12, 31)
    return first.toordinal() - EPOCH, last.toordinal() - EPOCH


def days_inside(span: tuple[float, float], domain: tuple[float, float]) -> float:
    """The part of the domain's days that lie in the span."""
    return (min(span[1], domain[1]) - max(span[0], domain[0]) + 1) / (domain[1] - domain[0] + 1)
