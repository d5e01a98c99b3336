"""Whether something may be done to a release: one pure decision, all reasons at once."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from headgate.core.errors import Refusal, TransitionRefused
from policies.approval.acts import Act, Actor, OperatorRules
from policies.approval.guards import GUARDS, Situation
from policies.ledger.events import (
    CandidateApproved,
    CandidateCommented,
    CandidateDownloaded,
    CandidateExpired,
    CandidateRejected,
    CandidateViewed,
    ChangesRequested,
    Event,
    PublicationResumed,
    PublicationSettled,
    PublicationStalled,
    PublicationStarted,
    ReleaseAbandoned,
    ReleasePublished,
    ReleaseSuperseded,
    ReleaseWithdrawn,
    RunFailed,
    SeriesPurged,
    SeriesPurgedByRule,
)
from policies.ledger.fold import apply
from policies.ledger.standing import Release
from policies.ledger.states import Action
from policies.ledger.transitions import TRANSITIONS, transitions_from


@dataclass(frozen=True)
class Accepted:
    release: Release
    events: tuple[Event, ...]


@dataclass(frozen=True)
class Refused:
    reasons: tuple[Refusal, ...]

    def error(self, cure: str = "") -> TransitionRefused:
        return TransitionRefused(self.reasons, cure)


def decide(release: Release, act: Act, actor: Actor, rules: OperatorRules, now: datetime.datetime) -> Accepted | Refused:
    """Decides whether an act is allowed. `now` has a time zone. Accepted carries the events to append and the release after them; Refused
    carries every reason.

    An approval leads to APPROVED by the quorum that was sealed. Whether it is met under the operator's floor and roles as they are now,
    and without revoked keys, is decided when it matters, at the publication."""
    if now.tzinfo is None:
        raise ValueError("A decision needs a moment with its time zone.")
    situation = Situation(release, act, actor, rules, now)
    reasons = _reasons_against(situation)
    if reasons:
        return Refused(reasons)
    event = _event(situation)
    return Accepted(apply(release, event), (event,))


def _reasons_against(at: Situation) -> tuple[Refusal, ...]:
    """State, role and every guard of the rows that could be meant."""
    action, role, state = at.act.action, at.actor.role, at.release.state
    here = transitions_from(state, action)
    rows = here or tuple(row for row in TRANSITIONS if row.action is action)
    roles = sorted({row.role for row in rows})
    reasons: list[Refusal] = []
    if not here:
        reasons.append(Refusal("state", f"'{action}' is not possible in the state '{state.replace('_', ' ')}'"))
    if role not in roles:
        reasons.append(Refusal("role", f"'{action}' is for the {' or '.join(roles)}, not for the {role}"))
    if here or at.release.candidate:
        guards = dict.fromkeys(guard for row in rows for guard in row.guards)
        reasons += [Refusal(guard.name.lower(), reason) for guard in guards if (reason := GUARDS[guard](at))]
    return tuple(reasons)


def _event(at: Situation) -> Event:
    """A run's end is reported whole; everything else is written here."""
    act = at.act
    if act.event is not None:
        return act.event
    base: dict[str, Any] = {"release_id": at.release.release_id, "at": at.now.astimezone(datetime.UTC).isoformat()}
    if act.action is Action.TAKE_OVER:
        return RunFailed(**base, step="abandoned", error=act.error, code=6, reason=act.reason.strip())
    return EVENTS[act.action](at, {**base, "candidate": at.release.candidate})


def _signed(at: Situation) -> dict[str, Any]:
    return {
        "policy_digest": at.release.policy_digest,
        "signer": at.actor.signer,
        "statement_sha256": at.act.statement_sha256,
        "reason_sha256": at.act.reason_sha256,
    }


def _roles_held(at: Situation) -> tuple[str, ...]:
    """Those of the roles that must be filled which the signer holds now."""
    held = at.rules.held.get(at.actor.principal, ())
    return tuple(sealed.role for sealed in at.release.roles if sealed.role in held)


EVENTS: Mapping[Action, Callable[[Situation, dict[str, Any]], Event]] = {
    Action.APPROVE: lambda at, base: CandidateApproved(**base, **_signed(at), roles=_roles_held(at)),
    Action.REQUEST_CHANGES: lambda at, base: ChangesRequested(**base, **_signed(at)),
    Action.REJECT: lambda at, base: CandidateRejected(**base, **_signed(at)),
    Action.WITHDRAW: lambda at, base: ReleaseWithdrawn(**base, **_signed(at)),
    Action.PUBLISH: lambda at, base: PublicationStarted(**base, publisher=at.actor.principal, target=at.act.target, version=at.act.version),
    Action.COMPLETE: lambda at, base: ReleasePublished(**base, version=at.act.version, attestation_sha256=at.act.attestation_sha256),
    Action.SETTLE: lambda at, base: PublicationSettled(**base),
    Action.STALL: lambda at, base: PublicationStalled(**base, error=at.act.error),
    Action.ABANDON: lambda at, base: ReleaseAbandoned(**base, **_signed(at)),
    Action.RESUME: lambda at, base: PublicationResumed(**base, **_signed(at)),
    Action.PURGE: lambda at, base: SeriesPurged(**base, **_signed(at)),
    Action.PURGE_BY_RULE: lambda at, base: SeriesPurgedByRule(**base, rule=at.act.rule),
    Action.SUPERSEDE: lambda at, base: ReleaseSuperseded(**base, by=at.act.superseded_by),
    Action.EXPIRE: lambda at, base: CandidateExpired(**base),
    Action.VIEW: lambda at, base: CandidateViewed(**base, viewer=at.actor.principal),
    Action.DOWNLOAD: lambda at, base: CandidateDownloaded(**base, reader=at.actor.principal, file_sha256=at.act.file_sha256),
    Action.COMMENT: lambda at, base: CandidateCommented(
        **base, dataset=at.release.dataset, author=at.actor.principal, comment_sha256=at.act.comment_sha256
    ),
}
