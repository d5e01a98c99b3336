"""Runs whose moment passed while nobody was there to start them, or while another release had the dataset: `serve` starts one for the last
such moment. Prefect forgets what came due while `serve` was stopped, starts all of it after a crash, and follows a clock that is not the
policy's in the hour that a clock leaps over; the ledger says what ran."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from flows.terminal.served_lines import SaidOnce, what_broke
from policies.words.cron_moments import in_zone

if TYPE_CHECKING:
    from uuid import UUID

    from tasks.approval.registered_policies import RegisteredSchedule
    from tasks.runtime.home import Home

CHECK_SECONDS = 20.0
GRACE = timedelta(seconds=20)  # in which Prefect starts what is due
LONG = timedelta(minutes=10)
NEVER = datetime.max.replace(tzinfo=UTC)
AGAIN_SECONDS = 600.0  # after a run that ended before its first event


@dataclass(frozen=True)
class Served:
    """A policy that this process serves, and its deployment."""

    path: Path
    deployment: UUID


@dataclass(frozen=True)
class Quiet:
    """A schedule that has nothing due before its next moment. A clock that was set back, or a policy that was registered anew, ends it."""

    stamp: int
    since: datetime
    until: datetime

    def lasts(self, stamp: int, now: datetime) -> bool:
        return stamp == self.stamp and self.since <= now < self.until


@dataclass
class MissedRuns:
    """`start` starts a run of a deployment, with this id, unless one has not ended. What was started and said is remembered, so that it is
    neither done nor said again and again; and until when nothing can come due, so that a thousand schedules cost no more than a few."""

    home: Home
    served: Mapping[str, Served]
    start: Callable[[UUID, str], bool]
    _started: dict[str, tuple[datetime, float]] = field(default_factory=dict)
    _said: SaidOnce = field(default_factory=SaidOnce)
    _quiet: dict[str, Quiet] = field(default_factory=dict)

    async def watch(self) -> None:
        """Until cancelled."""
        while True:
            await asyncio.to_thread(self.look)
            await asyncio.sleep(CHECK_SECONDS)

    def look(self) -> None:
        """Once at each schedule. What keeps one from being looked at is said, and it is looked at again."""
        from tasks.approval.registered_policies import registered_schedule, registration_stamp

        for dataset, served in self.served.items():
            stamp, now = registration_stamp(self.home, dataset), datetime.now(UTC)
            quiet = self._quiet.pop(dataset, None)
            if quiet is not None and quiet.lasts(stamp, now):
                self._quiet[dataset] = quiet
                continue
            try:
                self.home.require_there()
                schedule = registered_schedule(self.home, dataset)
                if schedule is None:
                    self._quiet[dataset] = Quiet(stamp, now, NEVER)
                elif not self._look(schedule, served):
                    self._quiet[dataset] = Quiet(stamp, now, _next_due(schedule, now))
            except Exception as problem:  # noqa: BLE001 - whatever it is, `serve` goes on, and says it
                self._said.say(dataset, what_broke(problem, "start what is due"))

    def _look(self, schedule: RegisteredSchedule, served: Served) -> bool:
        """Whether a run is due."""
        from tasks.ledger.open_ledger import read_ledger
        from tasks.release.due_runs import due_run
        from tasks.release.release_id import new_release_id

        dataset = schedule.dataset
        due = due_run(read_ledger(self.home), schedule, GRACE)
        if due is None:
            self._said.say(dataset, "")
        elif due.holder is not None:
            self._said.say(dataset, f"the run of {in_zone(due.at)} waits until release {due.holder} has ended.")
        elif not self._tried(dataset, due.at):
            self._require_runnable(served.path)
            run = new_release_id()
            if self.start(served.deployment, run):
                self._started[dataset] = (due.at, time.monotonic())
                self._said.say(dataset, f"run {run} makes up for the run of {in_zone(due.at)}, which did not begin.")
            elif datetime.now(UTC) - due.at > LONG:
                why = "Prefect has an unfinished run of this dataset: cancel that run in Prefect."
                self._said.say(dataset, f"the run of {in_zone(due.at)} has not begun, because {why}")
        return due is not None

    def _tried(self, dataset: str, due: datetime) -> bool:
        moment, at = self._started.get(dataset, (None, 0.0))
        return moment == due and time.monotonic() - at < AGAIN_SECONDS

    def _require_runnable(self, policy: Path) -> None:
        """What would be refused before its first event is not started."""
        from tasks.ledger.open_ledger import open_ledger
        from tasks.reading.references import load_policy
        from tasks.release.run import runner_of

        runner_of(self.home, open_ledger(self.home), load_policy(policy), None, scheduled=True)


def _next_due(schedule: RegisteredSchedule, now: datetime) -> datetime:
    """When its next moment has passed for long enough; a policy that the home does not keep has none before it runs, which adds it."""
    return now if schedule.moments is None else schedule.moments.first_after(now - GRACE) + GRACE
