"""Which scheduled run is due: one for each moment, and after several missed ones a single one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from policies.ledger.run_due import run_due
from policies.words.cron_moments import CronMoments, in_zone

NIGHTLY = CronMoments(cron="30 2 * * *", timezone="Europe/Rome")
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)


def due(now: datetime, last_run: datetime | None, registered: datetime = LONG_AGO) -> str | None:
    moment = run_due(NIGHTLY, registered, last_run, now)
    return None if moment is None else in_zone(moment)


def test_a_moment_that_passed_without_a_run_is_due_until_one_has_begun() -> None:
    night, morning = datetime(2027, 6, 10, 0, 30, tzinfo=UTC), datetime(2027, 6, 10, 8, tzinfo=UTC)
    assert due(morning, night - timedelta(days=1)) == "2027-06-10 02:30 Europe/Rome (UTC+2)"
    assert due(morning, night) is None
    assert due(morning, morning) is None


def test_of_several_moments_without_a_run_only_the_last_is_due() -> None:
    back, last = datetime(2027, 6, 10, 8, tzinfo=UTC), datetime(2027, 5, 1, 0, 30, tzinfo=UTC)
    assert due(back, last) == "2027-06-10 02:30 Europe/Rome (UTC+2)"
    assert due(back + timedelta(minutes=1), last_run=back) is None


def test_what_was_due_before_somebody_registered_the_policy_is_nobodys() -> None:
    registered = datetime(2027, 6, 10, 8, tzinfo=UTC)
    assert due(registered + timedelta(hours=1), None, registered) is None
    assert due(registered + timedelta(days=1), None, registered) == "2027-06-11 02:30 Europe/Rome (UTC+2)"


@pytest.mark.parametrize(
    ("day", "said"),
    [
        (datetime(2027, 3, 28, tzinfo=UTC), "2027-03-28 03:00 Europe/Rome (UTC+2)"),
        (datetime(2027, 10, 31, tzinfo=UTC), "2027-10-31 02:30 Europe/Rome (UTC+2)"),
    ],
    ids=["spring", "autumn"],
)
def test_on_the_day_of_a_clock_change_exactly_one_run_is_due(day: datetime, said: str) -> None:
    """Looked at each minute of that night, with a run that begins whenever one is due."""
    ran, last = [], day - timedelta(hours=22)
    for minute in range(-60, 8 * 60):
        now = day + timedelta(minutes=minute)
        if due(now, last) is not None:
            ran.append(due(now, last))
            last = now
    assert ran == [said]
