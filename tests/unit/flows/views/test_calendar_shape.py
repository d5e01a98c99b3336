"""The calendar's `--json`: a contract. What is in it for a home is tested with the command."""

from __future__ import annotations

from datetime import UTC, datetime

from flows.views.calendar_shape import calendar_document
from policies.ledger.standing import Release
from policies.ledger.states import State
from policies.sealed.manifest import Signer
from tasks.approval.release_calendar import Due, ReleaseCalendar, Stuck

NOW = datetime(2027, 1, 1, tzinfo=UTC)
STALLED = Release("r1", "people", "a" * 64, Signer(principal="rita", fingerprint="f"), state=State.STALLED, candidate="c" * 64)


def test_every_part_is_there_also_where_it_is_empty() -> None:
    document = calendar_document(ReleaseCalendar(NOW, (), (), (), (), (), ()))
    parts = ("running", "awaiting", "stalled", "changes_requested", "calendar", "runs")
    assert document == {"now": "2027-01-01T00:00:00+00:00", **{part: [] for part in parts}}


def test_what_waits_says_since_when_with_the_offset() -> None:
    document = calendar_document(ReleaseCalendar(NOW, (), (), (Due(STALLED, NOW, None),), (Stuck(STALLED, NOW),), (), ()))
    waiting = {"dataset": "people", "release": "r1", "candidate": "c" * 64, "since": "2027-01-01T00:00:00+00:00"}
    assert document["stalled"] == [{**waiting, "abandoned": False}]
    assert document["calendar"] == [{**waiting, "state": "stalled", "due": None, "timezone": None, "overtaken": False, "expires": None}]
