"""Every state × action × role, each state reached through decisions, never written. What is allowed stands here once more by hand."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from policies.approval.acts import Act, Actor, Rules
from policies.approval.decide import Accepted, Refused, decide
from policies.approval.guards import GUARDS
from policies.ledger.events import (
    CandidateSealed,
    Event,
    ExpectationsChecked,
    GatesJudged,
    NothingNew,
    PlanChosen,
    ReleaseRefused,
    RunFailed,
    RunStarted,
    RunTracked,
    SourceIngested,
    TableAnonymized,
)
from policies.ledger.fold import fold
from policies.ledger.standing import Release
from policies.ledger.states import CANDIDATE_STATES, Action, ActorRole, Guard, State
from policies.ledger.transitions import TRANSITIONS, state_diagram
from policies.sealed.manifest import Signer

NOW = datetime.datetime(2026, 3, 1, 12, tzinfo=datetime.UTC)
DEADLINE = NOW + datetime.timedelta(days=30)
D = {letter: letter * 64 for letter in "abcdef"}
RUNNER = Signer(principal="rita", fingerprint="SHA256:rita")
ANN, BOB, EVE = (Signer(principal=name, fingerprint=f"SHA256:{name}") for name in ("ann", "bob", "eve"))
SIGNERS = (ANN, BOB, RUNNER)  # an operator may list the runner; that does not make an approver of them
BASE = {"release_id": "r1", "at": NOW.isoformat()}


def begun() -> list[Event]:
    return [
        RunStarted(**BASE, dataset="clinic", policy_digest=D["a"], runner=RUNNER, product="headgate 0"),
        SourceIngested(**BASE, rows=9, columns=3, source_hmac=D["b"]),
    ]


def measured(passed: bool = True) -> list[Event]:
    return [
        *begun(),
        ExpectationsChecked(**BASE, direction="inbound", expectations=4, successful=4),
        PlanChosen(**BASE, method="codip*", tables=((0,), (1,)), association_loss=0.0, information_exposure=0.0, steps=1),
        TableAnonymized(**BASE, table=1, groups=3, suppressed=0, reached=True),
        TableAnonymized(**BASE, table=2, groups=3, suppressed=0, reached=True),
        GatesJudged(**BASE, verdicts=3, passed=3 if passed else 2, failed=() if passed else ("linkability",)),
        RunTracked(**BASE, mlflow_run_id="m1"),
    ]


def sealing(required: int = 2) -> CandidateSealed:
    return CandidateSealed(
        **BASE,
        candidate=D["c"],
        policy_digest=D["a"],
        required=required,
        runner=RUNNER,
        signers=SIGNERS,
        signers_digest=D["d"],
        deadline=DEADLINE.isoformat(),
    )


def actor(signer: Signer, role: ActorRole) -> Actor:
    return Actor(signer.principal, signer.fingerprint, role)


def act(action: Action, **changed: object) -> Act:
    """An action with everything it needs."""
    ends = {
        Action.SEAL: sealing(),
        Action.REFUSE: ReleaseRefused(**BASE, failed=("k",)),
        Action.FAIL: RunFailed(**BASE, step="ingest", error="InputRejected", code=2),
        Action.SKIP: NothingNew(**BASE, candidate=D["f"]),
    }
    whole = {
        "candidate": D["c"],
        "policy_digest": D["a"],
        "reason": "read it all",
        "statement_sha256": D["e"],
        "target": "clinic",
        "version": 1,
        "attestation_sha256": D["f"],
        "superseded_by": "r2",
        "error": "OSError",
        "event": ends.get(action),
    }
    return Act(action, **{**whole, **changed})  # type: ignore[arg-type]


def accepted(
    release: Release, action: Action, by: Actor, now: datetime.datetime = NOW, rules: Rules | None = None, **changed: object
) -> Release:
    answer = decide(release, act(action, **changed), by, rules or Rules(), now)
    assert isinstance(answer, Accepted), answer
    return answer.release


def refused(
    release: Release, action: Action, by: Actor, now: datetime.datetime = NOW, rules: Rules | None = None, **changed: object
) -> set[str]:
    answer = decide(release, act(action, **changed), by, rules or Rules(), now)
    assert isinstance(answer, Refused), answer
    assert all(reason.reason for reason in answer.reasons)
    return {reason.rule for reason in answer.reasons}


RUN = actor(RUNNER, ActorRole.RUNNER)
APPROVE_ANN, APPROVE_BOB = actor(ANN, ActorRole.APPROVER), actor(BOB, ActorRole.APPROVER)
PUBLISHER = Actor("publish", "", ActorRole.PUBLISHER)
OPERATOR = Actor("olga", "", ActorRole.OPERATOR)
CUSTODIAN = actor(ANN, ActorRole.CUSTODIAN)


def reached(state: State) -> Release:
    """A release in that state, by the shortest way through the workflow."""
    running = fold(measured())
    ways: dict[State, Callable[[], Release]] = {
        State.RUNNING: lambda: running,
        State.NOTHING_NEW: lambda: accepted(running, Action.SKIP, RUN),
        State.FAILED: lambda: accepted(running, Action.FAIL, RUN),
        State.REFUSED: lambda: accepted(running, Action.REFUSE, RUN),
        State.AWAITING_APPROVAL: lambda: accepted(running, Action.SEAL, RUN),
        State.APPROVED: lambda: accepted(
            accepted(reached(State.AWAITING_APPROVAL), Action.APPROVE, APPROVE_ANN), Action.APPROVE, APPROVE_BOB
        ),
        State.REJECTED: lambda: accepted(reached(State.AWAITING_APPROVAL), Action.REJECT, APPROVE_ANN),
        State.EXPIRED: lambda: accepted(reached(State.AWAITING_APPROVAL), Action.EXPIRE, OPERATOR, DEADLINE + datetime.timedelta(1)),
        State.PUBLISHING: lambda: accepted(reached(State.APPROVED), Action.PUBLISH, PUBLISHER),
        State.STALLED: lambda: accepted(reached(State.PUBLISHING), Action.STALL, PUBLISHER),
        State.PUBLISHED: lambda: accepted(reached(State.PUBLISHING), Action.COMPLETE, PUBLISHER),
        State.SUPERSEDED: lambda: accepted(reached(State.PUBLISHED), Action.SUPERSEDE, PUBLISHER),
        State.WITHDRAWN: lambda: accepted(reached(State.PUBLISHED), Action.WITHDRAW, CUSTODIAN),
    }
    release = ways[state]()
    assert release.state is state
    return release


RELEASES = {state: reached(state) for state in State}

ALLOWED: dict[tuple[State, Action], tuple[ActorRole, State]] = {
    (State.RUNNING, Action.SEAL): (ActorRole.RUNNER, State.AWAITING_APPROVAL),
    (State.RUNNING, Action.REFUSE): (ActorRole.RUNNER, State.REFUSED),
    (State.RUNNING, Action.FAIL): (ActorRole.RUNNER, State.FAILED),
    (State.RUNNING, Action.SKIP): (ActorRole.RUNNER, State.NOTHING_NEW),
    (State.RUNNING, Action.ABANDON): (ActorRole.OPERATOR, State.FAILED),
    (State.AWAITING_APPROVAL, Action.APPROVE): (ActorRole.APPROVER, State.AWAITING_APPROVAL),
    (State.AWAITING_APPROVAL, Action.REJECT): (ActorRole.APPROVER, State.REJECTED),
    (State.AWAITING_APPROVAL, Action.WITHDRAW): (ActorRole.CUSTODIAN, State.WITHDRAWN),
    (State.APPROVED, Action.REJECT): (ActorRole.APPROVER, State.REJECTED),
    (State.APPROVED, Action.PUBLISH): (ActorRole.PUBLISHER, State.PUBLISHING),
    (State.APPROVED, Action.WITHDRAW): (ActorRole.CUSTODIAN, State.WITHDRAWN),
    (State.PUBLISHING, Action.COMPLETE): (ActorRole.PUBLISHER, State.PUBLISHED),
    (State.PUBLISHING, Action.STALL): (ActorRole.PUBLISHER, State.STALLED),
    (State.PUBLISHING, Action.ABANDON): (ActorRole.OPERATOR, State.STALLED),
    (State.STALLED, Action.RESUME): (ActorRole.OPERATOR, State.PUBLISHING),
    (State.STALLED, Action.WITHDRAW): (ActorRole.CUSTODIAN, State.WITHDRAWN),
    (State.PUBLISHED, Action.SUPERSEDE): (ActorRole.PUBLISHER, State.SUPERSEDED),
    (State.PUBLISHED, Action.WITHDRAW): (ActorRole.CUSTODIAN, State.WITHDRAWN),
    (State.SUPERSEDED, Action.WITHDRAW): (ActorRole.CUSTODIAN, State.WITHDRAWN),
    **{(state, Action.VIEW): (ActorRole.READER, state) for state in CANDIDATE_STATES},
}


@pytest.mark.parametrize(("state", "action"), list(product(State, Action)))
def test_each_role_may_do_in_each_state_exactly_what_is_listed(state: State, action: Action) -> None:
    for role in ActorRole:
        by = actor(RUNNER if role is ActorRole.RUNNER else ANN, role)
        answer = decide(RELEASES[state], act(action), by, Rules(), NOW)
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
        answer = decide(release, act(step[0]), step[1], Rules(), NOW)
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


def test_the_runner_never_approves_by_name_or_by_key() -> None:
    release = RELEASES[State.AWAITING_APPROVAL]
    for signer in (RUNNER, Signer(principal="rita", fingerprint="SHA256:new"), Signer(principal="mallory", fingerprint="SHA256:rita")):
        assert "not_the_runner" in refused(release, Action.APPROVE, actor(signer, ActorRole.APPROVER))


def test_one_person_counts_once_under_two_keys_and_one_key_once_under_two_names() -> None:
    twins = (ANN, Signer(principal="ann", fingerprint="SHA256:ann2"), Signer(principal="anna", fingerprint="SHA256:ann"))
    sealed = sealing().model_copy(update={"signers": twins})
    release = accepted(fold(measured()), Action.SEAL, RUN, event=sealed)
    release = accepted(release, Action.APPROVE, APPROVE_ANN)
    for twin in twins:
        assert refused(release, Action.APPROVE, actor(twin, ActorRole.APPROVER)) == {"not_decided_yet"}


def test_the_same_decision_twice_is_refused_and_a_change_of_mind_is_not() -> None:
    release = accepted(RELEASES[State.AWAITING_APPROVAL], Action.APPROVE, APPROVE_ANN)
    assert refused(release, Action.APPROVE, APPROVE_ANN) == {"not_decided_yet"}
    assert accepted(release, Action.REJECT, APPROVE_ANN).state is State.REJECTED


def test_a_key_that_was_not_sealed_or_is_revoked_does_not_count() -> None:
    release = RELEASES[State.AWAITING_APPROVAL]
    assert refused(release, Action.APPROVE, actor(EVE, ActorRole.APPROVER)) == {"sealed_key"}
    other_key = Actor("ann", "SHA256:other", ActorRole.APPROVER)
    assert refused(release, Action.APPROVE, other_key) == {"sealed_key"}
    assert refused(release, Action.APPROVE, APPROVE_ANN, rules=Rules(revoked=frozenset({ANN.fingerprint}))) == {"key_not_revoked"}


def test_an_approval_whose_key_is_revoked_later_is_void_until_another_stands_in() -> None:
    carl = Signer(principal="carl", fingerprint="SHA256:carl")
    release = accepted(fold(measured()), Action.SEAL, RUN, event=sealing().model_copy(update={"signers": (*SIGNERS, carl)}))
    release = accepted(accepted(release, Action.APPROVE, APPROVE_ANN), Action.APPROVE, APPROVE_BOB)
    rules = Rules(revoked=frozenset({BOB.fingerprint}))
    assert refused(release, Action.PUBLISH, PUBLISHER, rules=rules) == {"enough_approvals"}
    release = accepted(release, Action.APPROVE, actor(carl, ActorRole.APPROVER), rules=rules)
    assert accepted(release, Action.PUBLISH, PUBLISHER, rules=rules).state is State.PUBLISHING


def test_the_operators_floor_holds_back_what_the_policy_would_let_through() -> None:
    release = accepted(fold(measured()), Action.SEAL, RUN, event=sealing(required=1))
    release = accepted(release, Action.APPROVE, APPROVE_ANN)
    assert release.state is State.APPROVED
    assert refused(release, Action.PUBLISH, PUBLISHER, rules=Rules(floor=2)) == {"enough_approvals"}
    release = accepted(release, Action.APPROVE, APPROVE_BOB)
    assert accepted(release, Action.PUBLISH, PUBLISHER, rules=Rules(floor=2)).state is State.PUBLISHING
    assert "reported" in refused(fold(measured()), Action.SEAL, RUN, rules=Rules(floor=2), event=sealing(required=1))


@pytest.mark.parametrize("action", [Action.APPROVE, Action.REJECT, Action.WITHDRAW, Action.PUBLISH, Action.VIEW])
def test_a_decision_is_bound_to_the_candidate_and_the_policy_that_were_read(action: Action) -> None:
    state = State.APPROVED if action is Action.PUBLISH else State.AWAITING_APPROVAL
    role = next(row.role for row in TRANSITIONS if row.action is action)
    for changed in ({"candidate": D["f"]}, {"policy_digest": D["f"]}, {"candidate": ""}, {"policy_digest": ""}):
        assert refused(RELEASES[state], action, actor(ANN, role), **changed) == {"bound"}


def test_every_reason_is_given_at_once() -> None:
    by = Actor("rita", "SHA256:unknown", ActorRole.READER)
    rules = Rules(revoked=frozenset({"SHA256:unknown"}))
    late = DEADLINE + datetime.timedelta(seconds=1)
    reasons = refused(RELEASES[State.PUBLISHED], Action.APPROVE, by, late, rules, candidate="", reason=" ", statement_sha256="")
    assert reasons == {"state", "role", "bound", "signed", "reason", "sealed_key", "key_not_revoked", "not_the_runner", "within_deadline"}


@pytest.mark.parametrize("action", [Action.APPROVE, Action.REJECT, Action.WITHDRAW])
def test_people_give_a_reason_of_a_readable_length_and_a_signature(action: Action) -> None:
    role = next(row.role for row in TRANSITIONS if row.action is action)
    release = RELEASES[State.AWAITING_APPROVAL]
    assert refused(release, action, actor(ANN, role), reason="") == {"reason"}
    assert refused(release, action, actor(ANN, role), reason="x" * 2001) == {"reason"}
    assert refused(release, action, actor(ANN, role), statement_sha256="yes") == {"signed"}


def test_after_the_deadline_nothing_is_decided_and_only_then_it_expires() -> None:
    late = DEADLINE + datetime.timedelta(seconds=1)
    release = RELEASES[State.AWAITING_APPROVAL]
    assert refused(release, Action.APPROVE, APPROVE_ANN, late) == {"within_deadline"}
    assert refused(RELEASES[State.APPROVED], Action.PUBLISH, PUBLISHER, late) == {"within_deadline"}
    assert refused(release, Action.EXPIRE, OPERATOR, DEADLINE) == {"deadline_passed"}
    assert accepted(RELEASES[State.APPROVED], Action.EXPIRE, OPERATOR, late).state is State.EXPIRED


def test_the_runner_may_take_back_and_a_stranger_may_not() -> None:
    for state in (State.AWAITING_APPROVAL, State.PUBLISHED):
        assert accepted(RELEASES[state], Action.WITHDRAW, actor(RUNNER, ActorRole.CUSTODIAN)).state is State.WITHDRAWN
        assert refused(RELEASES[state], Action.WITHDRAW, actor(EVE, ActorRole.CUSTODIAN)) == {"sealed_or_runner_key"}


def test_a_run_is_ended_by_its_own_runner_with_its_own_report() -> None:
    running = RELEASES[State.RUNNING]
    assert refused(running, Action.SEAL, actor(ANN, ActorRole.RUNNER)) == {"is_the_runner"}
    assert refused(running, Action.SEAL, RUN, event=None) == {"reported"}
    assert refused(running, Action.SEAL, RUN, event=RunFailed(**BASE, step="gate", error="E", code=1)) == {"reported"}
    other = sealing().model_copy(update={"release_id": "r9"})
    assert refused(running, Action.SEAL, RUN, event=other) == {"reported"}


def test_nothing_is_sealed_that_failed_a_gate_or_was_not_tracked() -> None:
    assert refused(fold(measured(passed=False)), Action.SEAL, RUN) == {"passed_and_tracked"}
    assert refused(fold(measured()[:-1]), Action.SEAL, RUN) == {"reported", "passed_and_tracked"}


def test_what_is_published_is_the_version_that_was_started() -> None:
    assert refused(RELEASES[State.PUBLISHING], Action.COMPLETE, PUBLISHER, version=2) == {"attested"}
    assert refused(RELEASES[State.PUBLISHING], Action.COMPLETE, PUBLISHER, attestation_sha256="") == {"attested"}
    assert refused(RELEASES[State.APPROVED], Action.PUBLISH, PUBLISHER, target="") == {"target"}
    assert refused(RELEASES[State.PUBLISHED], Action.SUPERSEDE, PUBLISHER, superseded_by="r1") == {"newer_release"}


def test_a_stalled_publication_is_resumed_with_a_reason_as_often_as_needed() -> None:
    release = RELEASES[State.STALLED]
    assert refused(release, Action.RESUME, OPERATOR, reason="") == {"reason"}
    for _ in range(2):
        release = accepted(accepted(release, Action.RESUME, OPERATOR), Action.STALL, PUBLISHER)
    assert accepted(accepted(release, Action.RESUME, OPERATOR), Action.COMPLETE, PUBLISHER).state is State.PUBLISHED


def test_a_moment_without_a_time_zone_is_no_moment() -> None:
    with pytest.raises(ValueError, match="time zone"):
        decide(RELEASES[State.RUNNING], act(Action.FAIL), RUN, Rules(), datetime.datetime(2026, 3, 1))


def test_every_guard_is_a_function_and_the_diagram_shows_every_transition() -> None:
    assert set(GUARDS) == set(Guard)
    diagram = state_diagram()
    assert diagram.startswith("stateDiagram-v2\n    [*] --> running\n")
    for (state, action), (role, target) in ALLOWED.items():
        assert action is Action.VIEW or f"    {state} --> {target}: {action}" in diagram, (state, action, role)
    assert "awaiting_approval --> approved: approve (enough) by approver" in diagram
    assert "view" not in diagram


class Approvals(RuleBasedStateMachine):
    """People act in any order; whatever is published was agreed to by two people who are not the runner, with good keys."""

    def __init__(self) -> None:
        super().__init__()
        self.release = accepted(fold(measured()), Action.SEAL, RUN)
        self.revoked: frozenset[str] = frozenset()
        self.agreed: set[str] = set()

    def _try(self, action: Action, by: Actor) -> bool:
        answer = decide(self.release, act(action), by, Rules(revoked=self.revoked), NOW)
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
