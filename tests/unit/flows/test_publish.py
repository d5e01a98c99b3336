"""The publish flow: its steps in their order, each called as a plain function."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from flows import publish as flow
from headgate.core.errors import HeadgateError, TransitionRefused
from policies.ledger.states import State
from policies.words.publication_moment import PublicationMoment
from tasks.ledger.history import read_history


@pytest.fixture(autouse=True)
def _without_prefect(plain_publication: None) -> None:
    """A server is needed for Prefect's own part, which functional tests see."""


def state_of(world: Any, candidate: str) -> State:
    return read_history(world.ledger).find(candidate).state


def test_an_approved_candidate_becomes_a_version(world: Any) -> None:
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    assert flow.publish(candidate.id) == 1
    assert state_of(world, candidate.id) is State.PUBLISHED


def test_what_is_not_approved_stays_where_it_is(world: Any) -> None:
    candidate = world.seal()
    world.approve(candidate, "ann")
    with pytest.raises(TransitionRefused):
        flow.publish(candidate.id)
    assert state_of(world, candidate.id) is State.AWAITING_APPROVAL
    assert not world.home.releases.exists()


def test_every_approved_candidate_is_published_and_no_other(world: Any, capsys: pytest.CaptureFixture[str]) -> None:
    approved, waiting = [world.seal(), world.seal()], world.seal()
    for candidate in approved:
        world.approve(candidate, "ann", "bob")
    capsys.readouterr()
    assert flow.publish_approved() == [candidate.id for candidate in approved]
    said = [line.partition("  ")[2] for line in capsys.readouterr().err.splitlines()]
    assert said == [f"people: candidate {one.id[:12]} is published as version {number}." for number, one in enumerate(approved, 1)]
    assert state_of(world, waiting.id) is State.AWAITING_APPROVAL
    assert flow.publish_approved() == []


def test_one_that_cannot_be_published_stops_no_other_and_the_flow_fails_at_its_end(world: Any) -> None:
    broken, sound = world.seal(), world.seal()
    for candidate in (broken, sound):
        world.approve(candidate, "ann", "bob")
    report = broken.folder / "report.html"
    report.chmod(0o600)
    report.write_text("<p>something else</p>")
    with pytest.raises(HeadgateError) as stopped:
        flow.publish_approved()
    assert stopped.value.code == 5
    assert state_of(world, broken.id) is not State.PUBLISHED
    assert state_of(world, sound.id) is State.PUBLISHED


def test_a_candidate_is_published_at_its_moment_and_once(world: Any) -> None:
    world.clock.moment = datetime.now(UTC).replace(microsecond=0) - timedelta(minutes=3)
    waiting = world.seal(not_before=PublicationMoment(cron="30 9 29 2 *", timezone="Europe/Rome"))
    world.approve(waiting, "ann", "bob")
    with pytest.raises(TransitionRefused, match="not published before"):
        flow.publish(waiting.id)
    due = world.seal(not_before=PublicationMoment(cron="* * * * *", timezone="UTC"))
    world.approve(due, "ann", "bob")
    assert flow.publish_approved() == [due.id]
    assert flow.publish_approved() == []
    assert [entry.type for entry in world.ledger.entries(due.manifest.release_id)].count("published") == 1
