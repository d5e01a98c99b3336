"""What a person may do to a candidate now, and every reason why not: the table of transitions is asked, nothing else decides."""

from __future__ import annotations

from dataclasses import dataclass

from headgate.core.errors import Refusal
from policies.approval.acts import Act, Actor, OperatorRules
from policies.approval.decide import Refused, decide
from policies.ledger.standing import Release
from policies.ledger.states import Action, ActorRole
from tasks.approval.approvals import RUN_AGAIN, roots_of, runner_refusals
from tasks.approval.operator_demands import Demands, operator_demands
from tasks.ledger.event_log import Ledger
from tasks.runtime.home import Home
from tasks.signing.public_keys import SK_ECDSA, PublicKey
from tasks.signing.trust_roots import TrustRoots
from tasks.stores.seal import Candidate

DECISIONS = (Action.APPROVE, Action.REQUEST_CHANGES, Action.REJECT)
NO_KEY = "none"
CURE = "The list of releases says who can sign, and what is still needed."
OTHER_STATE = "The candidate's page says what was decided. A new run makes a new candidate."
GIVEN = "0" * 64  # stands for what is only there once somebody has signed


@dataclass(frozen=True)
class OpenAct:
    """`refusals`: all that stands against it, but what only a signature can show. `keys`: those with which the person could sign it."""

    action: Action
    refusals: tuple[Refusal, ...]
    cure: str
    keys: tuple[PublicKey, ...] = ()

    @property
    def allowed(self) -> bool:
        return not self.refusals

    @property
    def passkeys(self) -> tuple[PublicKey, ...]:
        return tuple(key for key in self.keys if is_passkey(key))


def is_passkey(key: PublicKey) -> bool:
    return key.kind == SK_ECDSA and not key.application.startswith("ssh:")


def open_acts(home: Home, ledger: Ledger, candidate: Candidate, release: Release, principal: str) -> tuple[OpenAct, ...]:
    """For each decision on a candidate."""
    roots, demands = roots_of(home, candidate.folder, candidate.manifest), operator_demands(home)
    return tuple(_open(home, ledger, candidate, release, principal, action, roots, demands) for action in DECISIONS)


def _open(
    home: Home, ledger: Ledger, candidate: Candidate, release: Release, principal: str, action: Action, roots: TrustRoots, demands: Demands
) -> OpenAct:
    keys = tuple(dict.fromkeys(entry.key for entry in roots.entries if entry.principal == principal))
    against = {key: _refusals(ledger, release, principal, action, roots, demands, key) for key in keys}
    usable = tuple(key for key, refusals in against.items() if not refusals)
    nobody = _decided(ledger, release, Actor(principal, NO_KEY, ActorRole.APPROVER), action, demands.rules())
    refusals = () if usable else min(against.values(), key=len, default=nobody)
    cure = OTHER_STATE if any(refusal.rule == "state" for refusal in refusals) else CURE if refusals else ""
    if not refusals and action is Action.APPROVE and (barred := tuple(runner_refusals(home, candidate))):
        return OpenAct(action, barred, RUN_AGAIN)
    return OpenAct(action, refusals, cure, usable)


def _refusals(
    ledger: Ledger, release: Release, principal: str, action: Action, roots: TrustRoots, demands: Demands, key: PublicKey
) -> tuple[Refusal, ...]:
    why_not = roots.why_not(key.fingerprint, principal, ledger.seen_now())
    if not why_not and is_passkey(key):
        why_not = _why_no_passkey(demands, key)
    rules = demands.rules(frozenset({key.fingerprint} if why_not else ()))
    refusals = _decided(ledger, release, Actor(principal, key.fingerprint, ActorRole.APPROVER), action, rules)
    if not why_not:
        return refusals
    return (*(refusal for refusal in refusals if refusal.rule != "key_not_revoked"), Refusal("key", f"this key {why_not}"))


def _why_no_passkey(demands: Demands, key: PublicKey) -> str:
    """By any of the addresses that the operator names; which one it was used at shows when it signs."""
    passkeys = demands.operator.passkeys
    return demands.why_no_passkey(key, passkeys.origins[0] if passkeys else "")


def _decided(ledger: Ledger, release: Release, actor: Actor, action: Action, rules: OperatorRules) -> tuple[Refusal, ...]:
    act = Act(action, release.candidate, release.policy_digest, "a reason", GIVEN, GIVEN)
    answer = decide(release, act, actor, rules, ledger.seen_now())
    return answer.reasons if isinstance(answer, Refused) else ()
