"""Schedules that were missed or whose policy changed, and backups that are too old."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from headgate.core.errors import PolicyInvalid
from policies.words.cron_moments import CronMoments
from policies.words.notice_kind import NoticeKind
from tasks.approval.registered_policies import RegisteredSchedule
from tasks.checks import routine
from tasks.checks.finding import Situation, Status
from tasks.checks.routine import check_backup, check_messages, check_schedules
from tasks.notification.notice import Notice
from tasks.notification.outbox import Outbox, Place


@pytest.fixture
def registered(world: Any, monkeypatch: pytest.MonkeyPatch) -> RegisteredSchedule:
    schedule = RegisteredSchedule("people", "runner", world.ledger.now(), CronMoments(cron="0 3 * * *", timezone="UTC"), "digest")
    monkeypatch.setattr(routine, "registered_schedules", lambda _: (schedule,))
    return schedule


def test_no_schedule_is_no_fault(situation: Situation) -> None:
    assert [found.message for found in check_schedules(situation)] == ["No policy is registered to run on a schedule."]


def test_a_missed_run_is_a_failure_and_the_next_one_is_told(situation: Situation, registered: RegisteredSchedule, world: Any) -> None:
    (fine,) = check_schedules(situation)
    assert fine.message == "people runs next at 2025-06-02T03:00+00:00."
    world.clock.moment = datetime.fromisoformat("2025-06-02T05:00:00+00:00")
    (missed,) = check_schedules(situation)
    assert (missed.status, "2025-06-02T03:00" in missed.message) == (Status.FAILURE, True)


def test_a_policy_that_changed_since_it_was_registered_is_told(
    situation: Situation, registered: RegisteredSchedule, world: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    candidate, policy = world.seal(), tmp_path / "policy.yaml"
    world.home.origins.mkdir()
    (world.home.origins / candidate.id).write_text(json.dumps({"policy": str(policy)}))
    assert [found.status for found in check_schedules(situation)] == [Status.OK]  # nobody knows where it lies now
    policy.write_text("a")
    for digest, told in (("digest", Status.OK), ("other", Status.WARNING)):
        monkeypatch.setattr(routine, "load_policy", lambda _, digest=digest: SimpleNamespace(digest=digest))
        assert [found.status for found in check_schedules(situation)] == [told]

    def broken(_: Path) -> None:
        raise PolicyInvalid("no", "no")

    monkeypatch.setattr(routine, "load_policy", broken)
    assert [found.status for found in check_schedules(situation)] == [Status.WARNING]


def test_a_registered_policy_that_the_home_does_not_keep_is_told(
    situation: Situation, registered: RegisteredSchedule, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routine, "registered_schedules", lambda _: (replace(registered, moments=None),))
    assert [found.status for found in check_schedules(situation)] == [Status.WARNING]


def test_the_age_of_the_last_backup_is_held_against_the_operators_rule(situation: Situation, world: Any, tmp_path: Path) -> None:
    assert [found.status for found in check_backup(situation)] == [Status.OK]
    (world.home.root / "operator.yaml").write_text("backup: {every: 1d}\n")
    assert [found.status for found in check_backup(situation)] == [Status.FAILURE]
    name = "20250601T120000Z-3-1"
    said = {"at": world.ledger.now().isoformat(), "seq": 3, "target": str(tmp_path), "name": name}
    (tmp_path / "backups").mkdir()
    (tmp_path / "backups" / f"{name}.dsse.json").write_text("")
    (world.home.state / "backup.json").write_text(json.dumps(said))
    (fine,) = check_backup(situation)
    assert fine.message == "The last backup was made less than an hour ago, up to event 3."
    world.clock.moment += timedelta(hours=25)
    (late,) = check_backup(situation)
    assert (late.status, late.message) == (Status.FAILURE, "The last backup was made 25 hours ago; operator.yaml asks for one every 1d.")
    (world.home.root / "operator.yaml").write_text("backup: {every: 2d}\n")
    for there in (tmp_path / "gone", world.home.root):  # the folder of a disk that is not mounted is there, too
        (world.home.state / "backup.json").write_text(json.dumps(said | {"target": str(there)}))
        assert [found.status for found in check_backup(situation)] == [Status.WARNING]


def test_a_backup_of_tomorrow_is_not_a_young_one(situation: Situation, world: Any, tmp_path: Path) -> None:
    """Made while the clock was wrong: it would count as young until then, whatever happened to backups meanwhile."""
    (world.home.root / "operator.yaml").write_text("backup: {every: 1d}\n")
    said = {"at": (world.ledger.now() + timedelta(days=300)).isoformat(), "seq": 3, "target": str(tmp_path), "name": "x"}
    (world.home.state / "backup.json").write_text(json.dumps(said))
    (found,) = check_backup(situation)
    assert (found.status, "yet to come" in found.message) == (Status.FAILURE, True)


def test_events_that_nobody_looks_at_are_told(situation: Situation, world: Any) -> None:
    """Where neither `serve` nor `notify` runs no message waits, because none is made."""
    (world.home.root / "operator.yaml").write_text("notify: [{to: 'env:OPS'}]\n")
    world.seal()
    assert [found.status for found in check_messages(situation)] == [Status.OK]
    world.clock.moment += timedelta(hours=2)
    assert [found.status for found in check_messages(situation)] == [Status.OK, Status.WARNING]
    last = world.ledger.last()
    with Outbox.of(world.home, lambda: world.clock.moment).writing() as stored:
        stored.move(Place(last.seq, last.hash))
    assert [found.status for found in check_messages(situation)] == [Status.OK]


def test_messages_that_wait_are_told_with_the_reason_and_without_the_address(situation: Situation, world: Any) -> None:
    assert [found.message for found in check_messages(situation)] == ["operator.yaml names nobody to notify."]
    (world.home.root / "operator.yaml").write_text("notify: [{to: 'env:OPS'}]\n")
    assert [found.message for found in check_messages(situation)] == ["0 messages waiting for env:OPS."]
    with Outbox.of(world.home, lambda: world.clock.moment).writing() as stored:
        stored.add(Notice(id="n", kind=NoticeKind.FAILED, at=""), ("env:OPS",))
    assert [found.status for found in check_messages(situation)] == [Status.OK]
    world.clock.moment += timedelta(hours=2)
    (late,) = check_messages(situation)
    assert (late.status, "Nobody has tried to send." in late.message) == (Status.WARNING, True)
    with Outbox.of(world.home, lambda: world.clock.moment).writing() as stored:
        stored.failed(stored.next_due("env:OPS"), "The server was not reached, or did not take it.")
    (failing,) = check_messages(situation)
    assert (failing.status, "The server was not reached" in failing.message) == (Status.WARNING, True)
