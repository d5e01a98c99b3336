"""Whether a scheduled run is due by the ledger; the moments themselves are tested as pure functions."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from policies.words.cron_moments import CronMoments
from tasks.approval.registered_policies import RegisteredSchedule, register
from tasks.ledger.open_ledger import open_ledger
from tasks.release.due_runs import due_at, due_run, is_due
from tasks.release.run import begun, opened_release, runner_of, scheduled_policy
from tasks.runtime.home import Home
from tests.unit.tasks.release.test_run import home

__all__ = ["home"]
HOURLY = CronMoments(cron="0 * * * *", timezone="UTC")


@pytest.fixture
def schedule(world: Any) -> RegisteredSchedule:
    return RegisteredSchedule("people", "runner", world.clock.moment - timedelta(days=1), HOURLY)


def test_a_run_of_the_schedule_is_one_and_a_run_by_hand_is_not(world: Any, schedule: RegisteredSchedule) -> None:
    world.seal()
    assert due_at(world.ledger, schedule) is not None
    world.seal(scheduled=True)
    assert due_at(world.ledger, schedule) is None
    world.clock.moment += timedelta(hours=5)
    assert due_at(world.ledger, schedule) == HOURLY.last_until(world.clock.moment)


def test_what_came_a_moment_ago_is_left_to_the_scheduler(world: Any, schedule: RegisteredSchedule) -> None:
    world.clock.moment = world.clock.moment.replace(minute=0, second=10) + timedelta(hours=1)
    world.seal(scheduled=True)
    world.clock.moment = world.clock.moment.replace(minute=0, second=10) + timedelta(hours=1)
    assert due_run(world.ledger, schedule, timedelta(minutes=1)) is None
    due = due_run(world.ledger, schedule, timedelta())
    assert due is not None
    assert (due.at.minute, due.holder) == (0, None)


def test_who_has_the_dataset_is_named(world: Any, schedule: RegisteredSchedule) -> None:
    with world.ledger.lock("people", "by-hand"):
        due = due_run(world.ledger, schedule, timedelta())
    assert due is not None
    assert due.holder == "by-hand"


def test_of_a_schedule_that_the_home_does_not_know_nothing_is_due(world: Any) -> None:
    assert due_at(world.ledger, RegisteredSchedule("people", "runner", world.clock.moment, None)) is None


def test_a_run_is_due_once_for_each_moment_however_often_a_scheduler_starts_it(home: Home, clinic: Any, key_folder: Path) -> None:
    """After a crash Prefect starts everything that came due meanwhile."""
    hour = datetime.now(UTC) - timedelta(hours=2)
    clinic.policy["schedule"] = {"cron": f"{hour.minute} {hour.hour} * * *"}
    loaded, ledger = clinic.load(), open_ledger(home)
    runner = runner_of(home, ledger, loaded, key_folder / "runner")
    days_ago = replace(ledger, clock=lambda: hour - timedelta(days=3), memory=None)
    register(home, days_ago, scheduled_policy(loaded), runner.signer, runner.key)

    def began(release: str, after: timedelta) -> bool:
        with opened_release(loaded.path, None, None, release, scheduled=True) as run:
            if not is_due(replace(run, ledger=replace(ledger, clock=lambda: run.ledger.clock() + after))):
                return False
            event = begun(run)
            ledger.append(release, [event.kind(release_id=release, at=run.ledger.now().isoformat(), **event.payload)], 0, "runner")
        return True

    assert began("r-1", timedelta())
    assert not began("r-2", timedelta())
    assert not began("r-3", timedelta(hours=20))
    assert began("r-4", timedelta(hours=24))
