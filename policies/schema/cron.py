"""When a scheduled release starts: cron text and time zone, checked before a scheduler ever sees them.

cronsim reads the text: it is pure, small, and installed with Prefect anyway. Prefect's scheduler uses a private copy of croniter, which
takes `5-5` for every minute and accepts dates that never come; that is why croniter is not used here. Text that the two read differently
is refused, so an accepted schedule runs at the times it names, by the local clock of its time zone.
"""

from __future__ import annotations

import datetime
import zoneinfo

from cronsim import CronSim, CronSimError
from cronsim.cronsim import FIELD_NAMES, Field
from pydantic_core import PydanticCustomError

from policies.words.cron_moments import SHORTCUTS

ORDER = (Field.MINUTE, Field.HOUR, Field.DAY, Field.MONTH, Field.DOW, Field.SECOND)  # the scheduler reads seconds last, where given
ANY_TIME = datetime.datetime(2024, 1, 1)  # reading starts somewhere; nothing depends on where


def check_cron(text: str) -> str:
    """The cron expression, if it names times that occur and the scheduler reads it the same way."""
    if text in SHORTCUTS:
        return text
    parts = text.upper().split()
    if len(parts) not in (5, 6):
        raise _refused(f"{len(parts)} fields")
    try:
        for field, part in zip(ORDER, parts, strict=False):
            _check_field(field, part)
        CronSim(" ".join([*parts[:4], "*"]), ANY_TIME)  # refuses a day that none of the months has
    except CronSimError as problem:
        raise _refused(f"a {str(problem).lower()}") from None
    _check_days(parts)
    return text


def _check_field(field: Field, part: str) -> None:
    """One part of the text: values, ranges and steps, with commas between them."""
    name = FIELD_NAMES[field]
    for item in part.split(","):
        span, _, step = item.partition("/")
        values = field.parse(item)
        if not all(isinstance(value, int) and value >= 0 for value in values):
            raise _refused(f"L, W or # in the field {name}")
        if ("-" in span and len(field.parse(span)) == 1) or (step and len(values) == 1):
            raise _refused(f"a range or a step with one value in the field {name}")
        if item == "*" != part:
            raise _refused(f"* among other values in the field {name}")
        if field == Field.DOW and step:
            raise _refused(f"a step in the field {name}")


def _check_days(parts: list[str]) -> None:
    """Days of the month and of the week: where both are restricted, either is enough. Sunday is 0 where there are seconds."""
    day, weekday = parts[2], parts[4]
    if day != "*" != weekday and "*" in day + weekday:
        raise _refused("days of the month and of the week that schedulers combine differently; write one of them as *")
    if len(parts) == 6 and "7" in weekday:
        raise _refused("7 for Sunday beside seconds; write 0")


def _refused(what: str) -> PydanticCustomError:
    return PydanticCustomError(
        "cron",
        "Input should be a cron expression of five fields (minute hour day month weekday), such as 0 3 1 * *; this one has {what}",
        {"what": what},
    )


def check_timezone(name: str) -> str:
    """A name of the IANA time zone database, as the scheduler lists them."""
    if name not in zoneinfo.available_timezones():
        raise PydanticCustomError("timezone", "Input should be a time zone such as Europe/Rome or UTC")
    return name
