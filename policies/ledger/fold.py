"""From a release's events to its state. An order that the table of transitions does not allow was not written by headgate."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from typing import Any

from headgate.core.errors import IntegrityBroken
from policies.ledger.events import (
    CandidateApproved,
    CandidateEvent,
    CandidateRejected,
    CandidateSealed,
    ChangesRequested,
    Event,
    GatesJudged,
    PublicationSettled,
    PublicationStarted,
    ReleasePublished,
    ReleaseSuperseded,
    ReleaseWithdrawn,
    RunStarted,
    RunTracked,
    SeriesPurged,
    SeriesPurgedByRule,
    SignedEvent,
    SourceIngested,
    moment,
)
from policies.ledger.standing import Decision, Release
from policies.ledger.states import Action, ApprovalCount, State
from policies.ledger.transitions import TRANSITIONS

CURE = "Run `headgate audit verify`, and restore the ledger from a backup."
EXPIRING = frozenset(row.source for row in TRANSITIONS if row.action is Action.EXPIRE)
_MOVE = attrgetter("event", "source")
_MOVES = {move: tuple(rows) for move, rows in groupby(sorted(TRANSITIONS, key=_MOVE), _MOVE)}
_MOVING = {row.event for row in TRANSITIONS}


def fold(events: Iterable[Event]) -> Release:
    """The release after its events, in their order."""
    release: Release | None = None
    for event in events:
        release = begin(event) if release is None else apply(release, event)
    if release is None:
        raise IntegrityBroken("A release has no events.", CURE)
    return release


def overdue(release: Release, now: datetime.datetime) -> bool:
    return release.deadline is not None and now > moment(release.deadline)


def as_of(release: Release, now: datetime.datetime) -> Release:
    """The release at that moment: an overdue candidate counts as expired, whether or not an event says so yet."""
    return replace(release, state=State.EXPIRED) if release.state in EXPIRING and overdue(release, now) else release


def begin(event: Event) -> Release:
    if not isinstance(event, RunStarted):
        raise _broken(event, "comes before the run has started")
    return Release(
        event.release_id,
        event.dataset,
        event.policy_digest,
        event.runner,
        machine=event.machine,
        registered=event.registered or "",
        started=event.at,
    )


def apply(release: Release, event: Event) -> Release:
    """The release after one more event; IntegrityBroken if it cannot follow."""
    _check_order(release, event)
    added = {**_content(release, event), "seen": release.seen | {event.event}, "events": release.events + 1}
    if event.event not in _MOVING:
        if release.state is not State.RUNNING:
            raise _broken(event, f"happens in state {release.state}")
        return replace(release, **added)
    rows = _MOVES.get((event.event, release.state), ())
    if any(row.count is not ApprovalCount.ANY for row in rows):
        enough = ApprovalCount.MORE_NEEDED if replace(release, **added).missing() else ApprovalCount.ENOUGH
        rows = tuple(row for row in rows if row.count in (ApprovalCount.ANY, enough))
    if not rows:
        raise _broken(event, f"happens in state {release.state}")
    return replace(release, **added, state=rows[0].target)


def _check_order(release: Release, event: Event) -> None:
    """It is this release's, this candidate's and this policy's, comes after what must be before it, and not twice."""
    if event.release_id != release.release_id:
        raise _broken(event, "belongs to another release")
    absent = sorted(event.after - release.seen)
    if absent:
        raise _broken(event, f"comes before '{absent[0]}'")
    if event.event in release.seen and not event.repeats:
        raise _broken(event, "happens twice")
    if isinstance(event, CandidateEvent) and event.candidate != release.candidate:
        raise _broken(event, "names another candidate")
    if isinstance(event, SignedEvent) and event.policy_digest != release.policy_digest:
        raise _broken(event, "names another policy")


def _content(release: Release, event: Event) -> dict[str, Any]:
    """What an event adds besides the state."""
    match event:
        case SourceIngested():
            return {"source_hmac": event.source_hmac}
        case GatesJudged():
            return {"gates_passed": event.passed == event.verdicts and not event.failed}
        case RunTracked():
            return {"mlflow_run_id": event.mlflow_run_id}
        case CandidateSealed():
            return _sealed(release, event)
        case CandidateApproved() | ChangesRequested() | CandidateRejected():
            return _decided(release, event)
        case ReleaseWithdrawn():
            if not release.is_sealed(event.signer) and event.signer != release.runner:
                raise _broken(event, "is signed by a key that was not sealed")
            return {"settled": False}
        case PublicationSettled():
            return {"settled": True}
        case PublicationStarted():
            if release.missing():
                raise _broken(event, "comes before enough approvals")
            return {"version": event.version, "target": event.target}
        case ReleasePublished():
            if event.version != release.version:
                raise _broken(event, "names another version than was started")
            return {}
        case SeriesPurged() | SeriesPurgedByRule():
            return {"purged": event.at}
        case ReleaseSuperseded():
            return {"superseded_by": event.by}
        case _:
            return {}


def _sealed(release: Release, event: CandidateSealed) -> dict[str, Any]:
    if not release.gates_passed:
        raise _broken(event, "comes although a gate has not passed")
    if event.policy_digest != release.policy_digest or event.runner != release.runner:
        raise _broken(event, "names another policy or runner than the run")
    return {
        "candidate": event.candidate,
        "required": event.required,
        "roles": event.roles,
        "signers": event.signers,
        "signers_digest": event.signers_digest,
        "deadline": event.deadline,
        "not_before": event.not_before,
        "blind": event.blind,
        "answers": event.answers,
        "series": event.series,
    }


def _decided(release: Release, event: CandidateApproved | ChangesRequested | CandidateRejected) -> dict[str, Any]:
    approves = isinstance(event, CandidateApproved)
    if not release.is_sealed(event.signer):
        raise _broken(event, "is signed by a key that was not sealed")
    if release.is_runner(event.signer):
        raise _broken(event, "is signed by the runner")
    if repeated(release, event.signer.principal, event.signer.fingerprint, approves):
        raise _broken(event, "repeats a decision")
    roles = event.roles if isinstance(event, CandidateApproved) else ()
    return {"decisions": (*release.decisions, Decision(event.signer, approves, event.at, roles))}


def repeated(release: Release, principal: str, fingerprint: str, approves: bool) -> bool:
    """Whether the same person, or the same key, has made the same decision before."""
    return any(
        decision.approves is approves and (decision.signer.principal == principal or decision.signer.fingerprint == fingerprint)
        for decision in release.decisions
    )


def _broken(event: Event, why: str) -> IntegrityBroken:
    return IntegrityBroken(f"The ledger's order is broken: '{event.event}' {why}.", CURE)
