"""What the service sends to be signed, compared with what the person asked for: a service that lies gets no other statement signed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from pydantic import ValidationError

from headgate.core.errors import Refusal, TransitionRefused
from policies.ledger.events import moment
from tasks.approval.statements import KINDS, OPERATIONS, SignedDecision, decision_subject
from tasks.ledger.chain import Head
from tasks.service.request import SUBJECT as REQUEST_SUBJECT
from tasks.service.request import Request
from tasks.signing.canonical import is_canonical
from tasks.signing.revocation import FINGERPRINT
from tasks.signing.signatures import CANDIDATE, COSIGNED, REQUEST, Statement
from tasks.stores.seal import MANIFEST, SHORTEST_PREFIX
from tasks.verification.cosigned_heads import SUBJECT

MOST_MINUTES = 60  # between the moment that a statement names and this machine's clock
CURE = "Tell the operator. If the clock of this machine is wrong, correct it and try again."


class Wish(Protocol):
    """What a person asked for, as far as it is known before the service has answered."""

    def differences(self, said: Statement, now: datetime) -> list[str]: ...


@dataclass(frozen=True)
class Decide:
    """`name`: the candidate or the release as the person named it. `reason_sha256`: with the salt that they chose."""

    action: str
    name: str
    reason_sha256: str

    def differences(self, said: Statement, now: datetime) -> list[str]:
        if said.predicate_type != (KINDS | OPERATIONS)[self.action]:
            return ["it is a statement of another kind"]
        decision, wanted = SignedDecision.model_validate(said.predicate), self.name.strip().lower()
        named = len(wanted) >= SHORTEST_PREFIX and (decision.candidate.startswith(wanted) or decision.release == wanted)
        late = abs(now - moment(decision.at)) > timedelta(minutes=MOST_MINUTES)
        found = {
            "it names another action": decision.action != self.action,
            "it names another candidate": not named or said.digests != decision_subject(decision),
            "it gives another reason": decision.reason_sha256 != self.reason_sha256,
            "it names a moment that is not now": late,
        }
        return [difference for difference, holds in found.items() if holds]


@dataclass(frozen=True)
class Seal:
    """A release of the policy that was sent, in the home that the request was for."""

    dataset: str
    policy_digest: str
    home: str = ""  # not known before the service has answered

    def differences(self, said: Statement, now: datetime) -> list[str]:
        if said.predicate_type != CANDIDATE or set(said.digests) != {MANIFEST}:
            return ["it is a statement of another kind"]
        wanted = {"dataset": self.dataset, "policy": self.policy_digest, "home": self.home}
        return [f"it names another {name}" for name, value in wanted.items() if said.predicate.get(name) != value]


@dataclass(frozen=True)
class Cosign:
    """The head of the ledger, whichever it is: an auditor keeps it to compare it later."""

    def differences(self, said: Statement, now: datetime) -> list[str]:
        if said.predicate_type != COSIGNED or said.digests != {SUBJECT: Head.model_validate(said.predicate).hash}:
            return ["it is a statement of another kind"]
        return []


def home_of_proof(payload: bytes, asked: Request) -> str | None:
    """The home to which it proves that whoever signs has asked this; None unless it says that and no more."""
    try:
        said = Statement.model_validate_json(payload) if is_canonical(payload) else None
    except (ValidationError, ValueError, RecursionError):
        return None
    if said is None or said.predicate_type != REQUEST or said.digests != {REQUEST_SUBJECT: asked.sha256}:
        return None
    home = said.predicate.get("home")
    return home if isinstance(home, str) and FINGERPRINT.fullmatch(home) else None


def require_wished(payload: bytes, wish: Wish, now: datetime) -> None:
    """TransitionRefused unless these bytes, read in the one way that there is, say what was asked for."""
    try:
        differences = wish.differences(Statement.model_validate_json(payload), now) if is_canonical(payload) else ["it is ambiguous"]
    except (ValidationError, ValueError, RecursionError):
        differences = ["it is not a statement of headgate"]
    if differences:
        said = "the service asked for a signature on something else than you asked for"
        raise TransitionRefused([Refusal("statement", f"{said}: {difference}") for difference in differences], CURE)
