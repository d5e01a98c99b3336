"""Days in the order in which a source writes them: one form or several, of which the first that fits counts.

The directives are those of Python's strptime that name a day; months by name are English whatever the machine's language is.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass

from policies.intake.rule import UNREAD, Read

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH_NAMES = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")
DIRECTIVES = {  # what each stands for: where a digit stands beside another part of only digits, it has its full width
    "Y": ("year", r"\d{4}", r"\d{4}"),
    "y": ("short", r"\d{2}", r"\d{2}"),
    "m": ("month", r"\d{1,2}", r"\d{2}"),
    "b": ("name", "[A-Za-z]{3}", "[A-Za-z]{3}"),
    "B": ("name", "[A-Za-z]{3,9}", "[A-Za-z]{3,9}"),
    "d": ("day", r"\d{1,2}", r"\d{2}"),
    "H": ("hour", r"\d{1,2}", r"\d{2}"),
    "M": ("minute", r"\d{1,2}", r"\d{2}"),
    "S": ("second", r"\d{1,2}", r"\d{2}"),
    "f": ("fraction", r"\d{1,9}", r"\d{1,9}"),
}
ACCEPTED = "%d, %m, %Y, and %y, %b or %B (English months), %H, %M, %S, %f; the time of day is left out"
TIMES = {"hour": 23, "minute": 59, "second": 59}
CENTURY = 100


@dataclass(frozen=True)
class DayForm:
    text: str
    pattern: re.Pattern[str]

    @property
    def two_digits(self) -> bool:
        """Of the year."""
        return "short" in self.pattern.groupindex


def day_form(text: str) -> DayForm | None:
    """None if it names no whole day, or has a directive that is not accepted."""
    parts = re.findall(r"%.|[^%]+|%", text)
    pattern = ""
    for place, part in enumerate(parts):
        if not part.startswith("%"):
            pattern += re.escape(part)
            continue
        if part[1:] not in DIRECTIVES or f"(?P<{DIRECTIVES[part[1:]][0]}>" in pattern:
            return None
        name, free, whole = DIRECTIVES[part[1:]]
        beside = parts[place + 1 : place + 2] + parts[max(place - 1, 0) : place]
        pattern += f"(?P<{name}>{whole if any(other.startswith('%') for other in beside) else free})"
    form = DayForm(text, re.compile(pattern, re.ASCII))
    named = set(form.pattern.groupindex)
    whole_day = "day" in named and len(named & {"month", "name"}) == 1 and len(named & {"year", "short"}) == 1
    return form if whole_day else None


@dataclass(frozen=True)
class WrittenDays:
    """`span`: the first and last day that there can be. Two digits name the year that lies in it, so it is shorter than a century."""

    forms: Sequence[DayForm]
    span: tuple[datetime.date, datetime.date] | None = None

    @property
    def wrong(self) -> tuple[str, str]:
        forms = " or ".join(f'"{form.text}"' for form in self.forms)
        return f"is not a day of the form {forms}", f"are not days of the form {forms}"

    @property
    def cure(self) -> str:
        return 'Correct the cells, or list every form, such as `date: ["%d.%m.%Y", "%Y-%m-%d"]`. An unknown day is empty.'

    def read(self, text: str) -> Read:
        """YYYY-MM-DD."""
        for form in self.forms:
            parts = form.pattern.fullmatch(text)
            day = None if parts is None else self._day(parts.groupdict())
            if day is not None:
                return day.isoformat()
        return UNREAD

    def _day(self, parts: dict[str, str]) -> datetime.date | None:
        month = _month(parts)
        if month is None or any(int(parts.get(name, 0)) > most for name, most in TIMES.items()):
            return None
        if "year" in parts:
            return _date(int(parts["year"]), month, int(parts["day"]))
        if self.span is None:
            return None
        first, last = self.span
        years = range(first.year // CENTURY * CENTURY + int(parts["short"]), last.year + 1, CENTURY)
        days = [_date(year, month, int(parts["day"])) for year in years]
        return next((day for day in days if day is not None and first <= day <= last), None)


def _month(parts: dict[str, str]) -> int | None:
    if "name" not in parts:
        return int(parts["month"])
    name = parts["name"].lower()
    listed = MONTHS if name in MONTHS else MONTH_NAMES
    return listed.index(name) + 1 if name in listed else None


def _date(year: int, month: int, day: int) -> datetime.date | None:
    try:
        return datetime.date(year, month, day)
    except ValueError:
        return None
