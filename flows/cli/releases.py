"""`headgate releases`, which is `headgate audit list` too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from flows.terminal.options import Json

if TYPE_CHECKING:
    from flows.terminal.release_filters import ReleaseFilters
    from tasks.ledger.history import WholeHistory

SHORT = 12  # digits of an id; every command takes them


Calendar = Annotated[bool, typer.Option("--calendar", help="Only approved candidates, and when each is published.")]
Dataset = Annotated[str | None, typer.Option("--dataset", help="Only releases of this dataset.")]
InState = Annotated[str | None, typer.Option("--state", help="Only releases in this state, such as refused or awaiting-approval.")]
Since = Annotated[
    str | None, typer.Option("--since", metavar="DAY", help="Only releases that began on this day or later: 2026-11-19 (UTC).")
]


def releases(json: Json = False, calendar: Calendar = False, dataset: Dataset = None, state: InState = None, since: Since = None) -> None:
    """List all releases and their states, those that were refused or failed too."""
    from flows.terminal.fitted_table import print_table
    from flows.terminal.output import print_json, results
    from flows.terminal.release_filters import ReleaseFilters
    from flows.terminal.shapes import releases_document
    from flows.terminal.shown_figures import in_words, plain_table
    from tasks.ledger.history import read_whole
    from tasks.ledger.open_ledger import found_ledger
    from tasks.runtime.home import Home

    filters = ReleaseFilters.of(dataset, state, since)
    history = read_whole(found_ledger(Home.read()))
    if calendar:
        _show_calendar(history, filters, json)
        return
    listed = filters.among(history.releases())
    if json:
        print_json(releases_document(history, listed))
        return
    if not listed:
        results().print("No release matches." if history.entries else "No releases yet.")
        return
    headings = ("dataset", "started", "id", "state", "approvals", "version")
    shown = plain_table(headings, words=headings, unbroken=("dataset", "started", "id", "approvals", "version"))
    for release in listed:
        approvals = f"{release.standing()} of {release.required}" if release.candidate else ""
        started = history.of(release.release_id)[0].at[:16].replace("T", " ")
        version = "" if release.version is None else str(release.version)
        shown.add_row(release.dataset, started, release.decided[:SHORT], in_words(release.state), approvals, version)
    print_table(results(), shown)


def _show_calendar(history: WholeHistory, filters: ReleaseFilters, json: bool) -> None:
    from flows.terminal.fitted_table import print_table
    from flows.terminal.output import print_json, results
    from flows.terminal.shapes import calendar_document
    from flows.terminal.shown_figures import plain_table

    document = calendar_document(filters.among(history.releases()))
    if json:
        print_json(document)
        return
    if not document["calendar"]:
        results().print("No approved candidate waits to be published.")
        return
    headings = ("dataset", "candidate", "published")
    shown = plain_table(headings, words=headings, unbroken=headings)
    for row in document["calendar"]:
        due = "at once" if row["due"] is None else f"{row['due'][:16].replace('T', ' ')} {row['timezone']}"
        shown.add_row(row["dataset"], row["candidate"][:SHORT], due)
    print_table(results(), shown)
