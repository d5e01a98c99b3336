"""The calendar for a person. Its sentences about a real home are tested with the command; here are those that a home seldom has."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from flows.views.calendar_view import show_calendar
from policies.ledger.run_problem import RunProblem
from policies.ledger.standing import Release
from policies.ledger.states import State
from policies.sealed.manifest import Signer
from policies.words.cron_moments import CronMoments
from tasks.approval.release_calendar import Due, ReleaseCalendar, ScheduledRun, Stuck

NOW = datetime(2027, 10, 30, 22, tzinfo=UTC)
EMPTY = ReleaseCalendar(NOW, (), (), (), (), (), ())
RITA = Signer(principal="rita", fingerprint="f")
NIGHTLY = CronMoments(cron="30 2 * * *", timezone="Europe/Rome")


def release(state: State) -> Release:
    return Release("r1", "people", "a" * 64, RITA, state=state, candidate="c" * 64, started="2027-10-29T00:30:00+00:00")


def shown(capsys: pytest.CaptureFixture[str], calendar: ReleaseCalendar) -> list[str]:
    show_calendar(calendar)
    return capsys.readouterr().out.splitlines()


def test_a_stalled_publication_waits_for_an_operator(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys, replace(EMPTY, stalled=(Stuck(release(State.STALLED), NOW),)))
    assert lines[:4] == [
        "Now: 2027-10-30 22:00 UTC",
        "",
        "Waiting for people",
        "  people: candidate cccccccccccc, publication stalled, waiting for an operator since 2027-10-30 22:00 UTC",
    ]
    assert "headgate resume cccccccccccc --key KEY --reason TEXT" in lines[4]


def test_an_abandoned_publication_is_not_told_to_be_in_the_way_of_something(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys, replace(EMPTY, stalled=(Stuck(release(State.STALLED), NOW, abandoned=True),)))
    assert lines[3].endswith("publication abandoned, waiting for an operator since 2027-10-30 22:00 UTC")
    assert lines[4].strip() == "headgate resume cccccccccccc --key KEY --reason TEXT"


def test_what_was_overtaken_is_not_announced(capsys: pytest.CaptureFixture[str]) -> None:
    """It was to be published as soon as somebody publishes, and never could be."""
    lines = " ".join(shown(capsys, replace(EMPTY, due=(Due(release(State.APPROVED), NOW, None, overtaken=True),))))
    assert "It cannot be published: a version of the dataset came out since the candidate was sealed" in lines
    assert "headgate withdraw cccccccccccc --key KEY --reason TEXT" in lines
    assert "as soon as" not in lines


def test_a_publication_on_its_way_can_be_finished(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys, replace(EMPTY, due=(Due(release(State.PUBLISHING), NOW, None),)))
    assert lines[3].endswith("publication has begun; `headgate publish cccccccccccc` finishes it if it was cut short")


def test_in_the_night_in_which_the_clock_is_set_back_the_offset_says_which_showing_is_meant(capsys: pytest.CaptureFixture[str]) -> None:
    run = ScheduledRun("people", "rita", NIGHTLY, NIGHTLY.first_after(NOW), None, release(State.AWAITING_APPROVAL), None)
    lines = shown(capsys, replace(EMPTY, runs=(run,)))
    assert lines[3] == "  people: next run on 2027-10-31 02:30 Europe/Rome (UTC+2) (cron 30 2 * * *); registered by rita"
    assert lines[4] == "    Last: 2027-10-29 02:30 Europe/Rome (UTC+2), candidate cccccccccccc: awaiting approval."


@pytest.mark.parametrize(
    ("state", "said"),
    [(State.RUNNING, "still running."), (State.NOTHING_NEW, "nothing new: the same source and policy have a candidate already.")],
)
def test_how_the_last_run_ended_is_said(capsys: pytest.CaptureFixture[str], state: State, said: str) -> None:
    run = ScheduledRun("people", "rita", NIGHTLY, NIGHTLY.first_after(NOW), None, release(state), None)
    assert shown(capsys, replace(EMPTY, runs=(run,)))[4].endswith(f", {said}")


def test_a_run_that_failed_has_its_cure_below_it(capsys: pytest.CaptureFixture[str]) -> None:
    failed = replace(release(State.FAILED), candidate="")
    run = ScheduledRun("people", "rita", None, None, None, failed, RunProblem("failed at once", "Try again."))
    lines = shown(capsys, replace(EMPTY, runs=(run,)))
    assert lines[4:] == ["    Last: 2027-10-29 00:30 UTC; release r1 failed at once.", "    Cure: Try again."]
