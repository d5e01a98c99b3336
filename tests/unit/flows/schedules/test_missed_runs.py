"""What `headgate serve` starts because its moment passed without a run: once, and only what may run."""

from __future__ import annotations

import re
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from flows.schedules import missed_runs
from flows.schedules.missed_runs import MissedRuns, Served
from policies.ledger.events import RunFailed, RunStarted
from policies.sealed.manifest import Signer
from tasks.approval import registered_policies
from tasks.approval.kept_policies import keep_policy
from tasks.approval.registered_policies import register
from tasks.reading.references import load_policy
from tasks.release.run import scheduled_policy
from tasks.signing.home_keys import machine_key
from tests.unit.flows.schedules.test_scheduled_policies import written

DEPLOYMENT = uuid.UUID(int=7)
DAYS_AGO = timedelta(days=40)


class Started:
    """In the place of Prefect: how often a run was asked for, and whether one is there already."""

    def __init__(self) -> None:
        self.runs, self.one_is_there = 0, False

    def __call__(self, deployment: uuid.UUID, release: str) -> bool:
        assert (deployment, len(release)) == (DEPLOYMENT, 16)
        self.runs += not self.one_is_there
        return not self.one_is_there


@pytest.fixture
def started() -> Started:
    return Started()


@pytest.fixture
def missed(world: Any, tmp_path: Path, started: Started) -> MissedRuns:
    """A policy that runs each day, two hours ago the last time, registered long ago; the machine was off since."""
    now, key = world.clock.moment, world.keys["runner"]
    due = now - timedelta(hours=2)
    path = written(tmp_path, "people.yaml", "people", f'schedule: {{cron: "{due.minute} {due.hour} * * *", timezone: UTC}}\n')
    loaded, runner = load_policy(path), Signer(principal="runner", fingerprint=key.fingerprint)
    world.clock.moment = now - DAYS_AGO
    keep_policy(world.home, loaded)
    register(world.home, world.ledger, scheduled_policy(loaded), runner, key)
    world.clock.moment = now
    return MissedRuns(world.home, {"people": Served(path, DEPLOYMENT)}, started)


def ran(world: Any) -> None:
    runner, at = Signer(principal="runner", fingerprint=world.keys["runner"].fingerprint), world.ledger.now().isoformat()
    base, machine = {"release_id": "r-1", "at": at}, machine_key(world.home.keys).fingerprint
    begun = RunStarted(**base, dataset="people", policy_digest="a" * 64, runner=runner, machine=machine, registered=at, product="headgate")
    world.ledger.append("r-1", [begun, RunFailed(**base, step="ingest", error="StoreUnavailable", code=6)], 0, "runner")


def test_one_run_is_started_for_all_moments_that_passed(
    world: Any, missed: MissedRuns, started: Started, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(3):
        missed.look()
    said = capsys.readouterr().err.splitlines()
    assert (started.runs, len(said)) == (1, 1)
    makes_up = r"  people: run [0-9a-f]{16} makes up for the run of \d{4}-\d\d-\d\d \d\d:\d\d UTC, which did not begin\.$"
    assert re.search(makes_up, said[0])
    ran(world)
    for _ in range(2):
        MissedRuns(missed.home, missed.served, started).look()  # as after the next start of `serve`
    assert started.runs == 1


def test_a_run_that_is_there_already_is_left_to_prefect_and_said_once_it_takes_long(
    missed: MissedRuns, started: Started, capsys: pytest.CaptureFixture[str]
) -> None:
    started.one_is_there = True
    missed.look()
    missed.look()
    said = capsys.readouterr().err.splitlines()
    assert (started.runs, len(said)) == (0, 1)
    assert said[0].endswith(" has not begun, because Prefect has an unfinished run of this dataset: cancel that run in Prefect.")


def test_while_another_release_has_the_dataset_the_run_waits_and_says_so_once(
    world: Any, missed: MissedRuns, started: Started, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run at whose moment somebody released by hand was refused, and never made up for."""
    with world.ledger.lock("people", "by-hand"):
        missed.look()
        missed.look()
        said = capsys.readouterr().err.splitlines()
    assert (started.runs, len(said)) == (0, 1)
    assert said[0].endswith(" waits until release by-hand has ended.")
    missed.look()
    assert started.runs == 1


def test_what_may_not_run_any_more_is_not_started_and_said_once(
    world: Any, missed: MissedRuns, started: Started, capsys: pytest.CaptureFixture[str]
) -> None:
    world.write_signers(world.line("ann"), world.line("bob"))
    missed.look()
    missed.look()
    said = capsys.readouterr().err.splitlines()
    assert (started.runs, len(said)) == (0, 1)
    assert "people: Not allowed: " in said[0]


def test_a_home_that_is_gone_is_said_once(world: Any, missed: MissedRuns, started: Started, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing was registered in what was left of it, so nothing was said."""
    world.home.root.rename(world.home.root.with_name("moved"))
    for _ in range(2):
        missed.look()
    (said,) = capsys.readouterr().err.splitlines()
    assert f"The home {world.home.root} is gone." in said
    assert started.runs == 0


def test_one_that_cannot_be_looked_at_does_not_keep_the_others_from_starting(
    world: Any, missed: MissedRuns, started: Started, capsys: pytest.CaptureFixture[str]
) -> None:
    (world.home.root / "schedules" / "broken.dsse.json").write_text("{}")
    both = {"broken": Served(Path("broken.yaml"), DEPLOYMENT), **missed.served}
    MissedRuns(missed.home, both, started).look()
    assert started.runs == 1
    assert "broken: " in capsys.readouterr().err


def test_a_schedule_with_nothing_due_is_not_read_again_before_its_next_moment(
    world: Any, missed: MissedRuns, started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thousand of them took a core for seconds, three times a minute."""
    read: list[str] = []
    monkeypatch.setattr(registered_policies, "registered_schedule", lambda _home, dataset: read.append(dataset))
    missed.look()
    missed.look()
    assert read == ["people"]
    (world.home.root / "schedules" / "people.dsse.json").touch()  # as when somebody registers it
    missed.look()
    assert read == ["people"] * 2


@pytest.mark.parametrize(("later", "read"), [(0, 1), (4, 1), (23, 2), (-1, 2)])
def test_it_is_read_again_once_its_moment_has_come_or_the_clock_was_set_back(
    later: int, read: int, world: Any, missed: MissedRuns, started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran(world)
    looked: list[str] = []
    schedule = registered_policies.registered_schedule
    monkeypatch.setattr(registered_policies, "registered_schedule", lambda home, name: looked.append(name) or schedule(home, name))
    missed.look()
    now = datetime.now(UTC) + timedelta(hours=later)
    monkeypatch.setattr(missed_runs, "datetime", SimpleNamespace(now=lambda _zone: now))
    missed.look()
    assert len(looked) == read
