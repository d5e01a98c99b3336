"""Whether a scheduled run is due, by the ledger: schedulers wake up early, late, twice or not at all."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from policies.ledger.events import moment
from policies.ledger.run_due import run_due
from tasks.approval.registered_policies import RegisteredSchedule
from tasks.ledger.dataset_lock import holder_of
from tasks.ledger.event_log import Ledger
from tasks.ledger.history import read_history
from tasks.release.run import Run

NOW = timedelta()


@dataclass(frozen=True)
class DueRun:
    """`holder`: the release that has the dataset's lock, so that the run has to wait."""

    at: datetime
    holder: str | None = None


def due_at(ledger: Ledger, schedule: RegisteredSchedule, ago: timedelta = NOW) -> datetime | None:
    """The moment that has no run, if it came at least so long ago."""
    if schedule.moments is None:
        return None
    ran = next((release for release in read_history(ledger).of_dataset(schedule.dataset) if release.machine), None)
    last = None if ran is None else moment(ran.started)
    return run_due(schedule.moments, schedule.registered, last, ledger.seen_now() - ago)


def due_run(ledger: Ledger, schedule: RegisteredSchedule, ago: timedelta) -> DueRun | None:
    due = due_at(ledger, schedule, ago)
    return None if due is None else DueRun(due, holder_of(ledger.store, schedule.dataset))


def is_due(run: Run) -> bool:
    """Of a run that a schedule has started, before its first event."""
    schedule, registration = run.policy.schedule, run.registration
    if schedule is None or registration is None:
        return True
    said = registration.said
    kept = RegisteredSchedule(said.dataset, said.principal, moment(said.at), schedule.moments)
    return due_at(run.ledger, kept) is not None
