"""People, acts with everything they need, and a release in every state, reached through decisions."""

from __future__ import annotations

import datetime
from collections.abc import Callable

from policies.approval.acts import Act, Actor, OperatorRules
from policies.approval.decide import Accepted, Refused, decide
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
from policies.ledger.states import CANDIDATE_STATES, Action, ActorRole, State
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
        "reason_sha256": D["e"],
        "target": "clinic",
        "version": 1,
        "attestation_sha256": D["f"],
        "superseded_by": "r2",
        "kept": True,
        "rule": "24 months",
        "error": "OSError",
        "comment": "why so few rows?",
        "comment_sha256": D["e"],
        "file_sha256": D["f"],
        "event": ends.get(action),
    }
    return Act(action, **{**whole, **changed})  # type: ignore[arg-type]


def accepted(
    release: Release, action: Action, by: Actor, now: datetime.datetime = NOW, rules: OperatorRules | None = None, **changed: object
) -> Release:
    answer = decide(release, act(action, **changed), by, rules or OperatorRules(), now)
    assert isinstance(answer, Accepted), answer
    return answer.release


def refused(
    release: Release, action: Action, by: Actor, now: datetime.datetime = NOW, rules: OperatorRules | None = None, **changed: object
) -> set[str]:
    answer = decide(release, act(action, **changed), by, rules or OperatorRules(), now)
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
        State.CHANGES_REQUESTED: lambda: accepted(reached(State.AWAITING_APPROVAL), Action.REQUEST_CHANGES, APPROVE_ANN),
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
    (State.RUNNING, Action.TAKE_OVER): (ActorRole.OPERATOR, State.FAILED),
    (State.AWAITING_APPROVAL, Action.APPROVE): (ActorRole.APPROVER, State.AWAITING_APPROVAL),
    (State.AWAITING_APPROVAL, Action.REJECT): (ActorRole.APPROVER, State.REJECTED),
    (State.AWAITING_APPROVAL, Action.WITHDRAW): (ActorRole.CUSTODIAN, State.WITHDRAWN),
    (State.AWAITING_APPROVAL, Action.REQUEST_CHANGES): (ActorRole.APPROVER, State.CHANGES_REQUESTED),
    (State.APPROVED, Action.REQUEST_CHANGES): (ActorRole.APPROVER, State.CHANGES_REQUESTED),
    (State.APPROVED, Action.REJECT): (ActorRole.APPROVER, State.REJECTED),
    (State.APPROVED, Action.PUBLISH): (ActorRole.PUBLISHER, State.PUBLISHING),
    (State.APPROVED, Action.WITHDRAW): (ActorRole.CUSTODIAN, State.WITHDRAWN),
    (State.PUBLISHING, Action.COMPLETE): (ActorRole.PUBLISHER, State.PUBLISHED),
    (State.PUBLISHING, Action.WITHDRAW): (ActorRole.CUSTODIAN, State.WITHDRAWN),
    (State.PUBLISHED, Action.SETTLE): (ActorRole.PUBLISHER, State.PUBLISHED),
    (State.WITHDRAWN, Action.SETTLE): (ActorRole.PUBLISHER, State.WITHDRAWN),
    (State.PUBLISHING, Action.STALL): (ActorRole.PUBLISHER, State.STALLED),
    (State.PUBLISHING, Action.ABANDON): (ActorRole.OPERATOR, State.STALLED),
    (State.STALLED, Action.RESUME): (ActorRole.OPERATOR, State.PUBLISHING),
    (State.STALLED, Action.WITHDRAW): (ActorRole.CUSTODIAN, State.WITHDRAWN),
    (State.PUBLISHED, Action.SUPERSEDE): (ActorRole.PUBLISHER, State.SUPERSEDED),
    (State.PUBLISHED, Action.WITHDRAW): (ActorRole.CUSTODIAN, State.WITHDRAWN),
    (State.SUPERSEDED, Action.WITHDRAW): (ActorRole.CUSTODIAN, State.WITHDRAWN),
    **{(state, Action.PURGE): (ActorRole.OPERATOR, state) for state in (State.PUBLISHED, State.SUPERSEDED, State.WITHDRAWN)},
    **{(state, Action.PURGE_BY_RULE): (ActorRole.OPERATOR, state) for state in (State.PUBLISHED, State.SUPERSEDED, State.WITHDRAWN)},
    **{(state, Action.VIEW): (ActorRole.READER, state) for state in CANDIDATE_STATES},
    **{(state, Action.DOWNLOAD): (ActorRole.READER, state) for state in CANDIDATE_STATES},
    **{(state, Action.COMMENT): (ActorRole.CUSTODIAN, state) for state in CANDIDATE_STATES},
}
