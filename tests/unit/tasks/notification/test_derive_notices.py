from __future__ import annotations

from datetime import timedelta

import pytest

from headgate.core.errors import StoreUnavailable
from policies.ledger.events import ReleaseRefused, RunFailed
from policies.words.notice_kind import NoticeKind
from tasks.approval.decisions import record_expiries, request_changes
from tasks.notification import derive_notices as derive
from tasks.notification.derive_notices import MOST_DEADLINES, derive_notices
from tasks.notification.outbox import Outbox
from tasks.publication.withdraw import withdraw
from tests.unit.tasks.ledger.conftest import ingested, started, tamper
from tests.unit.tasks.notification.conftest import operator

ALL = operator("{to: env:OPS}").notify


def kinds(made) -> list[NoticeKind]:
    return [notice.kind for notice in made]


@pytest.fixture
def told(world, outbox):
    """What is new since the last time; the first time tells nothing."""

    def look(notify=ALL, **given):
        return derive_notices(world.ledger, notify, outbox, **given)

    look()
    return look


def test_each_event_is_told_once_and_to_whoever_wants_it(world, outbox, told) -> None:
    candidate = world.seal()
    made = told().made
    assert kinds(made) == [NoticeKind.CANDIDATE_WAITS]
    assert (made[0].dataset, made[0].release, made[0].candidate, made[0].needed) == ("people", "release-1", candidate.id, 2)
    world.approve(candidate, "ann", "bob")
    world.publish(candidate)
    withdraw(world.home, world.ledger, candidate.id, world.keys["ann"], "a mistake")
    notify = operator("{to: env:OPS, kinds: [published]}", "{to: env:LAW, datasets: [others]}").notify
    assert kinds(told(notify).made) == [NoticeKind.PUBLISHED, NoticeKind.WITHDRAWN]
    assert told().made == ()
    with outbox.reading() as stored:
        assert [(each.waiting, each.since[:4]) for each in stored.waiting(("env:OPS", "env:LAW"))] == [(2, "2025"), (0, "")]


def test_runs_that_end_badly_and_changes_that_are_requested_are_told(world, told) -> None:
    at = world.ledger.now().isoformat()
    world.ledger.append("r1", [started("r1", at), ingested("r1")], 0, "rue")
    world.ledger.append("r1", [ReleaseRefused(release_id="r1", at=at, failed=("k", "salary:4711"))], 2, "rue")
    world.ledger.append("r2", [started("r2", at)], 0, "rue")
    world.ledger.append("r2", [RunFailed(release_id="r2", at=at, step="ingest", error="InputRejected", code=2)], 1, "rue")
    candidate = world.seal()
    request_changes(world.home, world.ledger, candidate.id, world.keys["ann"], "the secret reason")
    made = told().made
    assert kinds(made) == [NoticeKind.REFUSED, NoticeKind.FAILED, NoticeKind.CANDIDATE_WAITS, NoticeKind.CHANGES_REQUESTED]
    assert (made[0].gates, made[1].step, made[1].error) == (("k",), "ingest", "InputRejected")
    assert "secret" not in repr(made)


def test_what_happened_before_anybody_was_to_be_told_is_not_told(world, outbox) -> None:
    world.seal()
    assert derive_notices(world.ledger, ALL, outbox).made == ()
    world.seal()
    assert kinds(derive_notices(world.ledger, ALL, outbox).made) == [NoticeKind.CANDIDATE_WAITS]
    world.seal()
    assert derive_notices(world.ledger, (), outbox).made == ()
    world.seal()
    derive_notices(world.ledger, (), outbox)
    assert derive_notices(world.ledger, ALL, outbox).made == ()


def test_whoever_is_killed_before_the_end_of_a_step_has_done_nothing_of_it(world, outbox, told, monkeypatch) -> None:
    world.seal()
    with monkeypatch.context() as killed:
        killed.setattr(derive, "replace", lambda *_given, **_more: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            told()
    with outbox.reading() as stored:
        assert stored.waiting(("env:OPS",))[0].waiting == 0
    assert kinds(told().made) == [NoticeKind.CANDIDATE_WAITS]


def test_a_deadline_that_comes_near_is_told_once(world, told) -> None:
    world.expires = timedelta(days=30)
    candidate = world.seal()
    told()
    world.clock.moment += timedelta(days=26)
    assert told().made == ()
    world.clock.moment += timedelta(days=2)
    (near,) = told().made
    assert (near.kind, near.candidate, near.needed) == (NoticeKind.DEADLINE_NEAR, candidate.id, 2)
    assert told().made == ()
    world.clock.moment += timedelta(days=3)
    record_expiries(world.home, world.ledger)
    assert kinds(told().made) == [NoticeKind.EXPIRED]


def test_of_a_short_deadline_the_last_quarter_is_near(world, told) -> None:
    world.expires = timedelta(hours=8)
    world.seal()
    assert kinds(told().made) == [NoticeKind.CANDIDATE_WAITS]
    world.clock.moment += timedelta(hours=6, minutes=1)
    assert kinds(told().made) == [NoticeKind.DEADLINE_NEAR]


def test_a_clock_that_leaps_brings_no_deadline_near(world, told) -> None:
    world.expires = timedelta(days=30)
    for _ in range(3):
        world.seal()
    told()
    started_at = world.clock.uptime()
    world.ledger.memory.__dict__["uptime"] = lambda: started_at  # the machine has not been up for longer
    world.clock.moment += timedelta(days=28)
    leapt = told()
    assert leapt.made == ()
    assert "set forward" in leapt.clock
    world.clock.moment -= timedelta(days=28)
    assert told().clock == ""


def test_many_deadlines_at_once_are_few_messages(world, outbox, told, monkeypatch) -> None:
    world.expires = timedelta(days=4)
    monkeypatch.setattr(derive, "MOST_DEADLINES", 2)
    for _ in range(4):
        world.seal()
    told()
    world.clock.moment += timedelta(days=3, hours=1)
    made = told().made
    assert [(notice.kind, notice.more) for notice in made] == [(NoticeKind.DEADLINE_NEAR, 0), (NoticeKind.DEADLINE_NEAR, 2)]
    assert told().made == ()
    assert MOST_DEADLINES == 20


def test_a_ledger_that_was_changed_is_told_once_until_it_holds_again(world, time_told, told) -> None:
    world.seal()
    told()
    whole = world.home.ledger.read_bytes()
    tamper(world.home.ledger, "DELETE FROM events WHERE seq = 8")
    broken = told()
    assert kinds(broken.made) == [NoticeKind.INTEGRITY_BROKEN]
    assert broken.broken
    assert told().made == ()
    world.home.ledger.write_bytes(whole)
    assert told() == derive.Derived()
    time_told.later(hours=1)
    tamper(world.home.ledger, "UPDATE events SET actor = 'eve' WHERE seq = 8")
    assert kinds(told().made) == [NoticeKind.INTEGRITY_BROKEN]


def test_an_event_that_does_not_follow_is_not_told(world, told) -> None:
    world.seal()
    tamper(world.home.ledger, "UPDATE events SET actor = 'eve' WHERE seq = 3")
    assert kinds(told().made) == [NoticeKind.INTEGRITY_BROKEN]


def test_after_another_ledger_was_accepted_its_end_is_where_reading_goes_on(world, outbox, told) -> None:
    world.seal()
    told()
    empty = world.home.ledger.with_name("other.db")
    world.home.ledger.rename(empty)
    world.ledger.remember_anew()
    assert told().made == ()
    world.seal()
    assert kinds(told().made) == [NoticeKind.CANDIDATE_WAITS]


def test_an_outbox_that_cannot_be_written_says_so(world, told, outbox) -> None:
    outbox.path.unlink()
    outbox.path.mkdir()
    with pytest.raises(StoreUnavailable, match=r"outbox\.db cannot be used"):
        derive_notices(world.ledger, ALL, Outbox(outbox.path))
