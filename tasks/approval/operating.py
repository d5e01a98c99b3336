"""Unsticking a release: an operator resumes a publication that stalled, or abandons a run or a publication that goes on no more."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime

from headgate.core.errors import Refusal, TransitionRefused
from policies.approval.acts import Act, Actor
from policies.approval.decide import Refused, decide
from policies.ledger.events import Event, SignedEvent
from policies.ledger.standing import Release
from policies.ledger.states import Action, ActorRole
from policies.sealed.manifest import Signer
from tasks.approval.approvals import keep_envelope, operator_roots, require_recorded, roots_of, settle_envelope, void_keys, weigh_approvals
from tasks.approval.decisions import Signing, record_takeover
from tasks.approval.handed_in import HandedIn
from tasks.approval.operator_demands import Demands, operator_demands, require_operator
from tasks.approval.reasons import GivenReason, keep_reason, salted
from tasks.approval.statements import decision_statement
from tasks.ledger.event_log import Ledger
from tasks.ledger.history import read_history
from tasks.runtime.home import Home
from tasks.signing.signatures import sign_statement
from tasks.stores.seal import load_candidate

CURES = {
    Action.RESUME: "Only a stalled publication can be resumed: see `headgate releases`.",
    Action.ABANDON: "Only a run or a publication whose process has ended can be abandoned: see `headgate releases`.",
    Action.PURGE: "Only what the home keeps of a version that was published can be purged: see `headgate releases` and `headgate doctor`.",
}


def resume(home: Home, ledger: Ledger, name: str, key: Signing, reason: str) -> Release:
    """The next `publish` then goes on, while its approvals still count."""
    return _operate(home, ledger, name, Action.RESUME, key, reason)


def abandon(home: Home, ledger: Ledger, name: str, key: Signing, reason: str) -> Release:
    """A run ends as failed; a publication stalls, and can be resumed or withdrawn."""
    return _operate(home, ledger, name, Action.ABANDON, key, reason)


def _operate(home: Home, ledger: Ledger, name: str, action: Action, key: Signing, reason: str) -> Release:
    """Under the dataset's lock, so that no living process is at work on the release."""
    named = read_history(ledger).find(name)
    with ledger.lock(named.dataset, named.release_id) as lock:
        record_takeover(ledger, lock)
        return record_operation(home, ledger, named, action, key, reason)


def record_operation(home: Home, ledger: Ledger, named: Release, action: Action, key: Signing, reason: str, kept: bool = False) -> Release:
    """What an operator signed, as an event. Call it under the dataset's lock."""
    history, now, demands = read_history(ledger), ledger.now(), operator_demands(home)
    release = history.release(named.release_id)
    require_recorded(home, ledger, release)
    signer = operator_of(home, key, demands, now)
    void: frozenset[str] = frozenset()
    if release.candidate:
        sealed = load_candidate(home.candidates, release.candidate)
        roots = roots_of(home, sealed.folder, sealed.manifest)
        void = void_keys(weigh_approvals(home, release, history.events(release.release_id), roots))
    given, envelope = _signed(release, action, signer, key, reason.strip(), now)
    digest = hashlib.sha256(envelope).hexdigest()
    _require_unused(history.events(release.release_id), given.digest)
    act = Act(action, release.candidate, release.policy_digest, given.text, digest, given.digest, kept=kept)
    answer = decide(release, act, Actor(signer.principal, signer.fingerprint, ActorRole.OPERATOR), demands.rules(void), now)
    if isinstance(answer, Refused):
        raise answer.error(CURES[action])
    keep_envelope(home, release.decided, envelope)
    keep_reason(home, release.decided, given)
    ledger.append(release.release_id, answer.events, release.events, signer.principal)
    settle_envelope(home, release.decided, digest)
    return answer.release


def _require_unused(events: Iterable[Event], reason_sha256: str) -> None:
    """A statement that was handed in serves once: whoever has it could repeat it while it is not too old. Its reason has a salt of its own;
    its signature may have several forms, of which whoever has one makes the others."""
    if any(isinstance(event, SignedEvent) and event.reason_sha256 == reason_sha256 for event in events):
        raise TransitionRefused(
            [Refusal("statement", "this statement has served already")], "Sign anew what `headgate statement` gives for it."
        )


def operator_of(home: Home, key: Signing, demands: Demands, now: datetime) -> Signer:
    roots = operator_roots(home)
    signer = require_operator(key.key, roots, demands, now)
    why_not = key.why_not(roots, demands, signer.principal) if isinstance(key, HandedIn) else ""
    if why_not:
        raise TransitionRefused(
            [Refusal("key", f"the key of {signer.principal} {why_not}")], "Sign with a key that counts: see `signers` and operator.yaml."
        )
    return signer


def _signed(release: Release, action: Action, signer: Signer, key: Signing, reason: str, now: datetime) -> tuple[GivenReason, bytes]:
    """The statement, signed now or handed in."""
    if isinstance(key, HandedIn):
        given = key.reason_for(reason)
        key.require(release, str(action), signer.principal, now)
        return given, key.envelope
    given = salted(reason, key)
    return given, sign_statement(decision_statement(release, str(action), signer.principal, given.digest, now.isoformat()), key)
