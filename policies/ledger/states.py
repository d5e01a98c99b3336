"""The life of a release as one table: from which state, by which action, of whom, under which guards, to which state.

Diagram, permissions, the ledger's order of events and the console's buttons all follow from TRANSITIONS; nothing else decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    RUNNING = "running"  # no candidate yet
    NOTHING_NEW = "nothing_new"  # the run ended: source and policy are those of a candidate there is
    FAILED = "failed"  # the run ended by an error
    REFUSED = "refused"
    AWAITING_APPROVAL = "awaiting_approval"
    APPROVED = "approved"
    PUBLISHING = "publishing"
    PUBLISHED = "published"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    STALLED = "stalled"


class Action(StrEnum):
    SEAL = "seal"
    REFUSE = "refuse"
    FAIL = "fail"
    SKIP = "skip"
    APPROVE = "approve"
    REJECT = "reject"
    PUBLISH = "publish"
    COMPLETE = "complete"
    STALL = "stall"
    RESUME = "resume"
    ABANDON = "abandon"
    SUPERSEDE = "supersede"
    EXPIRE = "expire"
    WITHDRAW = "withdraw"
    VIEW = "view"


class ActorRole(StrEnum):
    RUNNER = "runner"  # who started the run, and the run itself
    APPROVER = "approver"  # holds a sealed key; never the runner
    PUBLISHER = "publisher"  # the publish flow
    OPERATOR = "operator"
    CUSTODIAN = "custodian"  # holds a sealed key, or is the runner
    READER = "reader"


class Guard(StrEnum):
    """What must hold besides state and role. Each is one function of policies.approval.decide."""

    IS_THE_RUNNER = "is the runner of this release"
    REPORTED = "what the run reports fits the action"
    PASSED_AND_TRACKED = "every gate passed, and the run is tracked"
    BOUND = "names this candidate and this policy digest"
    SEALED_KEY = "the key was among the signers when the candidate was sealed"
    SEALED_OR_RUNNER_KEY = "the key was among the signers when the candidate was sealed, or is the runner's"
    KEY_NOT_REVOKED = "the key is not revoked"
    NOT_THE_RUNNER = "is not the runner, by name or by key"
    NOT_DECIDED_YET = "has not made the same decision, by name or by key"
    WITHIN_DEADLINE = "there is no deadline, or it has not passed"
    DEADLINE_PASSED = "the deadline has passed"
    ENOUGH_APPROVALS = "enough approvals stand"
    REASON = "a reason is given"
    SIGNED = "the decision is signed"
    TARGET = "a target folder and a version are named"
    ATTESTED = "the version is the one that was started, and its attestation is named"
    NEWER_RELEASE = "a newer release is named"


class Count(StrEnum):
    """Which of two targets an approval leads to."""

    ANY = ""
    MORE_NEEDED = "more needed"
    ENOUGH = "enough"


@dataclass(frozen=True)
class Transition:
    source: State
    action: Action
    target: State
    role: ActorRole
    guards: tuple[Guard, ...]
    event: str
    count: Count = Count.ANY


_RUN = (Guard.IS_THE_RUNNER, Guard.REPORTED)
_DECISION = (
    Guard.BOUND,
    Guard.SIGNED,
    Guard.REASON,
    Guard.SEALED_KEY,
    Guard.KEY_NOT_REVOKED,
    Guard.NOT_THE_RUNNER,
    Guard.NOT_DECIDED_YET,
    Guard.WITHIN_DEADLINE,
)
_PUBLICATION = (Guard.BOUND, Guard.ENOUGH_APPROVALS, Guard.WITHIN_DEADLINE, Guard.TARGET)
_WITHDRAWAL = (Guard.BOUND, Guard.SIGNED, Guard.REASON, Guard.SEALED_OR_RUNNER_KEY, Guard.KEY_NOT_REVOKED)

RUN_STATES = (State.RUNNING, State.NOTHING_NEW, State.FAILED, State.REFUSED)
CANDIDATE_STATES = tuple(state for state in State if state not in RUN_STATES)

TRANSITIONS: tuple[Transition, ...] = (
    Transition(State.RUNNING, Action.SEAL, State.AWAITING_APPROVAL, ActorRole.RUNNER, (*_RUN, Guard.PASSED_AND_TRACKED), "sealed"),
    Transition(State.RUNNING, Action.REFUSE, State.REFUSED, ActorRole.RUNNER, _RUN, "refused"),
    Transition(State.RUNNING, Action.FAIL, State.FAILED, ActorRole.RUNNER, _RUN, "failed"),
    Transition(State.RUNNING, Action.SKIP, State.NOTHING_NEW, ActorRole.RUNNER, _RUN, "nothing_new"),
    Transition(
        State.AWAITING_APPROVAL, Action.APPROVE, State.AWAITING_APPROVAL, ActorRole.APPROVER, _DECISION, "approved", Count.MORE_NEEDED
    ),
    Transition(State.AWAITING_APPROVAL, Action.APPROVE, State.APPROVED, ActorRole.APPROVER, _DECISION, "approved", Count.ENOUGH),
    # One more signature than needed stands in for a key that is revoked before the publication.
    Transition(State.APPROVED, Action.APPROVE, State.APPROVED, ActorRole.APPROVER, _DECISION, "approved"),
    Transition(State.AWAITING_APPROVAL, Action.REJECT, State.REJECTED, ActorRole.APPROVER, _DECISION, "rejected"),
    Transition(State.APPROVED, Action.REJECT, State.REJECTED, ActorRole.APPROVER, _DECISION, "rejected"),
    Transition(State.APPROVED, Action.PUBLISH, State.PUBLISHING, ActorRole.PUBLISHER, _PUBLICATION, "publishing"),
    Transition(State.PUBLISHING, Action.COMPLETE, State.PUBLISHED, ActorRole.PUBLISHER, (Guard.BOUND, Guard.ATTESTED), "published"),
    Transition(State.PUBLISHING, Action.STALL, State.STALLED, ActorRole.PUBLISHER, (Guard.BOUND,), "stalled"),
    Transition(
        State.STALLED, Action.RESUME, State.PUBLISHING, ActorRole.OPERATOR, (Guard.BOUND, Guard.REASON, Guard.ENOUGH_APPROVALS), "resumed"
    ),
    # A killed process leaves its release where it was; the operator says so, and why.
    Transition(State.RUNNING, Action.ABANDON, State.FAILED, ActorRole.OPERATOR, (Guard.REASON,), "failed"),
    Transition(State.PUBLISHING, Action.ABANDON, State.STALLED, ActorRole.OPERATOR, (Guard.BOUND, Guard.REASON), "stalled"),
    Transition(State.PUBLISHED, Action.SUPERSEDE, State.SUPERSEDED, ActorRole.PUBLISHER, (Guard.BOUND, Guard.NEWER_RELEASE), "superseded"),
    Transition(State.AWAITING_APPROVAL, Action.EXPIRE, State.EXPIRED, ActorRole.OPERATOR, (Guard.BOUND, Guard.DEADLINE_PASSED), "expired"),
    Transition(State.APPROVED, Action.EXPIRE, State.EXPIRED, ActorRole.OPERATOR, (Guard.BOUND, Guard.DEADLINE_PASSED), "expired"),
    *(
        Transition(state, Action.WITHDRAW, State.WITHDRAWN, ActorRole.CUSTODIAN, _WITHDRAWAL, "withdrawn")
        for state in (State.AWAITING_APPROVAL, State.APPROVED, State.STALLED, State.PUBLISHED, State.SUPERSEDED)
    ),
    *(Transition(state, Action.VIEW, state, ActorRole.READER, (Guard.BOUND,), "viewed") for state in CANDIDATE_STATES),
)


def transitions_from(state: State, action: Action) -> tuple[Transition, ...]:
    return tuple(row for row in TRANSITIONS if row.source is state and row.action is action)


def state_diagram() -> str:
    """The table as a Mermaid diagram. Viewing changes no state and is left out."""
    lines = ["stateDiagram-v2", f"    [*] --> {State.RUNNING}"]
    for row in TRANSITIONS:
        if row.action is not Action.VIEW:
            label = f"{row.action} ({row.count})" if row.count else str(row.action)
            lines.append(f"    {row.source} --> {row.target}: {label} by {row.role}")
    ends = [state for state in State if not any(row.source is state and row.action is not Action.VIEW for row in TRANSITIONS)]
    return "\n".join([*lines, *(f"    {state} --> [*]" for state in ends)]) + "\n"
