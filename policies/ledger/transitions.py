"""The life of a release as one table: from which state, by which action, of whom, under which guards, to which state.

Diagram, permissions, the ledger's order of events and the console's buttons all follow from TRANSITIONS; nothing else decides.
"""

from __future__ import annotations

from dataclasses import dataclass

from policies.ledger.states import CANDIDATE_STATES, Action, ActorRole, ApprovalCount, Guard, State


@dataclass(frozen=True)
class Transition:
    source: State
    action: Action
    target: State
    role: ActorRole
    guards: tuple[Guard, ...]
    event: str
    count: ApprovalCount = ApprovalCount.ANY


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
_OPERATION = (Guard.BOUND, Guard.SIGNED, Guard.REASON)
_PUBLICATION = (Guard.BOUND, Guard.ENOUGH_APPROVALS, Guard.MOMENT, Guard.WITHIN_DEADLINE, Guard.SERIES, Guard.TARGET)
_WITHDRAWAL = (Guard.BOUND, Guard.SIGNED, Guard.REASON, Guard.SEALED_OR_RUNNER_KEY, Guard.KEY_NOT_REVOKED)

TRANSITIONS: tuple[Transition, ...] = (
    Transition(State.RUNNING, Action.SEAL, State.AWAITING_APPROVAL, ActorRole.RUNNER, (*_RUN, Guard.PASSED_AND_TRACKED), "sealed"),
    Transition(State.RUNNING, Action.REFUSE, State.REFUSED, ActorRole.RUNNER, _RUN, "refused"),
    Transition(State.RUNNING, Action.FAIL, State.FAILED, ActorRole.RUNNER, _RUN, "failed"),
    Transition(State.RUNNING, Action.SKIP, State.NOTHING_NEW, ActorRole.RUNNER, _RUN, "nothing_new"),
    Transition(
        State.AWAITING_APPROVAL,
        Action.APPROVE,
        State.AWAITING_APPROVAL,
        ActorRole.APPROVER,
        _DECISION,
        "approved",
        ApprovalCount.MORE_NEEDED,
    ),
    Transition(State.AWAITING_APPROVAL, Action.APPROVE, State.APPROVED, ActorRole.APPROVER, _DECISION, "approved", ApprovalCount.ENOUGH),
    # One more signature than needed stands in for a key that is revoked before the publication.
    Transition(State.APPROVED, Action.APPROVE, State.APPROVED, ActorRole.APPROVER, _DECISION, "approved"),
    *(
        Transition(state, Action.REQUEST_CHANGES, State.CHANGES_REQUESTED, ActorRole.APPROVER, _DECISION, "changes_requested")
        for state in (State.AWAITING_APPROVAL, State.APPROVED)
    ),
    Transition(State.AWAITING_APPROVAL, Action.REJECT, State.REJECTED, ActorRole.APPROVER, _DECISION, "rejected"),
    Transition(State.APPROVED, Action.REJECT, State.REJECTED, ActorRole.APPROVER, _DECISION, "rejected"),
    Transition(State.APPROVED, Action.PUBLISH, State.PUBLISHING, ActorRole.PUBLISHER, _PUBLICATION, "publishing"),
    Transition(State.PUBLISHING, Action.COMPLETE, State.PUBLISHED, ActorRole.PUBLISHER, (Guard.BOUND, Guard.ATTESTED), "published"),
    *(
        Transition(state, Action.SETTLE, state, ActorRole.PUBLISHER, (Guard.BOUND,), "settled")
        for state in (State.PUBLISHED, State.WITHDRAWN)
    ),
    Transition(State.PUBLISHING, Action.STALL, State.STALLED, ActorRole.PUBLISHER, (Guard.BOUND,), "stalled"),
    Transition(State.STALLED, Action.RESUME, State.PUBLISHING, ActorRole.OPERATOR, (*_OPERATION, Guard.ENOUGH_APPROVALS), "resumed"),
    # A killed process leaves its release where it was, until the next run takes its lock or the operator says so.
    Transition(State.RUNNING, Action.TAKE_OVER, State.FAILED, ActorRole.OPERATOR, (Guard.REASON,), "failed"),
    Transition(State.RUNNING, Action.ABANDON, State.FAILED, ActorRole.OPERATOR, (Guard.SIGNED, Guard.REASON), "abandoned"),
    Transition(State.PUBLISHING, Action.ABANDON, State.STALLED, ActorRole.OPERATOR, _OPERATION, "abandoned"),
    Transition(State.PUBLISHED, Action.SUPERSEDE, State.SUPERSEDED, ActorRole.PUBLISHER, (Guard.BOUND, Guard.NEWER_RELEASE), "superseded"),
    Transition(State.AWAITING_APPROVAL, Action.EXPIRE, State.EXPIRED, ActorRole.OPERATOR, (Guard.BOUND, Guard.DEADLINE_PASSED), "expired"),
    Transition(State.APPROVED, Action.EXPIRE, State.EXPIRED, ActorRole.OPERATOR, (Guard.BOUND, Guard.DEADLINE_PASSED), "expired"),
    *(
        Transition(state, Action.WITHDRAW, State.WITHDRAWN, ActorRole.CUSTODIAN, _WITHDRAWAL, "withdrawn")
        for state in (State.AWAITING_APPROVAL, State.APPROVED, State.PUBLISHING, State.STALLED, State.PUBLISHED, State.SUPERSEDED)
    ),
    *(
        Transition(state, Action.PURGE, state, ActorRole.OPERATOR, (*_OPERATION, Guard.CAME_OUT, Guard.KEPT), "purged")
        for state in (State.PUBLISHED, State.SUPERSEDED, State.WITHDRAWN)
    ),
    *(
        Transition(
            state,
            Action.PURGE_BY_RULE,
            state,
            ActorRole.OPERATOR,
            (Guard.BOUND, Guard.CAME_OUT, Guard.KEPT, Guard.BY_RULE),
            "purged_by_rule",
        )
        for state in (State.PUBLISHED, State.SUPERSEDED, State.WITHDRAWN)
    ),
    *(Transition(state, Action.VIEW, state, ActorRole.READER, (Guard.BOUND,), "viewed") for state in CANDIDATE_STATES),
    *(
        Transition(state, Action.DOWNLOAD, state, ActorRole.READER, (Guard.BOUND, Guard.DOWNLOADED), "downloaded")
        for state in CANDIDATE_STATES
    ),
    *(
        Transition(state, Action.COMMENT, state, ActorRole.CUSTODIAN, (Guard.BOUND, Guard.TAKES_PART, Guard.COMMENTED), "commented")
        for state in CANDIDATE_STATES
    ),
)
# Of whoever reads and writes to others: no decision waits for it, and none is overtaken by it.
READING = frozenset({Action.VIEW, Action.DOWNLOAD, Action.COMMENT})
READING_EVENTS = frozenset(row.event for row in TRANSITIONS if row.action in READING)


def transitions_from(state: State, action: Action) -> tuple[Transition, ...]:
    return tuple(row for row in TRANSITIONS if row.source is state and row.action is action)


def state_diagram() -> str:
    """The table as a Mermaid diagram. Reading changes no state and is left out."""
    lines = ["stateDiagram-v2", f"    [*] --> {State.RUNNING}"]
    for row in TRANSITIONS:
        if row.action not in READING:
            label = f"{row.action} ({row.count})" if row.count else str(row.action)
            lines.append(f"    {row.source} --> {row.target}: {label} by {row.role}")
    ends = [state for state in State if all(row.target is state for row in TRANSITIONS if row.source is state)]
    return "\n".join([*lines, *(f"    {state} --> [*]" for state in ends)]) + "\n"
