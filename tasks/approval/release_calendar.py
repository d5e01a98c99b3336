"""What runs and what is published when, and what waits for whom since when: of what the ledger and the home say, nothing else is asked."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from policies.ledger.events import moment
from policies.ledger.run_due import run_due
from policies.ledger.run_problem import RunProblem, run_problem
from policies.ledger.standing import Release
from policies.ledger.states import State
from policies.words.cron_moments import CronMoments
from tasks.approval.registered_policies import RegisteredSchedule, registered_schedules
from tasks.ledger.dataset_lock import holder_of
from tasks.ledger.history import History, KnownReleases
from tasks.runtime.home import Home


@dataclass(frozen=True)
class ScheduledRun:
    """A registered policy. `due`: the moment that passed without a run. `last`: its last scheduled run."""

    dataset: str
    registered_by: str
    schedule: CronMoments | None
    next: datetime | None
    due: datetime | None
    last: Release | None
    problem: RunProblem | None


@dataclass(frozen=True)
class Running:
    """`alive`: whether a process is at work on it."""

    release: Release
    since: datetime
    alive: bool


@dataclass(frozen=True)
class Awaiting:
    """A candidate that awaits approval. `signed`: who has, with the roles they hold; empty while votes are hidden. `could_sign`: who can
    give what is missing; while votes are hidden, everybody who may sign. `overtaken`: a version came out that it was not measured with, so
    it can never be published."""

    release: Release
    since: datetime
    signed: dict[str, tuple[str, ...]]
    missing: Counter[str]
    could_sign: dict[str, tuple[str, ...]]
    overtaken: bool = False


@dataclass(frozen=True)
class Due:
    """An approved candidate, or one whose publication has begun. `at`: None where nothing keeps it waiting. `overtaken`: as above."""

    release: Release
    since: datetime
    at: datetime | None
    overtaken: bool = False


@dataclass(frozen=True)
class Stuck:
    """What goes on only when somebody acts: a publication that stalled, or that an operator `abandoned`; or changes that no later candidate
    answers."""

    release: Release
    since: datetime
    abandoned: bool = False


@dataclass(frozen=True)
class ReleaseCalendar:
    now: datetime
    running: tuple[Running, ...]
    awaiting: tuple[Awaiting, ...]
    due: tuple[Due, ...]
    stalled: tuple[Stuck, ...]
    changes_requested: tuple[Stuck, ...]
    runs: tuple[ScheduledRun, ...]

    @property
    def empty(self) -> bool:
        return not (self.running or self.awaiting or self.due or self.stalled or self.changes_requested or self.runs)


def release_calendar(home: Home, history: KnownReleases, listed: Sequence[Release], dataset: str | None = None) -> ReleaseCalendar:
    """Of these releases, and of the schedules of this dataset, or of all."""

    def since(release: Release, event: str) -> datetime:
        return moment(history.newest(release.release_id, event).at)

    def stalled(release: Release) -> Stuck:
        event = history.newest(release.release_id, "stalled", "abandoned")
        return Stuck(release, moment(event.at), event.type == "abandoned")

    def overtaken(release: Release) -> bool:
        return release.overtaken_by(out[release.dataset] - {release.candidate})

    def among(*states: State) -> list[Release]:
        return [release for release in listed if release.state in states]

    now = history.ledger.seen_now()
    out = defaultdict[str, set[str]](set)
    for release in history.releases():
        if release.came_out:
            out[release.dataset].add(release.candidate)
    due = [Due(release, since(release, "approved"), release.due, overtaken(release)) for release in among(State.APPROVED, State.PUBLISHING)]
    answered = {candidate for release in history.releases() for candidate in release.answers}
    schedules = [schedule for schedule in registered_schedules(home) if dataset in (None, schedule.dataset)]
    runs = (_scheduled(home, history, schedule, now) for schedule in schedules)
    return ReleaseCalendar(
        now,
        tuple(Running(release, moment(release.started), _alive(history, release)) for release in among(State.RUNNING)),
        tuple(_awaiting(release, since(release, "sealed"), overtaken(release)) for release in among(State.AWAITING_APPROVAL)),
        tuple(sorted(due, key=lambda each: (each.at is not None, each.at, each.since))),
        tuple(stalled(release) for release in among(State.STALLED)),
        tuple(
            Stuck(release, since(release, "changes_requested"))
            for release in among(State.CHANGES_REQUESTED)
            if release.candidate not in answered
        ),
        tuple(sorted(runs, key=lambda run: (run.next is None, run.next, run.dataset))),
    )


def problem_of(home: Home, history: History, release: Release, called: str = "") -> RunProblem | None:
    """Why a run came to no candidate; None if it did, or goes on. `called`: the name of its report, where its path helps nobody."""
    if release.state not in (State.FAILED, State.REFUSED):
        return None
    report = home.refused / release.release_id / "report.html"
    return run_problem(history.events(release.release_id), (called or str(report)) if report.is_file() else "")


def _alive(history: KnownReleases, release: Release) -> bool:
    return holder_of(history.ledger.store, release.dataset) == release.release_id


def _awaiting(release: Release, sealed: datetime, overtaken: bool) -> Awaiting:
    signed: dict[str, tuple[str, ...]] = {} if release.hides_votes else release.agreeing()
    return Awaiting(release, sealed, signed, release.quorum.missing(signed), release.awaited(), overtaken)


def _scheduled(home: Home, history: KnownReleases, schedule: RegisteredSchedule, now: datetime) -> ScheduledRun:
    last = next((each for each in reversed(history.releases()) if each.dataset == schedule.dataset and each.machine), None)
    moments = schedule.moments
    return ScheduledRun(
        schedule.dataset,
        schedule.principal,
        moments,
        None if moments is None else moments.first_after(now),
        None if moments is None else run_due(moments, schedule.registered, None if last is None else moment(last.started), now),
        last,
        None if last is None else problem_of(home, history, last),
    )
