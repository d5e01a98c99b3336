"""From a decision to the ledger: what the table of transitions accepts is recorded, and what it refuses says every reason."""

from __future__ import annotations

from datetime import datetime

from policies.approval.acts import Act, Actor, OperatorRules
from policies.approval.decide import Accepted, Refused, decide
from policies.ledger.standing import Release
from tasks.ledger.event_log import Ledger


def accepted(release: Release, act: Act, actor: Actor, cure: str, now: datetime, rules: OperatorRules | None = None) -> Accepted:
    """What would be recorded; TransitionRefused with every reason where it must not be."""
    answer = decide(release, act, actor, rules or OperatorRules(), now)
    if isinstance(answer, Refused):
        raise answer.error(cure)
    return answer


def record_transition(ledger: Ledger, release: Release, act: Act, actor: Actor, cure: str, rules: OperatorRules | None = None) -> Release:
    """The release after it. `release` is as the ledger had it: TransitionRefused if somebody else was faster."""
    answer = accepted(release, act, actor, cure, ledger.now(), rules)
    ledger.append(release.release_id, answer.events, release.events, actor.principal)
    return answer.release
