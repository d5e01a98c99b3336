"""`headgate releases`, which is `headgate audit list` too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from flows.terminal.options import Json

if TYPE_CHECKING:
    from tasks.ledger.history import WholeHistory


Calendar = Annotated[bool, typer.Option("--calendar", help="Only approved candidates, and when each is published.")]


def releases(json: Json = False, calendar: Calendar = False) -> None:
    """List all releases and their states."""
    from flows.terminal.output import print_json, results
    from flows.terminal.shapes import releases_document
    from flows.terminal.shown_figures import in_words, plain_table
    from tasks.ledger.history import read_whole
    from tasks.ledger.open_ledger import read_ledger
    from tasks.runtime.home import Home

    history = read_whole(read_ledger(Home.read()))
    if calendar:
        _show_calendar(history, json)
        return
    if json:
        print_json(releases_document(history))
        return
    headings = ("dataset", "started", "candidate", "state", "approvals", "version")
    shown = plain_table(headings, words=headings, unbroken=headings[1:])
    for release in history.releases():
        approvals = f"{release.standing()} of {release.required}" if release.candidate else ""
        started = history.of(release.release_id)[0].at[:16].replace("T", " ")
        version = "" if release.version is None else str(release.version)
        shown.add_row(release.dataset, started, release.candidate[:12], in_words(release.state), approvals, version)
    results().print(shown if history.entries else "No releases yet.")


def _show_calendar(history: WholeHistory, json: bool) -> None:
    from flows.terminal.output import print_json, results
    from flows.terminal.shapes import calendar_document
    from flows.terminal.shown_figures import plain_table

    document = calendar_document(history)
    if json:
        print_json(document)
        return
    headings = ("dataset", "candidate", "published")
    shown = plain_table(headings, words=headings, unbroken=headings[1:])
    for row in document["calendar"]:
        shown.add_row(row["dataset"], row["candidate"][:12], "at once" if row["due"] is None else f"{row['due'][:16]} {row['timezone']}")
    results().print(shown if document["calendar"] else "No approved candidate waits to be published.")
