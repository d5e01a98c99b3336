"""Runs that go on, step by step and table by table; and those that came to no candidate, with what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from console.pages.candidate_page import SHOWN_ALONE
from console.pages.chain_page import followed
from console.pages.frame import Console, Here, NotFound, SignedIn, page
from flows.terminal.progress import STEP_TITLES
from headgate.core.errors import InputRejected
from policies.ledger.events import moment
from policies.ledger.run_problem import RunProblem
from policies.ledger.standing import Release
from policies.ledger.states import State
from tasks.approval.release_calendar import problem_of
from tasks.ledger.dataset_lock import holder_of
from tasks.ledger.followed_ledger import FollowedHistory
from tasks.release.kept_progress import RunProgress, progress_of

ENDED_AT_ONCE = 20  # runs that came to nothing, on one page
RunId = Annotated[str, Path(pattern="^[A-Za-z0-9_-]{1,64}$")]
router = APIRouter()


@dataclass(frozen=True)
class RunLine:
    """`alive`: whether a process is at work on it. `report`: whether a refused one has a report."""

    release: Release
    since: datetime
    alive: bool
    progress: RunProgress
    problem: RunProblem | None = None
    ended: datetime | None = None
    report: bool = False


@router.get("/runs")
def runs(request: Request, console: Here, person: SignedIn) -> Response:
    history = console.history()
    going_on: list[RunLine] = []
    ended: list[RunLine] = []
    for release in reversed(history.releases()):
        if release.state is State.RUNNING:
            going_on.append(run_line(console, history, release))
        elif release.state in (State.FAILED, State.REFUSED) and len(ended) < ENDED_AT_ONCE:
            ended.append(run_line(console, history, release))
    return page(request, "runs.html.j2", going_on=going_on, ended=ended, titles=STEP_TITLES, now=console.ledger.seen_now())


@router.get("/runs/{release}")
def run(request: Request, console: Here, person: SignedIn, release: RunId) -> Response:
    history = console.history()
    known = _known(history, release)
    return page(request, "run.html.j2", line=run_line(console, history, known), events=events_of(history, known), titles=STEP_TITLES)


@router.get("/runs/{release}/report")
def refused_report(console: Here, person: SignedIn, release: RunId) -> Response:
    """Of a refused one: figures only, as a file to keep."""
    file = console.home.refused / _known(console.history(), release).release_id / "report.html"
    if not file.is_file() or file.is_symlink():
        raise NotFound
    headers = {"Content-Disposition": f'attachment; filename="refused-{release}.html"', "Content-Security-Policy": SHOWN_ALONE}
    return Response(file.read_bytes(), media_type="application/octet-stream", headers=headers)


@router.get("/live/runs")
def all_live(console: Here, person: SignedIn) -> Response:
    return followed(console, person, lambda: state_of(console), lambda: bool(state_of(console)))


@router.get("/live/runs/{release}")
def one_live(console: Here, person: SignedIn, release: RunId) -> Response:
    known = _known(console.history(), release).release_id
    return followed(console, person, lambda: state_of(console).get(known), lambda: known in state_of(console))


def state_of(console: Console) -> Mapping[str, object]:
    """All that is shown of runs that a process is at work on."""
    releases = console.history().releases()
    running = [release for release in releases if release.state is State.RUNNING and is_alive(console, release)]
    return {release.release_id: (release.events, progress_of(console.home, release.release_id)) for release in running}


def is_alive(console: Console, release: Release) -> bool:
    return holder_of(console.ledger.store, release.dataset) == release.release_id


def run_line(console: Console, history: FollowedHistory, release: Release) -> RunLine:
    problem, latest = problem_of(console.home, history, release, "its report"), history.latest(release.release_id)
    running = release.state is State.RUNNING
    return RunLine(
        release,
        moment(release.started),
        running and is_alive(console, release),
        progress_of(console.home, release.release_id) if running else RunProgress(),
        problem,
        None if running else moment(latest.at),
        (console.home.refused / release.release_id / "report.html").is_file(),
    )


def events_of(history: FollowedHistory, release: Release) -> list[tuple[int, str, str]]:
    """Number, kind and moment of all that the ledger has of a run, up to its end."""
    ending = ("sealed", "refused", "failed", "nothing_new", "abandoned")
    shown = []
    for entry in history.of(release.release_id):
        shown.append((entry.seq, entry.type, entry.at))
        if entry.type in ending:
            break
    return shown


def _known(history: FollowedHistory, name: str) -> Release:
    try:
        return history.find(name)
    except InputRejected:
        raise NotFound from None
