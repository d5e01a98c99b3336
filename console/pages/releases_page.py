"""Every dataset's series of releases: what waits for whom, what runs when, and what came out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from fastapi import APIRouter, Request
from starlette.responses import Response

from console.access.principals import Person
from console.pages.frame import Here, NotFound, SignedIn, page
from policies.ledger.events import moment
from policies.ledger.standing import Release
from policies.ledger.states import State
from tasks.approval.release_calendar import Awaiting, ReleaseCalendar, problem_of, release_calendar
from tasks.ledger.followed_ledger import FollowedHistory

AT_ONCE = 50  # releases of a dataset on one page
router = APIRouter()


@dataclass(frozen=True)
class DatasetLine:
    """One dataset: what readers have, and what comes next. `runs`: how often it was run."""

    name: str
    published: Release | None
    published_at: datetime | None
    newest: Release
    next_run: datetime | None
    runs: int


@dataclass(frozen=True)
class ReleaseLine:
    release: Release
    since: datetime
    published_at: datetime | None


@router.get("/")
def releases(request: Request, console: Here, person: SignedIn) -> Response:
    history = console.history()
    calendar = release_calendar(console.home, history, history.releases())
    yours = tuple(awaiting for awaiting in calendar.awaiting if waits_for(person, awaiting))
    datasets = dataset_lines(history, calendar)
    return page(request, "releases.html.j2", calendar=calendar, yours=yours, datasets=datasets, waited=waited)


@router.get("/datasets/{dataset}")
def dataset(request: Request, console: Here, person: SignedIn, dataset: str, part: int = 1) -> Response:
    """Newest first, so many at once."""
    history = console.history()
    own = [release for release in reversed(history.releases()) if release.dataset == dataset]
    shown = own[(part - 1) * AT_ONCE : part * AT_ONCE] if part > 0 else []
    if not shown:
        raise NotFound
    told = ((each.release_id, problem_of(console.home, history, each, "its report")) for each in shown)
    problems = {release: problem for release, problem in told if problem is not None}
    return page(
        request,
        "dataset.html.j2",
        dataset=dataset,
        takes_part=next((release.has_part(person.principal) for release in own if release.candidate), False),
        lines=[release_line(history, release) for release in shown],
        problems=problems,
        calendar=release_calendar(console.home, history, own, dataset),
        waited=waited,
        part=part,
        parts=-(-len(own) // AT_ONCE),
    )


def waits_for(person: Person, awaiting: Awaiting) -> bool:
    return person.principal in awaiting.could_sign and not awaiting.overtaken


def dataset_lines(history: FollowedHistory, calendar: ReleaseCalendar) -> list[DatasetLine]:
    """In the order of their names."""
    every: dict[str, list[Release]] = {}
    for release in history.releases():
        every.setdefault(release.dataset, []).append(release)
    next_runs = {run.dataset: run.next for run in calendar.runs}
    return [_dataset_line(history, name, own, next_runs.get(name)) for name, own in sorted(every.items())]


def _dataset_line(history: FollowedHistory, name: str, own: Sequence[Release], next_run: datetime | None) -> DatasetLine:
    published = next((release for release in reversed(own) if release.state is State.PUBLISHED), None)
    newest = next((release for release in reversed(own) if release.candidate), own[-1])
    return DatasetLine(name, published, None if published is None else _published_at(history, published), newest, next_run, len(own))


def release_line(history: FollowedHistory, release: Release) -> ReleaseLine:
    since = moment(history.latest(release.release_id).at)
    return ReleaseLine(release, since, _published_at(history, release) if "published" in release.seen else None)


def _published_at(history: FollowedHistory, release: Release) -> datetime:
    return moment(history.newest(release.release_id, "published").at)


def waited(now: datetime, since: datetime) -> tuple[int, str]:
    """How long, in the largest unit of which there are two."""
    for unit, length in (("days", timedelta(days=1)), ("hours", timedelta(hours=1)), ("minutes", timedelta(minutes=1))):
        if now - since >= 2 * length:
            return (now - since) // length, unit
    return 0, "minutes"
