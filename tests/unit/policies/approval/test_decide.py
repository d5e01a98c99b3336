"""Every state × action × role, each state reached through decisions, never written. What is allowed stands here once more by hand."""

from __future__ import annotations

import datetime
from itertools import product

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from policies.approval.acts import Actor, OperatorRules
from policies.approval.decide import Accepted, Refused, decide
from policies.ledger.fold import fold
from policies.ledger.states import Action, ActorRole, State
from policies.sealed.manifest import SealedRole, Signer
from tests.unit.policies.approval.acting import (
    ALLOWED,
    ANN,
    APPROVE_ANN,
    APPROVE_BOB,
    BOB,
    DEADLINE,
    EVE,
    NOW,
    OPERATOR,
    PUBLISHER,
    RELEASES,
    RUN,
    RUNNER,
    accepted,
    act,
    actor,
    measured,
    refused,
    sealing,
)


@pytest.mark.parametrize(("state", "action"), list(product(State, Action)))
def test_each_role_may_do_in_each_state_exactly_what_is_listed(state: State, action: Action) -> None:
    for role in ActorRole:
        by = actor(RUNNER if role is ActorRole.RUNNER else ANN, role)
        answer = decide(RELEASES[state], act(action), by, OperatorRules(), NOW)
        wanted = ALLOWED.get((state, action))
        if wanted is not None and wanted[0] is role:
            assert isinstance(answer, Accepted), (role, answer)
            assert answer.release.state is wanted[1]
        else:
            assert isinstance(answer, Refused), (role, answer)


def test_a_decision_never_changes_what_it_was_given() -> None:
    before = RELEASES[State.AWAITING_APPROVAL]
    accepted(before, Action.APPROVE, APPROVE_ANN)
    assert before.decisions == ()


def test_the_state_after_a_decision_is_the_fold_of_all_events() -> None:
    events = measured()
    release = fold(events)
    for step in (
        (Action.SEAL, RUN),
        (Action.APPROVE, APPROVE_ANN),
        (Action.APPROVE, APPROVE_BOB),
        (Action.PUBLISH, PUBLISHER),
        (Action.COMPLETE, PUBLISHER),
    ):
        answer = decide(release, act(step[0]), step[1], OperatorRules(), NOW)
        assert isinstance(answer, Accepted)
        events.extend(answer.events)
        release = answer.release
        assert fold(events) == release
    assert release.state is State.PUBLISHED
    assert release.version == 1


def test_n_of_m_people_must_agree() -> None:
    release = accepted(RELEASES[State.AWAITING_APPROVAL], Action.APPROVE, APPROVE_ANN)
    assert release.state is State.AWAITING_APPROVAL
    assert accepted(release, Action.APPROVE, APPROVE_BOB).state is State.APPROVED


def test_every_reason_is_given_at_once() -> None:
    by = Actor("rita", "SHA256:unknown", ActorRole.READER)
    rules = OperatorRules(revoked=frozenset({"SHA256:unknown"}))
    late = DEADLINE + datetime.timedelta(seconds=1)
    reasons = refused(RELEASES[State.PUBLISHED], Action.APPROVE, by, late, rules, candidate="", reason=" ", statement_sha256="")
    assert reasons == {"state", "role", "bound", "signed", "reason", "sealed_key", "key_not_revoked", "not_the_runner", "within_deadline"}


def test_a_stalled_publication_is_resumed_with_a_reason_as_often_as_needed() -> None:
    release = RELEASES[State.STALLED]
    assert refused(release, Action.RESUME, OPERATOR, reason="") == {"reason"}
    for _ in range(2):
        release = accepted(accepted(release, Action.RESUME, OPERATOR), Action.STALL, PUBLISHER)
    assert accepted(accepted(release, Action.RESUME, OPERATOR), Action.COMPLETE, PUBLISHER).state is State.PUBLISHED


def test_a_moment_without_a_time_zone_is_no_moment() -> None:
    with pytest.raises(ValueError, match="time zone"):
        decide(RELEASES[State.RUNNING], act(Action.FAIL), RUN, OperatorRules(), datetime.datetime(2026, 3, 1))


class Approvals(RuleBasedStateMachine):
    """People act in any order; whatever is published was agreed to by two people who are not the runner, with good keys."""

    def __init__(self) -> None:
        super().__init__()
        self.release = accepted(fold(measured()), Action.SEAL, RUN)
        self.revoked: frozenset[str] = frozenset()
        self.agreed: set[str] = set()

    def _try(self, action: Action, by: Actor) -> bool:
        answer = decide(self.release, act(action), by, OperatorRules(revoked=self.revoked), NOW)
        if isinstance(answer, Accepted):
            self.release = answer.release
        return isinstance(answer, Accepted)

    @rule(signer=st.sampled_from([ANN, BOB, EVE, RUNNER]), role=st.sampled_from([ActorRole.APPROVER, ActorRole.RUNNER]))
    def approve(self, signer: Signer, role: ActorRole) -> None:
        if self._try(Action.APPROVE, actor(signer, role)):
            self.agreed.add(signer.principal)

    @rule(signer=st.sampled_from([ANN, BOB, EVE, RUNNER]))
    def reject(self, signer: Signer) -> None:
        if self._try(Action.REJECT, actor(signer, ActorRole.APPROVER)):
            assert self.release.state is State.REJECTED

    @rule(signer=st.sampled_from([ANN, BOB]))
    def revoke(self, signer: Signer) -> None:
        self.revoked |= {signer.fingerprint}

    @rule()
    def publish(self) -> None:
        if self._try(Action.PUBLISH, PUBLISHER):
            assert self.agreed == {"ann", "bob"}
            assert not self.revoked

    @precondition(lambda self: self.release.state is State.PUBLISHING)
    @rule()
    def complete(self) -> None:
        assert self._try(Action.COMPLETE, PUBLISHER)

    @invariant()
    def nothing_is_out_that_two_people_did_not_agree_to(self) -> None:
        if self.release.state in (State.APPROVED, State.PUBLISHING, State.PUBLISHED):
            assert self.agreed == {"ann", "bob"}


TestApprovals = Approvals.TestCase
TestApprovals.settings = settings(max_examples=40, stateful_step_count=12, deadline=None)


CYD = Signer(principal="cyd", fingerprint="SHA256:cyd")
PEOPLE = {signer.principal: signer for signer in (ANN, BOB, CYD)}
HOLDERS = st.dictionaries(st.sampled_from(["law", "methods"]), st.sets(st.sampled_from(sorted(PEOPLE))), max_size=2)


class Roles(RuleBasedStateMachine):
    """Roles change hands while people sign. Whatever is published had different people for its roles, found here by trying all pairs; and
    what had them is published, unless somebody wanted changes."""

    def __init__(self) -> None:
        super().__init__()
        self.sealed = {"law": {"ann", "bob"}, "methods": {"bob", "cyd"}}
        roles = tuple(SealedRole(role=role, number=1, people=tuple(sorted(people))) for role, people in self.sealed.items())
        event = sealing().model_copy(update={"signers": (*PEOPLE.values(), RUNNER), "roles": roles})
        self.release = accepted(fold(measured()), Action.SEAL, RUN, event=event)
        self.now = self.sealed
        self.signed: dict[str, set[str]] = {}
        self.ended = False

    def _rules(self) -> OperatorRules:
        return OperatorRules(held={person: [role for role in self.now if person in self.now[role]] for person in PEOPLE})

    def _try(self, action: Action, by: Actor) -> bool:
        answer = decide(self.release, act(action), by, self._rules(), NOW)
        if isinstance(answer, Accepted):
            self.release = answer.release
        return isinstance(answer, Accepted)

    @rule(holders=HOLDERS)
    def change_hands(self, holders: dict[str, set[str]]) -> None:
        self.now = {"law": set(), "methods": set(), **holders}

    @rule(person=st.sampled_from(sorted(PEOPLE)))
    def approve(self, person: str) -> None:
        if self._try(Action.APPROVE, actor(PEOPLE[person], ActorRole.APPROVER)):
            assert not self.ended
            self.signed[person] = {role for role in self.now if person in self.now[role]}

    @precondition(lambda self: self.signed)
    @rule(person=st.sampled_from(sorted(PEOPLE)))
    def request_changes(self, person: str) -> None:
        if self._try(Action.REQUEST_CHANGES, actor(PEOPLE[person], ActorRole.APPROVER)):
            self.ended = True

    @precondition(lambda self: self.release.state is not State.PUBLISHING)
    @rule()
    def publish(self) -> None:
        def fills(person: str, role: str) -> bool:
            return role in self.signed[person] and person in self.sealed[role] and person in self.now[role]

        pairs = [(one, other) for one in self.signed for other in self.signed if one != other]
        enough = any(fills(one, "law") and fills(other, "methods") for one, other in pairs)
        assert self._try(Action.PUBLISH, PUBLISHER) is (enough and not self.ended)


TestRoles = Roles.TestCase
TestRoles.settings = settings(max_examples=60, stateful_step_count=12, deadline=None)
