"""The steps as functions: each finds home, store and ledger from the environment, as a process of Prefect's would."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from headgate.core.errors import IntegrityBroken, TransitionRefused
from policies.ledger.states import State
from tasks.publication import publish_steps


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
    assert publish_steps.candidates_in(State.APPROVED, State.PUBLISHING) == (candidate.id,)
    assert publish_steps.decide.fn(candidate.id) == "approved"
    with pytest.raises(IntegrityBroken, match="approved, not published"):
        publish_steps.audit.fn(candidate.id)
    assert publish_steps.put_in_place.fn(candidate.id) == 1
    assert publish_steps.decide.fn(candidate.id) == "published"
    assert publish_steps.audit.fn(candidate.id) == len(world.ledger.events_of("release-1"))
    assert publish_steps.candidates_in(State.APPROVED, State.PUBLISHING) == ()


def test_what_is_not_approved_is_not_put_in_place(world, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADGATE_HOME", str(world.home.root))
    candidate = world.seal()
    with pytest.raises(TransitionRefused):
        publish_steps.put_in_place.fn(candidate.id)
