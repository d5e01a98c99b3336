from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from headgate.core.errors import IntegrityBroken
from policies.ledger.states import State
from tasks.approval.inspection import view_candidate
from tasks.approval.release_calendar import release_calendar
from tasks.ledger import followed_ledger
from tasks.ledger.event_log import Ledger
from tasks.ledger.followed_ledger import FollowedLedger
from tasks.ledger.history import read_whole
from tests.unit.tasks.ledger.conftest import tamper


def test_what_was_followed_is_what_whoever_reads_the_whole_sees(world, monkeypatch) -> None:
    monkeypatch.setattr(followed_ledger, "AT_ONCE", 5)
    followed = FollowedLedger(world.ledger)
    assert followed.history().releases() == ()
    world.published()
    world.published()
    half = world.seal()
    world.approve(half, "ann")
    view_candidate(world.home, world.ledger, half.id)
    for _ in range(2):
        history, whole = followed.history(), read_whole(world.ledger)
        assert history.releases() == whole.releases()
        assert [release.state for release in history.releases()][:2] == [State.SUPERSEDED, State.PUBLISHED]
        calendars = [release_calendar(world.home, each, each.releases()) for each in (history, whole)]
        assert calendars[0] == replace(calendars[1], now=calendars[0].now)
        for release in whole.releases():
            assert history.newest(release.release_id, "sealed", "approved") == whole.newest(release.release_id, "sealed", "approved")
        world.seal()


def test_a_candidate_expires_while_nothing_is_written(world) -> None:
    world.expires = timedelta(days=1)
    world.seal()
    followed = FollowedLedger(world.ledger)
    assert followed.history().releases()[0].state is State.AWAITING_APPROVAL
    world.clock.moment += timedelta(days=2)
    assert followed.history().releases()[0].state is State.EXPIRED


def test_the_moment_of_all_releases_is_asked_for_once(world, monkeypatch) -> None:
    """Each asking opens the ledger."""
    world.expires = timedelta(days=1)
    for _ in range(3):
        world.seal()
    followed, asked, seen_now = FollowedLedger(world.ledger), [], Ledger.seen_now
    monkeypatch.setattr(Ledger, "seen_now", lambda ledger: asked.append(1) or seen_now(ledger))
    for history in (followed.history(), read_whole(world.ledger)):
        asked.clear()
        assert len(history.releases()) == 3
        assert len(asked) == 1


def test_a_ledger_that_was_changed_before_it_was_read_is_refused(world) -> None:
    world.seal()
    tamper(world.home.ledger, "UPDATE events SET actor = 'ann' WHERE seq = 3")
    with pytest.raises(IntegrityBroken, match="Event 3"):
        FollowedLedger(world.ledger).history()


def test_a_ledger_that_was_shortened_or_replaced_after_it_was_read_is_refused(world) -> None:
    world.seal()
    followed = FollowedLedger(world.ledger)
    followed.history()
    tamper(world.home.ledger, "DELETE FROM events WHERE seq = 8")
    with pytest.raises(IntegrityBroken, match="not the one that was read before"):
        followed.history()


def test_who_asks_again_at_once_is_given_the_same_until_something_is_added(world) -> None:
    world.seal()
    followed = FollowedLedger(world.ledger)
    first = followed.history()
    assert followed.history() is first
    world.seal()
    assert len(followed.history().releases()) == 2
    assert len(first.releases()) == 1
