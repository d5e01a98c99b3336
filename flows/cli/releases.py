"""`headgate releases`, which is `headgate audit list` too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from flows.terminal.options import Json

if TYPE_CHECKING:
    from policies.ledger.run_problem import RunProblem
    from policies.ledger.standing import Release
    from tasks.approval.release_calendar import ReleaseCalendar
    from tasks.ledger.history import WholeHistory


Calendar = Annotated[bool, typer.Option("--calendar", help="What runs, what waits for whom, and what is published when.")]
Dataset = Annotated[str | None, typer.Option("--dataset", help="Only releases of this dataset.")]
InState = Annotated[str | None, typer.Option("--state", help="Only releases in this state, such as refused or awaiting-approval.")]
Since = Annotated[
    str | None, typer.Option("--since", metavar="DAY", help="Only releases that began on this day or later: 2026-11-19 (UTC).")
]


def releases(json: Json = False, calendar: Calendar = False, dataset: Dataset = None, state: InState = None, since: Since = None) -> None:
    """List all releases and their states, and say what to do about those that were refused or failed."""
    from flows.terminal.output import print_json, results
    from flows.terminal.release_filters import ReleaseFilters
    from flows.views.shapes import releases_document
    from tasks.approval.release_calendar import problem_of, release_calendar
    from tasks.ledger.history import read_whole
    from tasks.ledger.open_ledger import found_ledger
    from tasks.runtime.home import Home

    filters, home = ReleaseFilters.of(dataset, state, since), Home.read()
    ledger = found_ledger(home)
    history = read_whole(ledger)
    if not history.entries:
        ledger.require_remembered()  # as where HEADGATE_DATABASE_URL was forgotten: this is not the ledger of the home
    listed = filters.among(history.releases())
    if calendar:
        _show_calendar(release_calendar(home, history, listed, dataset), json)
        return
    problems = {release.release_id: problem for release in listed if (problem := problem_of(home, history, release)) is not None}
    if json:
        print_json(releases_document(history, listed, problems))
        return
    if not listed:
        results().print("No release matches." if history.entries else "No releases yet.")
        return
    _show_list(history, listed)
    _show_problems(problems, history.latest_runs(listed) if filters.state is None else listed)


def _show_list(history: WholeHistory, listed: Sequence[Release]) -> None:
    from flows.terminal.fitted_table import print_table
    from flows.terminal.output import results
    from flows.views.calendar_view import SHORT
    from flows.views.shown_figures import in_words, plain_table

    headings = ("dataset", "started", "id", "state", "approvals", "version")
    shown = plain_table(headings, words=headings, unbroken=("dataset", "started", "id", "approvals", "version"))
    for release in listed:
        approvals = f"{release.standing()} of {release.required}" if release.candidate else ""
        started = history.of(release.release_id)[0].at[:16].replace("T", " ")
        version = "" if release.version is None else str(release.version)
        shown.add_row(release.dataset, started, release.decided[:SHORT], in_words(release.state), approvals, version)
    print_table(results(), shown)


def _show_problems(problems: Mapping[str, RunProblem], listed: Sequence[Release]) -> None:
    """A line for what stopped each run, and one for its cure."""
    from flows.terminal.output import plain, results, tell
    from flows.views.calendar_view import SHORT, problem_lines

    for release in listed:
        if release.release_id in problems:
            subject = f"{release.dataset}: release {release.release_id[:SHORT]}"
            results().print()
            for line in problem_lines(problems[release.release_id], subject):
                tell(results(), plain(line))


def _show_calendar(calendar: ReleaseCalendar, json: bool) -> None:
    from flows.terminal.output import print_json
    from flows.views.calendar_shape import calendar_document
    from flows.views.calendar_view import show_calendar

    if json:
        print_json(calendar_document(calendar))
    else:
        show_calendar(calendar)
