"""Cron text and time zones are checked before a scheduler sees them."""

from __future__ import annotations

import datetime
import json
import subprocess
import sys
import zoneinfo
from typing import Any

import pytest
from cronsim import CronSim
from pydantic_core import PydanticCustomError

from policies.schema.cron import SHORTCUTS, check_cron, check_timezone

ACCEPTED = (
    *("0 3 1 * *", "*/15 * * * *", "0 0 29 2 *", "0 3 * * 7", "5,35 8-18/2 * jan-mar,DEC mon-fri", "0 3 1/5 * *", "* * * * * */2"),
    *(
        "0 3 * * fri-7",
        "0 3 13 * fri",
        "0 3 1-31/2 * *",
        "10-59/20,5 0 */7 2,4 *",
        "0 0 1 1 *",
        "0 0 * * sun-mon",
        "30 2 * * *",
        " 0  3 1 * * ",
    ),
)
SAID = {  # what people would expect of a text, and what Prefect's scheduler does with it
    "0 0 31 2 mon": "no date, although there are Mondays in February",
    "5-5 * * * *": "every minute",
    "59/7 * * * *": "every minute",
    "0 3-3/2 * * *": "every second hour",
    "0 0 */2 * mon": "Mondays and every other day; others: Mondays among those days",
    "0 0 */1 * mon": "every day",
    "0 0 * * 3/2": "Wednesdays and Fridays, not Sundays",
    "0 0 1,* * mon": "Mondays; others: every day",
    "0 0 * * 7 0": "nothing: 7 is refused beside seconds",
    "0 0 * * 5L": "nothing: L5 is its own form",
}


ROME = ("0 3 * * *", "Europe/Rome", "2026-03-26T12:00:00")
QUESTIONS = [ROME, *((text, "UTC", "2026-01-01T00:00:01") for text in (*ACCEPTED, *SHORTCUTS))]
SCHEDULER = """
import asyncio, json, sys, zoneinfo
from datetime import datetime
from prefect.server.schemas.schedules import CronSchedule
from prefect.types._datetime import get_timezones

def dates(text, zone, start):
    start = datetime.fromisoformat(start).replace(tzinfo=zoneinfo.ZoneInfo(zone))
    found = asyncio.run(CronSchedule(cron=text, timezone=zone).get_dates(8, start=start))
    return [date.astimezone(zoneinfo.ZoneInfo(zone)).replace(tzinfo=None).isoformat() for date in found]

json.dump({"dates": [dates(*question) for question in json.load(sys.stdin)], "zones": sorted(get_timezones())}, sys.stdout)
"""


@pytest.fixture(scope="module")
def prefect() -> dict[str, Any]:
    """What Prefect itself makes of the texts: by the local clock, the next dates. In a process of its own: an import sets it up."""
    answer = subprocess.run(
        [sys.executable, "-c", SCHEDULER], input=json.dumps(QUESTIONS), capture_output=True, text=True, timeout=120, check=True
    )
    return dict(json.loads(answer.stdout))


def scheduled(prefect: dict[str, Any], text: str, zone: str = "UTC") -> list[datetime.datetime]:
    place = next(place for place, question in enumerate(QUESTIONS) if question[:2] == (text, zone))
    return [datetime.datetime.fromisoformat(date) for date in prefect["dates"][place]]


@pytest.mark.parametrize("text", [*ACCEPTED, "@daily"])
def test_times_that_occur_are_accepted(text: str) -> None:
    assert check_cron(text) == text


@pytest.mark.parametrize(
    "text",
    [
        *("", "monthly", "0 3 1 *", "0 3 1 * * * *", "60 3 1 * *", "0 24 1 * *", "0 3 0 * *", "0 3 32 * *", "0 3 1 13 *", "0 3 1 * 8"),
        *(
            "0 3 5-1 * *",
            "*/0 * * * *",
            "*/x * * * *",
            "1-2-3 * * * *",
            "a * * * *",
            "0 3 1, * *",
            "-1 3 1 * *",
            "0 0 30 2 *",
            "0 0 31 4,6 *",
            "@never",
        ),
    ],
)
def test_times_that_do_not_occur_are_refused(text: str) -> None:
    with pytest.raises(PydanticCustomError, match="cron expression"):
        check_cron(text)


@pytest.mark.parametrize("name", ["", "Europe/Rom", "../etc/localtime", "/etc", "CEST+1", "posixrules", "right/Europe/Rome"])
def test_only_time_zones_of_the_database_are_accepted(name: str) -> None:
    assert check_timezone("Europe/Rome") == "Europe/Rome"
    with pytest.raises(PydanticCustomError):
        check_timezone(name)


@pytest.mark.slow
@pytest.mark.parametrize("text", ACCEPTED)
def test_the_scheduler_runs_what_is_accepted_at_the_times_that_it_names(text: str, prefect: dict[str, Any]) -> None:
    *fields, last = text.split()
    times = CronSim(" ".join([last, *fields] if len(fields) == 5 else [*fields, last]), datetime.datetime(2026, 1, 1))
    assert scheduled(prefect, text) == [next(times) for _ in range(8)]


@pytest.mark.parametrize("text", SHORTCUTS)
def test_the_scheduler_knows_every_shortcut(text: str, prefect: dict[str, Any]) -> None:
    assert len(set(scheduled(prefect, text))) == 8


@pytest.mark.parametrize("text", SAID, ids=SAID.values())
def test_what_the_scheduler_reads_otherwise_is_refused(text: str) -> None:
    with pytest.raises(PydanticCustomError, match="cron expression"):
        check_cron(text)


def test_a_schedule_keeps_to_the_clock_on_the_wall_across_the_change_to_summer_time(prefect: dict[str, Any]) -> None:
    dates = scheduled(prefect, *ROME[:2])
    assert {date.time() for date in dates} == {datetime.time(3)}
    assert [date.day for date in dates] == [27, 28, 29, 30, 31, 1, 2, 3]


def test_every_time_zone_that_is_accepted_is_known_to_the_scheduler(prefect: dict[str, Any]) -> None:
    assert set(prefect["zones"]) == zoneinfo.available_timezones()
