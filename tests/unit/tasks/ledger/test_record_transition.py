from __future__ import annotations

import pytest

from headgate.core.errors import TransitionRefused
from policies.approval.acts import Act, Actor
from policies.ledger.states import Action, ActorRole, State
from tasks.ledger.history import read_history
from tasks.ledger.record_transition import record_transition

READER = Actor("rae", "", ActorRole.READER)


def test_what_is_accepted_is_in_the_ledger(world) -> None:
    candidate = world.seal()
    release = read_history(world.ledger).find(candidate.id)
    act = Act(Action.VIEW, candidate=candidate.id, policy_digest=release.policy_digest)
    after = record_transition(world.ledger, release, act, READER, "")
    assert after == read_history(world.ledger).find(candidate.id)
    assert (after.state, after.events) == (State.AWAITING_APPROVAL, release.events + 1)
    assert world.ledger.entries()[-1].actor == "rae"


def test_what_is_refused_says_every_reason_with_its_cure_and_is_not_recorded(world) -> None:
    candidate = world.seal()
    release, before = read_history(world.ledger).find(candidate.id), world.ledger.entries()
    with pytest.raises(TransitionRefused) as refusal:
        record_transition(world.ledger, release, Act(Action.RESUME), READER, "Ask the operator.")
    assert {reason.rule for reason in refusal.value.refusals} >= {"state", "role", "reason"}
    assert refusal.value.cure == "Ask the operator."
    assert world.ledger.entries() == before


def test_whoever_looked_before_somebody_else_acted_is_overtaken(world) -> None:
    candidate = world.seal()
    release = read_history(world.ledger).find(candidate.id)
    act = Act(Action.VIEW, candidate=candidate.id, policy_digest=release.policy_digest)
    record_transition(world.ledger, release, act, READER, "")
    with pytest.raises(TransitionRefused, match="same moment"):
        record_transition(world.ledger, release, act, READER, "")
