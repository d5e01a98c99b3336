"""Approving, rejecting and withdrawing: a signed statement and its event, accepted by the one table of transitions or not at all."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from headgate.core.errors import IntegrityBroken, Refusal, TransitionRefused
from policies.approval.acts import Act, Actor
from policies.approval.decide import Refused, decide
from policies.ledger.events import LONGEST_REASON
from policies.ledger.standing import Release
from policies.ledger.states import Action, ActorRole, State
from tasks.approval.approvals import RUN_AGAIN, keep_envelope, operator_roots, require_recorded, roots_of, runner_refusals, settle_envelope
from tasks.approval.handed_in import HandedIn
from tasks.approval.operator_demands import operator_demands
from tasks.approval.reasons import GivenReason, keep_reason, salted
from tasks.approval.statements import decision_statement
from tasks.ledger.dataset_lock import DatasetLock
from tasks.ledger.event_log import Ledger
from tasks.ledger.history import History, check_same, read_history
from tasks.ledger.record_transition import record_transition
from tasks.runtime.home import Home
from tasks.series.side_store import drop
from tasks.signing.keys import PrivateKey
from tasks.signing.signatures import sign_statement
from tasks.stores.seal import Candidate, load_candidate

ATTEMPTS = 5
Signing = PrivateKey | HandedIn  # a key that is here, or a signature made elsewhere
UNKNOWN = "somebody unknown"  # whoever signs with a key that is on no list
CURES = {
    Action.APPROVE: "See `headgate show` for who may approve and what is still needed.",
    Action.REQUEST_CHANGES: "See `headgate show` for who may decide.",
    Action.REJECT: "See `headgate show` for who may decide.",
    Action.WITHDRAW: "Let one of its signers, or the person who ran it, withdraw the release.",
}
OTHER_STATE = "See `headgate audit show` for what was decided; a new run makes a new candidate."


@dataclass(frozen=True)
class Decided:
    """What was recorded, and the state of the release after it."""

    release: Release
    principal: str
    statement_sha256: str
    approvals: int
    required: int


def approve(home: Home, ledger: Ledger, candidate: str, key: Signing, reason: str) -> Decided:
    return _decide(home, ledger, load_candidate(home.candidates, candidate), Action.APPROVE, key, reason)


def reject(home: Home, ledger: Ledger, candidate: str, key: Signing, reason: str) -> Decided:
    return _decide(home, ledger, load_candidate(home.candidates, candidate), Action.REJECT, key, reason)


def request_changes(home: Home, ledger: Ledger, candidate: str, key: Signing, reason: str) -> Decided:
    return _decide(home, ledger, load_candidate(home.candidates, candidate), Action.REQUEST_CHANGES, key, reason)


def record_withdrawal(home: Home, ledger: Ledger, name: str, key: Signing, reason: str) -> Decided:
    """The event alone; tasks.publication.withdraw also takes the version out of the way."""
    release = read_history(ledger).find(name)
    if not release.candidate:
        refusal = Refusal("state", f"Release {release.release_id} has no candidate")
        raise TransitionRefused([refusal], "Only a sealed candidate can be withdrawn.")
    return _decide(home, ledger, load_candidate(home.candidates, release.candidate), Action.WITHDRAW, key, reason)


def require_may_withdraw(home: Home, ledger: Ledger, release: Release, key: Signing) -> None:
    """Also of who finishes a withdrawal: nobody else is told that they withdrew it."""
    candidate = load_candidate(home.candidates, release.candidate)
    _, why_not = _actor(home, candidate, release, Action.WITHDRAW, key, ledger.now())
    listed = any(key.fingerprint == signer.fingerprint for signer in (*release.signers, release.runner))
    if why_not or not listed:
        raise TransitionRefused([Refusal("key", why_not or "nobody who signs for this release has this key")], CURES[Action.WITHDRAW])


def record_takeover(ledger: Ledger, lock: DatasetLock) -> Release | None:
    """Records that a run has failed whose process died while it held the lock. A release that was being published stays in that state,
    and publishing it again finishes it."""
    if lock.taken_from is None or lock.taken_from == lock.release:
        return None
    history = read_history(ledger)
    if not history.of(lock.taken_from):
        return None  # it died before its first event
    release = history.release(lock.taken_from)
    if release.state is not State.RUNNING:
        return None
    reason = f"Its process died; release {lock.release} took over its lock."
    act = Act(Action.TAKE_OVER, candidate=release.candidate, policy_digest=release.policy_digest, reason=reason, error="ProcessDied")
    return record_transition(ledger, release, act, Actor("headgate", "", ActorRole.OPERATOR), "See `headgate audit show`.")


def record_expiries(home: Home, ledger: Ledger) -> None:
    """Who reads has counted a candidate as expired since its deadline; who writes next records it, and drops who is in which group. If
    somebody else was faster, it may have come out meanwhile: nothing is dropped here."""
    for release in read_history(ledger).overdue():
        act = Act(Action.EXPIRE, candidate=release.candidate, policy_digest=release.policy_digest)
        with suppress(TransitionRefused):
            record_transition(ledger, release, act, Actor("headgate", "", ActorRole.OPERATOR), "See `headgate audit show`.")
            _drop(home, release)


def _drop(home: Home, release: Release) -> None:
    """What is recorded is not undone because a file stays: the dataset's next run drops it, or says why it cannot."""
    with suppress(OSError):
        drop(home, release.dataset, release.candidate)


def release_of(history: History, candidate: Candidate) -> Release:
    """The release that sealed this candidate, if ledger and manifest say the same of it."""
    sealed = history.sealed(candidate.id)
    if sealed is None:
        raise IntegrityBroken(f"The ledger does not know candidate {candidate.id[:12]}.", "Check HEADGATE_HOME, or run the release again.")
    release = history.release(sealed.release_id)
    check_same(release, candidate.manifest)
    return release


def _decide(home: Home, ledger: Ledger, candidate: Candidate, action: Action, key: Signing, reason: str) -> Decided:
    """Signs, asks the table of transitions, stores the envelope, and only then records. When somebody else's event came between, it is
    all done again, for the new moment."""
    record_expiries(home, ledger)
    for attempt in range(1, ATTEMPTS + 1):
        release, now = release_of(read_history(ledger), candidate), ledger.now()
        require_recorded(home, ledger, release)
        actor, why_not = _actor(home, candidate, release, action, key, now)
        given = key.reason_for(reason.strip()) if isinstance(key, HandedIn) else salted(reason.strip(), key)
        act, envelope = _signed(release, candidate, action, actor, given, now, key)
        rules = operator_demands(home).rules(frozenset({actor.fingerprint} if why_not else ()))
        answer = decide(release, act, actor, rules, now)
        barred = runner_refusals(home, candidate) if action is Action.APPROVE else []
        if isinstance(answer, Refused):
            covered = ("key_not_revoked", "sealed_key") if actor.principal == UNKNOWN else ("key_not_revoked",)
            said = [refusal for refusal in answer.reasons if refusal.rule not in covered]
            cure = OTHER_STATE if any(refusal.rule == "state" for refusal in said) else CURES[action]
            raise TransitionRefused([*said, Refusal("key", why_not)] if why_not else said, cure)
        if barred:
            raise TransitionRefused(barred, RUN_AGAIN)
        after, digest = answer.release, keep_envelope(home, candidate.id, envelope)
        keep_reason(home, candidate.id, given)
        try:
            ledger.append(release.release_id, answer.events, release.events, actor.principal)
        except TransitionRefused:
            if attempt == ATTEMPTS:
                raise
            continue
        settle_envelope(home, candidate.id, digest)
        break
    if after.ended_unpublished:
        _drop(home, after)
    return Decided(after, actor.principal, digest, after.standing(), after.required)


def _actor(home: Home, candidate: Candidate, release: Release, action: Action, key: Signing, now: datetime) -> tuple[Actor, str]:
    """The person this key speaks for, and why the key does not count now ("" if it does). Who ran a release is on the operator's list,
    wherever those who approve are."""
    takes_back = action is Action.WITHDRAW and key.fingerprint == release.runner.fingerprint
    roots = operator_roots(home) if takes_back else roots_of(home, candidate.folder, candidate.manifest)
    sealed = () if takes_back else release.signers
    known = [signer.principal for signer in (*sealed, release.runner) if signer.fingerprint == key.fingerprint]
    principal = known[0] if known else roots.principal_of(key.fingerprint) or UNKNOWN
    role = ActorRole.CUSTODIAN if action is Action.WITHDRAW else ActorRole.APPROVER
    why_not = roots.why_not(key.fingerprint, principal, now)
    if isinstance(key, HandedIn) and not why_not:
        why_not = key.why_not(roots, operator_demands(home), principal)
    if not why_not:
        return Actor(principal, key.fingerprint, role), ""
    unlisted = f"nobody on the list of signers has this key ({key.fingerprint})"
    return Actor(principal, key.fingerprint, role), unlisted if principal == UNKNOWN else f"this key {why_not}"


def _signed(
    release: Release, candidate: Candidate, action: Action, actor: Actor, reason: GivenReason, now: datetime, key: Signing
) -> tuple[Act, bytes]:
    """What is to be done, and its signed statement, made now or handed in. Without a reason there is nothing to sign: the refusal is about
    the reason, not about the signature."""
    if isinstance(key, HandedIn):
        key.require(release, str(action), actor.principal, now)
        envelope = key.envelope
    else:
        signable = 0 < len(reason.text) <= LONGEST_REASON
        said = (release, str(action), actor.principal, reason.digest, now.isoformat())
        envelope = sign_statement(decision_statement(*said), key) if signable else b""
    digest = hashlib.sha256(envelope).hexdigest()
    return Act(action, candidate.id, candidate.manifest.policy_digest, reason.text, digest, reason.digest), envelope
