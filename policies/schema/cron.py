"""When a scheduled release starts: cron text and time zone, checked before a scheduler ever sees them."""

from __future__ import annotations

import re
import zoneinfo
from itertools import pairwise

from pydantic_core import PydanticCustomError

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
# name, least, greatest, names; the sixth field, seconds, is optional and stands last as schedulers read it
FIELDS: tuple[tuple[str, int, int, tuple[str, ...]], ...] = (
    ("minute", 0, 59, ()),
    ("hour", 0, 23, ()),
    ("day of month", 1, 31, ()),
    ("month", 1, 12, MONTHS),
    ("day of week", 0, 7, DAYS),
    ("second", 0, 59, ()),
)
SHORTCUTS = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
LONGEST_MONTH = {2: 29, 4: 30, 6: 30, 9: 30, 11: 30}


def check_cron(text: str) -> str:
    """The cron expression, if it names times that occur."""
    if text in SHORTCUTS:
        return text
    parts = text.split()
    if len(parts) not in (5, 6):
        raise _refused(f"{len(parts)} fields")
    allowed = [_field(part, *field) for part, field in zip(parts, FIELDS, strict=False)]
    if parts[4] == "*" and all(min(allowed[2]) > LONGEST_MONTH.get(month, 31) for month in allowed[3]):
        raise _refused("a day that none of its months has")
    return text


def _field(text: str, name: str, least: int, greatest: int, names: tuple[str, ...]) -> frozenset[int]:
    """The numbers one field stands for: lists of a value, a range or *, each with an optional step."""
    found: set[int] = set()
    for item in text.lower().split(","):
        body, slash, step = item.partition("/")
        if slash and (not re.fullmatch(r"[0-9]+", step) or not 1 <= int(step) <= greatest):
            raise _refused(f"the step '{step}' in the field {name}")
        ends = [str(least), str(greatest)] if body == "*" else body.split("-")
        numbers = [_number(end, names, least) for end in ends]
        if len(ends) > 2 or any(number is None for number in numbers):
            raise _refused(f"'{item}' in the field {name}")
        first, last = int(numbers[0] or 0), int(numbers[-1] or 0)
        if slash and len(ends) == 1 and body != "*":
            last = greatest
        if any(early > late for early, late in pairwise((least, first, last, greatest))):
            raise _refused(f"'{item}' in the field {name}, which goes from {least} to {greatest}")
        found.update(range(first, last + 1, int(step) if slash else 1))
    return frozenset(found)


def _number(text: str, names: tuple[str, ...], least: int) -> int | None:
    if text in names:
        return names.index(text) + least
    return int(text) if re.fullmatch(r"[0-9]{1,2}", text) else None


def _refused(what: str) -> PydanticCustomError:
    return PydanticCustomError(
        "cron",
        "Input should be a cron expression of five fields (minute hour day month weekday), such as 0 3 1 * *; this one has {what}",
        {"what": what},
    )


def check_timezone(name: str) -> str:
    """A name of the IANA time zone database."""
    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise PydanticCustomError("timezone", "Input should be a time zone such as Europe/Rome or UTC") from None
    return name
