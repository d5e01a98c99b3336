"""A decision that was signed elsewhere: the statement it is about was issued here (issued_statements.py), and its signature comes later.

A statement names the candidate, the policy, the person, the action, the reason and the moment, so it serves for nothing else. What was
issued is kept in the home, with its reason, because a signature does not hold what it is about; whoever changes it there makes the
signature void.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from headgate.core.errors import InputRejected, IntegrityBroken, Refusal, TransitionRefused
from policies.ledger.events import moment
from policies.ledger.standing import Release
from tasks.approval.operator_demands import Demands
from tasks.approval.reasons import GivenReason, reason_from
from tasks.approval.statements import LONGEST_UNSIGNED, SignedDecision
from tasks.runtime.boundary import reason_of
from tasks.runtime.home import Home
from tasks.signing.public_keys import PublicKey
from tasks.signing.signatures import Statement, bytes_to_sign, envelope_around
from tasks.signing.sshsig import BEGIN, passkey_origin, rearmored, verify_bytes
from tasks.signing.trust_roots import TrustRoots
from tasks.stores.files import read_file

LARGEST_SIGNATURE = 64 * 1024
GIVE = "Give the file that ssh-keygen -Y sign wrote: its name ends in .sig."


@dataclass(frozen=True)
class HandedIn:
    """The signature holds. Whether the key counts is decided as for any other. `origin`: where a passkey was used."""

    key: PublicKey
    said: SignedDecision
    reason: GivenReason
    envelope: bytes
    origin: str | None

    @property
    def fingerprint(self) -> str:
        return self.key.fingerprint

    def reason_for(self, text: str) -> GivenReason:
        if text != self.reason.text:
            raise _refused(["what was signed gives another reason"])
        return self.reason

    def why_not(self, roots: TrustRoots, demands: Demands, principal: str) -> str:
        """Why it does not count though its key does now, as the end of a sentence: the key must have counted when the statement was issued,
        and a passkey is one of the operator's site."""
        return roots.why_not(self.fingerprint, principal, moment(self.said.at)) or demands.why_no_passkey(self.key, self.origin)

    def require(self, release: Release, action: str, principal: str, now: datetime) -> None:
        """That exactly this was signed, by the person whose key it is, and lately."""
        asked = {
            "candidate": release.candidate,
            "policy_digest": release.policy_digest,
            "release": release.release_id,
            "dataset": release.dataset,
            "action": action,
            "principal": principal,
            "reason_sha256": self.reason.digest,
        }
        wrong = [name.replace("_sha256", "").replace("_", " ") for name, value in asked.items() if getattr(self.said, name) != value]
        refusals = [f"what was signed names another {name}" for name in wrong]
        if not timedelta(0) <= now - moment(self.said.at) <= LONGEST_UNSIGNED:
            refusals.append(f"the statement was issued more than {LONGEST_UNSIGNED.days} days ago")
        if refusals:
            raise _refused(refusals)


def handed_in(home: Home, decided: str, signature: Path) -> HandedIn:
    """By the file that ssh-keygen wrote."""
    return signed_elsewhere(home, decided, _read_signature(signature), signature.name)


def signed_elsewhere(home: Home, decided: str, signature: bytes, name: str) -> HandedIn:
    """The statement issued for this candidate, or this run, that was signed, whatever it says. `name`: of the signature in messages."""
    if len(signature) > LARGEST_SIGNATURE or not signature.startswith(BEGIN.encode()):
        raise InputRejected(f"{name} is not an SSH signature.", GIVE)
    armored, folder = rearmored(signature), statements_folder(home, decided)
    reasons = {"No statement that was issued for this release has this signature": None}
    for file in sorted(folder.glob("*.json")):
        payload = read_file(folder, file.name).content
        try:
            key = verify_bytes(bytes_to_sign(payload), armored, name)
        except IntegrityBroken as problem:
            reasons[problem.message.removesuffix(".")] = None  # a security key without its PIN, a passkey of another site
            continue
        reason = reason_from(read_file(folder, f"{file.stem}.reason").content)
        return HandedIn(key, said_in(payload), reason, envelope_around(payload, armored, key.fingerprint), passkey_origin(armored))
    raise _refused(list(reasons))


def statements_folder(home: Home, decided: str) -> Path:
    return home.root / "state" / "statements" / decided


def said_in(payload: bytes) -> SignedDecision:
    return SignedDecision.model_validate(Statement.model_validate_json(payload).predicate)


def _refused(reasons: list[str]) -> TransitionRefused:
    return TransitionRefused([Refusal("statement", reason) for reason in reasons], "Sign anew what `headgate statement` gives for it.")


def _read_signature(path: Path) -> bytes:
    reason, content = "", b""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_SIGNATURE + 1)
    except OSError as problem:
        reason = "it does not exist" if isinstance(problem, FileNotFoundError) else reason_of(problem)
    if reason:
        raise InputRejected(f"The signature {path} cannot be read: {reason}.", GIVE)
    return content
