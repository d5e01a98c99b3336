from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tasks.ledger.wanted_events import Wanted, places

BEGAN = datetime(2025, 6, 1, 12, tzinfo=UTC)


def at(hours: float) -> str:
    return (BEGAN + timedelta(hours=hours)).isoformat()


def test_the_events_of_a_time_are_found_by_halves_with_room_for_those_that_were_overtaken() -> None:
    asked = []

    def at_of(seq: int) -> str:
        asked.append(seq)
        return at(seq)

    assert places(Wanted(since=at(100.5), until=at(200.5)), 1_000_000, at_of) == (101, 200)
    assert len(asked) < 50
    assert places(Wanted(since=at(100), until=at(200)), 1_000_000, at_of) == (100, 200)
    assert places(Wanted(), 10, at_of) == (1, 10)
    assert places(Wanted(since=at(-5), until=at(99)), 10, at_of) == (1, 10)
    assert places(Wanted(since=at(99)), 10, at_of) == (11, 10)
    assert places(Wanted(since=at(1)), 0, at_of) == (1, 0)
    ends = Wanted(since="0001-01-01T00:00:00+00:00", until="9999-12-31T23:59:59+00:00")
    assert places(ends, 10, at_of) == (1, 10)


@pytest.mark.slow
def test_a_page_of_a_long_ledger_takes_no_longer_than_one_of_a_short_one(world: Any) -> None:
    from policies.ledger.events import CandidateViewed
    from tasks.ledger.event_log import entry_after

    world.seal()
    last = world.ledger.last()
    with world.ledger.store.writing() as stored:
        for number in range(20_000):
            viewed = CandidateViewed(release_id="release-1", at=last.at, candidate="c" * 64, viewer="ann")
            last = entry_after(last, last, viewed, "rare" if number == 7 else f"reader {number % 50}")
            stored.append(last, "")
    for wanted in (Wanted(actor="rare"), Wanted(type="sealed"), Wanted(dataset="people", actor="rare", type="viewed"), Wanted()):
        began = time.process_time()
        with world.ledger.store.reading() as stored:
            assert stored.listed(wanted, None, 50)
        assert time.process_time() - began < 0.1, wanted
