"""What the calendar is made of. What it says is tested where it is shown."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from headgate.core.errors import StoreUnavailable
from policies.ledger.events import moment
from policies.words.publication_moment import PublicationMoment
from tasks.approval.operating import abandon
from tasks.approval.release_calendar import ReleaseCalendar, release_calendar
from tasks.ledger.history import read_whole
from tasks.stores.store_folder import FolderSeries


def calendar(world: Any) -> ReleaseCalendar:
    history = read_whole(world.ledger)
    return release_calendar(world.home, history, history.releases())


def test_of_a_home_where_nothing_waits_it_is_empty(world: Any) -> None:
    assert calendar(world).empty
    world.published()
    assert calendar(world).empty


def test_who_can_give_what_is_missing_are_people_that_bring_it_nearer(world: Any) -> None:
    """Three must sign, one of them for methods: bob or cyd, and of both one more."""
    candidate = world.seal(roles_required=world.hold_roles(methods=("bob", "cyd")), approvals_required=2)
    (awaiting,) = calendar(world).awaiting
    assert (dict(awaiting.missing), set(awaiting.could_sign)) == ({"methods": 1, "": 1}, {"ann", "bob", "cyd"})
    world.approve(candidate, "ann")
    (awaiting,) = calendar(world).awaiting
    assert (awaiting.signed, awaiting.could_sign) == ({"ann": ()}, {"bob": ("methods",), "cyd": ("methods",)})


def test_an_overdue_candidate_waits_for_nobody(world: Any) -> None:
    world.expires = timedelta(days=1)
    world.seal()
    world.clock.moment += timedelta(days=2)
    assert calendar(world).empty


def test_what_is_published_next_comes_first(world: Any) -> None:
    yearly, monthly = (PublicationMoment(cron=cron, timezone="Europe/Rome") for cron in ("0 9 1 1 *", "0 9 1 * *"))
    candidates = [world.seal(not_before=moments, dataset=name) for name, moments in (("c", yearly), ("b", monthly), ("a", None))]
    for candidate in candidates:
        world.approve(candidate, "ann", "bob")
    due = calendar(world).due
    assert [each.release.dataset for each in due] == ["a", "b", "c"]
    assert due[0].at is None
    assert due[1].at == monthly.first_after(due[1].since)


def test_a_publication_that_stopped_on_its_way_is_among_what_is_to_be_published(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    monkeypatch.setattr(FolderSeries, "begin", killed)
    with pytest.raises(StoreUnavailable):
        world.publish(candidate)
    (due,) = calendar(world).due
    assert (due.release.state, due.at) == ("publishing", None)
    assert due.since <= moment(world.ledger.entries()[-1].at)


def test_a_publication_that_was_abandoned_waits_since_then(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no event that says it stalled, and the calendar ended with a defect."""

    def killed(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    with monkeypatch.context() as patched:
        patched.setattr(FolderSeries, "begin", killed)
        with pytest.raises(StoreUnavailable):
            world.publish(candidate)
    abandon(world.home, world.ledger, candidate.id, world.keys["runner"], "the disk is full")
    (stuck,) = calendar(world).stalled
    assert (stuck.abandoned, stuck.since) == (True, moment(world.ledger.entries()[-1].at))


def test_who_was_overtaken_is_told_so(world: Any) -> None:
    first, second, third = (world.seal(known_versions=()) for _ in range(3))
    world.approve(first, "ann", "bob")
    world.approve(second, "ann", "bob")
    assert [each.overtaken for each in (*calendar(world).due, *calendar(world).awaiting)] == [False, False, False]
    world.publish(first)
    overtaken = calendar(world)
    assert [(each.release.candidate, each.overtaken) for each in (*overtaken.due, *overtaken.awaiting)] == [
        (second.id, True),
        (third.id, True),
    ]
    world.seal(known_versions=(first.id,))
    assert [each.overtaken for each in calendar(world).awaiting] == [True, False]
