"""Heads of the ledger that auditors signed with keys of their own, which the operator does not hold, and took away.

The file is the auditor's: nothing of it stays in the home. Whatever the operator does to the ledger afterwards, a head that was signed
and no longer lies on the chain tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from headgate.core.errors import InputRejected, IntegrityBroken, StoreUnavailable
from tasks.ledger.chain import Entry, Head, head_of
from tasks.ledger.event_log import Ledger
from tasks.runtime.boundary import reason_of
from tasks.signing.keys import PrivateKey
from tasks.signing.signatures import COSIGNED, sign_statement, statement, verify_envelope
from tasks.signing.trust_roots import read_signers
from tasks.stores.files import replace_file

SUBJECT = "head"


@dataclass(frozen=True)
class Cosigned:
    """`who`: the name that the auditors' list gives the key, "" without a list."""

    head: Head
    fingerprint: str
    who: str

    @property
    def signer(self) -> str:
        return f"{self.who} ({self.fingerprint})" if self.who else self.fingerprint


def cosign(ledger: Ledger, key: PrivateKey, file: Path) -> Cosigned:
    """Signs the head after every event has been checked; the file is written over, or not at all."""
    entries = ledger.verify_chain()
    if not entries:
        raise InputRejected("The ledger holds no event yet.", "Cosign it when something has been released.")
    head = head_of(entries[-1])
    said = statement({SUBJECT: head.hash}, COSIGNED, head.model_dump(mode="json"))
    try:
        replace_file(file, sign_statement(said, key))
    except OSError as problem:
        raise StoreUnavailable(f"{file} cannot be written ({reason_of(problem)}).", "Choose a folder of yours.") from None
    return Cosigned(head, key.fingerprint, "")


def read_cosigned(file: Path, signers: Path | None = None) -> Cosigned:
    """With a list of signers, only a key of it counts: a head that anybody signed proves nothing."""
    try:
        content = file.read_bytes()
    except OSError as problem:
        raise InputRejected(f"{file} cannot be read ({reason_of(problem)}).", "Give the file that `headgate audit cosign` wrote.") from None
    signed = verify_envelope(content, str(file), COSIGNED)
    try:
        head = Head.model_validate(signed.statement.predicate)
    except ValidationError:
        raise IntegrityBroken(f"{file} is not a cosigned head.", "Give the file that `headgate audit cosign` wrote.") from None
    if signed.statement.digests != {SUBJECT: head.hash}:
        raise IntegrityBroken(f"{file} is not a cosigned head.", "Give the file that `headgate audit cosign` wrote.")
    entries = () if signers is None else read_signers(signers)[0]
    who = next((entry.principal for entry in entries if entry.fingerprint == signed.fingerprint), "")
    if signers is not None and not who:
        raise IntegrityBroken(f"{file} is signed by a key that is not on the list ({signed.fingerprint}).", "Check --signers, or the file.")
    return Cosigned(head, signed.fingerprint, who)


def fault_of(cosigned: Cosigned, entries: tuple[Entry, ...]) -> str:
    """Why this head does not lie on the chain; "" if it does."""
    head = cosigned.head
    if head.seq > len(entries):
        return (
            f"The ledger ends at event {len(entries)}, and {cosigned.signer} cosigned it at event {head.seq}: an older ledger was put "
            "back, its last events were deleted, or it was started anew."
        )
    if head_of(entries[head.seq - 1]) != head:
        return f"The ledger is a fork: its event {head.seq} is not the one that {cosigned.signer} cosigned at {head.at}."
    return ""
