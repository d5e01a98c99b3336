"""The moments that cron text names: by the clock on the wall, also on the days on which it jumps."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from policies.words.cron_moments import CronMoments, at, in_zone

SPRING, AUTUMN = datetime(2027, 3, 27, 12, tzinfo=UTC), datetime(2027, 10, 30, 12, tzinfo=UTC)  # the noon before the clock of Rome jumps


def rome(cron: str) -> CronMoments:
    return CronMoments(cron=cron, timezone="Europe/Rome")


def from_noon_to_noon(cron: str, noon: datetime) -> list[str]:
    """Local times with their offsets, of two days at most."""
    found, moment = [], noon
    while (moment := rome(cron).first_after(moment)) <= noon + timedelta(days=1):
        found.append(f"{moment:%H:%M%z}")
    return found


@pytest.mark.parametrize(
    ("cron", "spring", "autumn"),
    [
        ("0 3 * * *", ["03:00+0200"], ["03:00+0100"]),
        ("0 2 * * *", ["03:00+0200"], ["02:00+0200"]),
        ("30 2 * * *", ["03:00+0200"], ["02:30+0200"]),  # leapt over: at once after the leap; shown twice: the first time
        ("30 2 * * * 0", ["03:00+0200"], ["02:30+0200"]),  # with a field of seconds, which is the last
        ("0 2,3 * * *", ["03:00+0200"], ["02:00+0200", "03:00+0100"]),  # two that fall together are one
    ],
)
def test_on_the_days_on_which_the_clock_jumps_no_moment_is_lost_and_none_comes_twice(
    cron: str, spring: list[str], autumn: list[str]
) -> None:
    """Prefect's scheduler runs 02:30 of the day in spring at 01:30; cronsim loses it where seconds are given, and gives that of autumn
    again, as a moment of the past, to whoever asks in the repeated hour."""
    assert (from_noon_to_noon(cron, SPRING), from_noon_to_noon(cron, AUTUMN)) == (spring, autumn)


def test_asked_in_the_repeated_hour_the_next_is_in_the_future_and_the_last_is_the_first_showing() -> None:
    again = datetime(2027, 10, 31, 1, 15, tzinfo=UTC)  # 02:15 for the second time
    assert in_zone(rome("30 2 * * *").first_after(again)) == "2027-11-01 02:30 Europe/Rome (UTC+1)"
    assert in_zone(rome("30 2 * * *").last_until(again)) == "2027-10-31 02:30 Europe/Rome (UTC+2)"


@pytest.mark.parametrize("cron", ["30 2 * * *", "*/15 * * * *", "@hourly", "0 0 29 2 *", "7 * * * * */20", "15 1,2,3 28,31 * *"])
@pytest.mark.parametrize("noon", [SPRING, AUTUMN, datetime(2028, 2, 28, 12, tzinfo=UTC)])
def test_nothing_lies_between_the_last_moment_and_the_next(cron: str, noon: datetime) -> None:
    draw, schedule = random.Random(1), rome(cron)
    for _ in range(25):
        now = noon + timedelta(seconds=draw.randrange(86_400))
        last, upcoming = schedule.last_until(now), schedule.first_after(now)
        assert last <= now < upcoming
        assert schedule.first_after(last) == upcoming
        assert schedule.last_until(upcoming) == upcoming


def test_an_end_of_a_leap_is_found_where_the_clock_leaps_by_half_an_hour() -> None:
    assert at(datetime(2027, 10, 3, 2, 10), ZoneInfo("Australia/Lord_Howe")).isoformat() == "2027-10-03T02:30:00+11:00"


@pytest.mark.parametrize(
    ("zone", "said"),
    [
        ("UTC", "2027-01-01 00:00 UTC"),
        ("Europe/London", "2027-01-01 00:00 Europe/London (UTC)"),
        ("Asia/Kolkata", "2027-01-01 00:00 Asia/Kolkata (UTC+5:30)"),
        ("America/St_Johns", "2027-01-01 00:00 America/St_Johns (UTC-3:30)"),
    ],
)
def test_a_moment_is_said_with_its_zone_and_offset(zone: str, said: str) -> None:
    assert in_zone(datetime(2027, 1, 1, tzinfo=ZoneInfo(zone))) == said
