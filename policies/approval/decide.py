"""Whether something may be done to a release: one pure decision, all reasons at once.

The runner never approves. One person counts once. Only keys sealed with the candidate count, and none that is revoked now.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from headgate.core.errors import Refusal, TransitionRefused
from policies.ledger.events import (
    LONGEST_REASON,
    CandidateApproved,
    CandidateExpired,
    CandidateRejected,
    CandidateSealed,
    CandidateViewed,
    Event,
    NothingNew,
    PublicationResumed,
    PublicationStalled,
    PublicationStarted,
    ReleasePublished,
    ReleaseRefused,
    ReleaseSuperseded,
    ReleaseWithdrawn,
    RunFailed,
    moment,
)
from policies.ledger.fold import apply, repeated
from policies.ledger.standing import Release
from policies.ledger.states import TRANSITIONS, Action, ActorRole, Guard, State, Transition, state_diagram, transitions_from
from policies.sealed.manifest import Signer

__all__ = [
    "TRANSITIONS",
    "Accepted",
    "Act",
    "Action",
    "Actor",
    "ActorRole",
    "Refused",
    "Rules",
    "State",
    "Transition",
    "decide",
    "state_diagram",
]

SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Actor:
    """Who acts, in which role. The caller has checked the signature; `fingerprint` is the key it was made with."""

    principal: str
    fingerprint: str
    role: ActorRole

    @property
    def signer(self) -> Signer:
        return Signer(principal=self.principal, fingerprint=self.fingerprint)


@dataclass(frozen=True)
class Rules:
    """What the operator demands now, whatever the policy said: at least `floor` approvals, and none by a revoked key."""

    floor: int = 1
    revoked: frozenset[str] = frozenset()  # fingerprints, keys no longer valid among them


@dataclass(frozen=True)
class Act:
    """What is to be done. `candidate` and `policy_digest` are those that were read and signed; `event` is what a run's end reports."""

    action: Action
    candidate: str = ""
    policy_digest: str = ""
    reason: str = ""
    statement_sha256: str = ""
    target: str = ""
    version: int = 0
    attestation_sha256: str = ""
    superseded_by: str = ""
    error: str = ""
    event: CandidateSealed | ReleaseRefused | RunFailed | NothingNew | None = None


@dataclass(frozen=True)
class Accepted:
    release: Release
    events: tuple[Event, ...]


@dataclass(frozen=True)
class Refused:
    reasons: tuple[Refusal, ...]

    def error(self, cure: str = "") -> TransitionRefused:
        return TransitionRefused(self.reasons, cure)


@dataclass(frozen=True)
class Situation:
    """All that a guard may look at."""

    release: Release
    act: Act
    actor: Actor
    rules: Rules
    now: datetime.datetime

    @property
    def required(self) -> int:
        return max(1, self.release.required, self.rules.floor)

    @property
    def standing(self) -> int:
        return self.release.standing(self.rules.revoked)


def decide(release: Release, act: Act, actor: Actor, rules: Rules, now: datetime.datetime) -> Accepted | Refused:
    """`now` has a time zone. Accepted carries the events to append and the release after them; Refused carries every reason.

    An approval leads to APPROVED by the count that was sealed; whether enough approvals stand under the operator's floor and
    without revoked keys is asked when it matters, at the publication."""
    if now.tzinfo is None:
        raise ValueError("A decision needs a moment with its time zone.")
    rows = tuple(row for row in TRANSITIONS if row.action is act.action)
    here = transitions_from(release.state, act.action)
    roles = sorted({row.role for row in here or rows})
    reasons: list[Refusal] = []
    if not here:
        reasons.append(Refusal("state", f"a release that is {release.state.replace('_', ' ')} cannot be changed by '{act.action}'"))
    if actor.role not in roles:
        reasons.append(Refusal("role", f"'{act.action}' is for the {' or '.join(roles)}, not for the {actor.role}"))
    if here or release.candidate:
        situation = Situation(release, act, actor, rules, now)
        guards = dict.fromkeys(guard for row in here or rows for guard in row.guards)
        reasons += [Refusal(guard.name.lower(), reason) for guard in guards if (reason := GUARDS[guard](situation))]
    if reasons:
        return Refused(tuple(reasons))
    event = _event(Situation(release, act, actor, rules, now))
    return Accepted(apply(release, event), (event,))


def _is_the_runner(at: Situation) -> str:
    return "" if at.actor.signer == at.release.runner else "only who started the run can end it"


def _reported(at: Situation) -> str:
    expected = {Action.SEAL: "sealed", Action.REFUSE: "refused", Action.FAIL: "failed", Action.SKIP: "nothing_new"}.get(at.act.action)
    event = at.act.event
    if event is None or event.event != expected or event.release_id != at.release.release_id:
        return "the run's report is missing, or is about something else"
    if isinstance(event, CandidateSealed) and event.required < at.rules.floor:
        return f"the operator asks for at least {at.rules.floor} approvals"
    lacking = sorted(event.after - at.release.seen)
    return f"'{lacking[0]}' has not happened yet" if lacking else ""


def _passed_and_tracked(at: Situation) -> str:
    if not at.release.gates_passed:
        return "not every gate has passed"
    return "" if at.release.mlflow_run_id else "the run is not tracked"


def _bound(at: Situation) -> str:
    if at.act.candidate != at.release.candidate or not at.release.candidate:
        return "another candidate was meant"
    return "" if at.act.policy_digest == at.release.policy_digest else "another policy was meant"


def _sealed_key(at: Situation) -> str:
    return "" if at.release.is_sealed(at.actor.signer) else "the key was not among the signers when the candidate was sealed"


def _sealed_or_runner_key(at: Situation) -> str:
    return "" if at.actor.signer == at.release.runner else _sealed_key(at)


def _key_not_revoked(at: Situation) -> str:
    return "the key is revoked" if at.actor.fingerprint in at.rules.revoked else ""


def _not_the_runner(at: Situation) -> str:
    return "who ran a release cannot decide on it" if at.release.is_runner(at.actor.signer) else ""


def _not_decided_yet(at: Situation) -> str:
    approves = at.act.action is Action.APPROVE
    return "the same decision was made before" if repeated(at.release, at.actor.principal, at.actor.fingerprint, approves) else ""


def _overdue(at: Situation) -> bool:
    return at.release.deadline is not None and at.now > moment(at.release.deadline)


def _within_deadline(at: Situation) -> str:
    return "the deadline has passed" if _overdue(at) else ""


def _deadline_passed(at: Situation) -> str:
    return "" if _overdue(at) else "the deadline has not passed"


def _enough_approvals(at: Situation) -> str:
    return "" if at.standing >= at.required else f"{at.standing} of {at.required} approvals stand"


def _reason(at: Situation) -> str:
    return "" if 0 < len(at.act.reason.strip()) <= LONGEST_REASON else f"a reason of at most {LONGEST_REASON} characters is needed"


def _signed(at: Situation) -> str:
    return "" if SHA256.fullmatch(at.act.statement_sha256) else "the signature is missing"


def _target(at: Situation) -> str:
    return "" if at.act.target and at.act.version >= 1 else "the target folder or the version is missing"


def _attested(at: Situation) -> str:
    if at.act.version != at.release.version:
        return "another version was started"
    return "" if SHA256.fullmatch(at.act.attestation_sha256) else "the attestation is missing"


def _newer_release(at: Situation) -> str:
    return "" if at.act.superseded_by and at.act.superseded_by != at.release.release_id else "the newer release is not named"


GUARDS: Mapping[Guard, Callable[[Situation], str]] = {
    Guard.IS_THE_RUNNER: _is_the_runner,
    Guard.REPORTED: _reported,
    Guard.PASSED_AND_TRACKED: _passed_and_tracked,
    Guard.BOUND: _bound,
    Guard.SEALED_KEY: _sealed_key,
    Guard.SEALED_OR_RUNNER_KEY: _sealed_or_runner_key,
    Guard.KEY_NOT_REVOKED: _key_not_revoked,
    Guard.NOT_THE_RUNNER: _not_the_runner,
    Guard.NOT_DECIDED_YET: _not_decided_yet,
    Guard.WITHIN_DEADLINE: _within_deadline,
    Guard.DEADLINE_PASSED: _deadline_passed,
    Guard.ENOUGH_APPROVALS: _enough_approvals,
    Guard.REASON: _reason,
    Guard.SIGNED: _signed,
    Guard.TARGET: _target,
    Guard.ATTESTED: _attested,
    Guard.NEWER_RELEASE: _newer_release,
}


def _event(at: Situation) -> Event:
    act = at.act
    base: dict[str, Any] = {"release_id": at.release.release_id, "at": at.now.astimezone(datetime.UTC).isoformat()}
    if act.event is not None:
        return act.event
    if act.action is Action.ABANDON and at.release.state is State.RUNNING:
        return RunFailed(**base, step="abandoned", error=act.error or "Abandoned", code=6, reason=act.reason.strip())
    bound = {**base, "candidate": at.release.candidate}
    match act.action:
        case Action.APPROVE:
            return CandidateApproved(**bound, **_signature(at))
        case Action.REJECT:
            return CandidateRejected(**bound, **_signature(at))
        case Action.WITHDRAW:
            return ReleaseWithdrawn(**bound, **_signature(at))
        case Action.PUBLISH:
            return PublicationStarted(**bound, publisher=at.actor.principal, target=act.target, version=act.version)
        case Action.COMPLETE:
            return ReleasePublished(**bound, version=act.version, attestation_sha256=act.attestation_sha256)
        case Action.STALL | Action.ABANDON:
            return PublicationStalled(**bound, error=act.error or "Abandoned", reason=act.reason.strip())
        case Action.RESUME:
            return PublicationResumed(**bound, operator=at.actor.principal, reason=act.reason.strip())
        case Action.SUPERSEDE:
            return ReleaseSuperseded(**bound, by=act.superseded_by)
        case Action.EXPIRE:
            return CandidateExpired(**bound)
        case Action.VIEW:
            return CandidateViewed(**bound, viewer=at.actor.principal)
        case _:
            raise ValueError(f"'{act.action}' has no event")


def _signature(at: Situation) -> dict[str, Any]:
    return {
        "policy_digest": at.release.policy_digest,
        "signer": at.actor.signer,
        "statement_sha256": at.act.statement_sha256,
        "reason": at.act.reason.strip(),
    }
