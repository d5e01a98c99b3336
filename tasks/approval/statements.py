"""The signed form of a decision, and the check that an envelope is the one that an event of the ledger refers to."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from typing import Annotated

from pydantic import Field, ValidationError

from headgate.core.errors import IntegrityBroken
from policies.ledger.event_base import Digest, Moment
from policies.ledger.events import SignedDecisionEvent, moment
from policies.ledger.standing import Release
from policies.words.frozen import Frozen
from tasks.signing.signatures import APPROVAL, OPERATION, WITHDRAWAL, Signed, Statement, statement, verify_envelope
from tasks.stores.seal import MANIFEST

KINDS = {"approve": APPROVAL, "request-changes": APPROVAL, "reject": APPROVAL, "withdraw": WITHDRAWAL}
OPERATIONS = {"resume": OPERATION, "abandon": OPERATION, "purge": OPERATION}
ACTIONS = {
    "approved": "approve",
    "changes_requested": "request-changes",
    "rejected": "reject",
    "withdrawn": "withdraw",
    "resumed": "resume",
    "abandoned": "abandon",
    "purged": "purge",
}
LONGEST_UNSIGNED = timedelta(days=7)  # from the moment that a statement names until the ledger records it
CURE = "Run `headgate audit verify`; a decision that does not hold must be made again."


class SignedDecision(Frozen):
    """The predicate: who decided what about which candidate under which policy, and why. `at`: when it was put to them to sign. Of the
    reason only its salted digest is signed, since the statement is published."""

    action: str
    candidate: Annotated[str, Field(pattern=r"^([0-9a-f]{64})?$")]  # a run that is abandoned has none
    policy_digest: Digest
    release: str
    dataset: str
    principal: str
    at: Moment
    reason_sha256: Digest


def decision_statement(release: Release, action: str, principal: str, reason_sha256: str, at: str) -> Statement:
    """About the candidate's manifest, and so about every byte of the candidate; of a run that has none, about its policy."""
    said = SignedDecision(
        action=action,
        candidate=release.candidate,
        policy_digest=release.policy_digest,
        release=release.release_id,
        dataset=release.dataset,
        principal=principal,
        at=at,
        reason_sha256=reason_sha256,
    )
    return statement(decision_subject(said), (KINDS | OPERATIONS)[action], said.model_dump(mode="json"))


def decision_subject(said: SignedDecision) -> dict[str, str]:
    return {MANIFEST: said.candidate} if said.candidate else {"policy": said.policy_digest}


def check_decision(envelope: bytes, event: SignedDecisionEvent, dataset: str, what: str) -> SignedDecision:
    """That these bytes are the ones the event names, are signed by the key it names, and say what it says."""
    action = ACTIONS[event.event]
    if hashlib.sha256(envelope).hexdigest() != event.statement_sha256:
        raise IntegrityBroken(f"{what} is not the decision that the ledger recorded.", CURE)
    signed, said = read_decision(envelope, action, what)
    if signed.fingerprint != event.signer.fingerprint:
        raise IntegrityBroken(f"{what} is signed by another key than the ledger recorded.", CURE)
    if said.candidate != event.candidate:
        raise IntegrityBroken(f"{what} was signed for another candidate.", CURE)
    recorded = (action, event.policy_digest, event.release_id, dataset, event.signer.principal, event.reason_sha256)
    stated = (said.action, said.policy_digest, said.release, said.dataset, said.principal, said.reason_sha256)
    in_time = timedelta(0) <= moment(event.at) - moment(said.at) <= LONGEST_UNSIGNED
    if not in_time or recorded != stated:
        raise IntegrityBroken(f"{what} says something else than the ledger recorded.", CURE)
    return said


def read_decision(envelope: bytes, action: str, what: str) -> tuple[Signed, SignedDecision]:
    """A decision of this kind as it was signed; whether its key may speak is not asked here."""
    signed = verify_envelope(envelope, what, (KINDS | OPERATIONS)[action])
    try:
        said = SignedDecision.model_validate(signed.statement.predicate)
    except ValidationError:
        raise IntegrityBroken(f"{what} does not say what was decided.", CURE) from None
    if said.action != action or signed.statement.digests != decision_subject(said):
        raise IntegrityBroken(f"{what} was signed for another candidate.", CURE)
    return signed, said
