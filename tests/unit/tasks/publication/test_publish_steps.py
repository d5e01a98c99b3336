"""The steps as functions: each finds home, store and ledger from the environment, as a process of Prefect's would."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from headgate.core.errors import IntegrityBroken, StoreUnavailable, TransitionRefused
from policies.words.publication_moment import PublicationMoment
from tasks.publication import publish_steps

EVERY_MINUTE = PublicationMoment(cron="* * * * *", timezone="UTC")


@pytest.fixture(autouse=True)
def _one_time(world) -> None:
    """The steps go by the machine's clock, so the world does too."""
    world.clock.moment = datetime.now(UTC).replace(microsecond=0)


def test_the_steps_of_a_publication_in_their_order(world, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADGATE_HOME", str(world.home.root))
    monkeypatch.delenv("HEADGATE_STORE", raising=False)
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    world.seal()
    assert publish_steps.candidates_due() == (candidate.id,)
    assert publish_steps.decide.fn(candidate.id) == "approved"
    with pytest.raises(IntegrityBroken, match="approved, not published"):
        publish_steps.audit.fn(candidate.id)
    assert publish_steps.put_in_place.fn(candidate.id) == 1
    assert publish_steps.decide.fn(candidate.id) == "published"
    assert publish_steps.audit.fn(candidate.id) == len(world.ledger.events_of("release-1"))
    assert publish_steps.candidates_due() == ()


def test_the_queue_of_a_home_that_was_moved_is_not_empty_but_gone(world, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADGATE_HOME", str(world.home.root))
    world.home.root.rename(world.home.root.with_name("moved"))
    with pytest.raises(StoreUnavailable, match=r"is gone\."):
        publish_steps.candidates_due()
    assert not world.home.root.exists()


def test_what_is_not_approved_is_not_put_in_place(world, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADGATE_HOME", str(world.home.root))
    candidate = world.seal()
    with pytest.raises(TransitionRefused):
        publish_steps.put_in_place.fn(candidate.id)


def test_the_queue_holds_what_is_due_and_what_was_cut_short(world, monkeypatch: pytest.MonkeyPatch) -> None:
    from tasks.stores.store_folder import FolderSeries

    monkeypatch.setenv("HEADGATE_HOME", str(world.home.root))
    monkeypatch.delenv("HEADGATE_STORE", raising=False)
    far = PublicationMoment(cron="30 9 29 2 *", timezone="Europe/Rome")
    world.clock.moment -= timedelta(minutes=5)
    waiting, due, at_once = world.seal(not_before=far), world.seal(not_before=EVERY_MINUTE), world.seal()
    for candidate in (waiting, due, at_once):
        world.approve(candidate, "ann", "bob")
    assert set(publish_steps.candidates_due()) == {due.id, at_once.id}
    with pytest.raises(TransitionRefused, match="not published before 20..-02-29 at 09:30") as refused:
        publish_steps.put_in_place.fn(waiting.id)
    assert (refused.value.code, "releases --calendar" in refused.value.cure) == (4, True)
    with monkeypatch.context() as dying:
        dying.setattr(FolderSeries, "begin", lambda *_arguments: 1 / 0)
        with pytest.raises(Exception, match="ZeroDivisionError"):
            publish_steps.put_in_place.fn(due.id)
    assert set(publish_steps.candidates_due()) == {due.id, at_once.id}
    assert publish_steps.put_in_place.fn(due.id) == 1
    assert publish_steps.candidates_due() == (at_once.id,)


def test_what_another_version_has_overtaken_is_not_tried_again_and_again(world, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each minute a run of `publish-approved` failed, for ever."""
    monkeypatch.setenv("HEADGATE_HOME", str(world.home.root))
    monkeypatch.delenv("HEADGATE_STORE", raising=False)
    first, second = world.seal(known_versions=()), world.seal(known_versions=())
    for candidate in (first, second):
        world.approve(candidate, "ann", "bob")
    assert set(publish_steps.candidates_due()) == {first.id, second.id}
    assert publish_steps.put_in_place.fn(first.id) == 1
    assert publish_steps.candidates_due() == ()
    with pytest.raises(TransitionRefused, match="nobody has looked at the two together"):
        publish_steps.put_in_place.fn(second.id)
