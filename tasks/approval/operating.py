"""Unsticking a release: an operator resumes a publication that stalled, or abandons a run or a publication that goes on no more."""

from __future__ import annotations

import hashlib

from policies.approval.acts import Act, Actor
from policies.approval.decide import Refused, decide
from policies.ledger.standing import Release
from policies.ledger.states import Action, ActorRole
from tasks.approval.approvals import keep_envelope, operator_roots, require_recorded, roots_of, settle_envelope, void_keys, weigh_approvals
from tasks.approval.decisions import record_takeover
from tasks.approval.operator_demands import operator_demands, require_operator
from tasks.approval.reasons import keep_reason, salted
from tasks.approval.statements import decision_statement
from tasks.ledger.event_log import Ledger
from tasks.ledger.history import read_history
from tasks.runtime.home import Home
from tasks.signing.keys import PrivateKey
from tasks.signing.signatures import sign_statement
from tasks.stores.seal import load_candidate

CURES = {
    Action.RESUME: "Only a publication that stalled is resumed: see `headgate releases`.",
    Action.ABANDON: "Only a run or a publication that goes on no more is abandoned: see `headgate releases`.",
}


def resume(home: Home, ledger: Ledger, name: str, key: PrivateKey, reason: str) -> Release:
    """The next `publish` then goes on, while its approvals still count."""
    return _operate(home, ledger, name, Action.RESUME, key, reason)


def abandon(home: Home, ledger: Ledger, name: str, key: PrivateKey, reason: str) -> Release:
    """A run ends as failed; a publication stalls, and can be resumed or withdrawn."""
    return _operate(home, ledger, name, Action.ABANDON, key, reason)


def _operate(home: Home, ledger: Ledger, name: str, action: Action, key: PrivateKey, reason: str) -> Release:
    """Under the dataset's lock, so that no living process is at work on the release."""
    named = read_history(ledger).find(name)
    with ledger.lock(named.dataset, named.release_id) as lock:
        record_takeover(ledger, lock)
        history, now, demands = read_history(ledger), ledger.now(), operator_demands(home)
        release = history.release(named.release_id)
        require_recorded(home, ledger, release)
        signer = require_operator(key.key, operator_roots(home), demands, now)
        void: frozenset[str] = frozenset()
        if release.candidate:
            sealed = load_candidate(home.candidates, release.candidate)
            roots = roots_of(home, sealed.folder, sealed.manifest)
            void = void_keys(weigh_approvals(home, release, history.events(release.release_id), roots))
        given = salted(reason.strip())
        envelope = sign_statement(decision_statement(release, str(action), signer.principal, given.digest, now.isoformat()), key)
        digest = hashlib.sha256(envelope).hexdigest()
        act = Act(action, release.candidate, release.policy_digest, given.text, digest, given.digest)
        answer = decide(release, act, Actor(signer.principal, signer.fingerprint, ActorRole.OPERATOR), demands.rules(void), now)
        if isinstance(answer, Refused):
            raise answer.error(CURES[action])
        keep_envelope(home, release.decided, envelope)
        keep_reason(home, release.decided, given)
        ledger.append(release.release_id, answer.events, release.events, signer.principal)
        settle_envelope(home, release.decided, digest)
        return answer.release
