"""Heads of the ledger that auditors signed with keys of their own, which the operator does not hold, and took away.

The file is the auditor's: nothing of it stays in the home. Whatever the operator does to the ledger afterwards, a head that was signed
and no longer lies on the chain tells. So does a published folder that somebody kept.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from headgate.core.errors import InputRejected, IntegrityBroken, StoreUnavailable
from policies.ledger.events import moment
from tasks.ledger.chain import HEAD_SIGNATURE, Entry, Head, head_of
from tasks.ledger.event_log import Ledger
from tasks.runtime.boundary import reason_of
from tasks.signing.keys import PrivateKey
from tasks.signing.revocation import REVOKED
from tasks.signing.signatures import COSIGNED, HEAD, Signed, sign_statement, statement, verify_envelope
from tasks.signing.trust_roots import trust_roots

SUBJECT = "head"


@dataclass(frozen=True)
class Cosigned:
    """`who`: the name that the auditors' list gives the key, "" without a list. `envelope`: what they signed, as it lies in their file."""

    head: Head
    fingerprint: str
    who: str
    envelope: bytes

    @property
    def signer(self) -> str:
        return f"{self.who} ({self.fingerprint})" if self.who else self.fingerprint


@dataclass(frozen=True)
class PublishedHead:
    """The head in a published folder that somebody kept: the number and the hash of its event. `where`: as they named it."""

    seq: int
    hash: str
    fingerprint: str
    where: str


def cosign(ledger: Ledger, key: PrivateKey, file: Path, own: Collection[str] = ()) -> Cosigned:
    """Signs the head after every event has been checked. `own`: the keys of the home, with which nobody else would have signed. An older
    file stays as it is: it may be all that is left of an earlier visit."""
    if key.fingerprint in own:
        raise InputRejected("This key is one of the home's own.", "Cosign with a key that the operator does not hold.")
    if os.path.lexists(file):
        raise InputRejected(f"{file} exists already: it may be an earlier cosigned head.", "Choose another name with --output.")
    entries = ledger.verify_chain()
    if not entries:
        raise InputRejected("The ledger holds no event yet.", "Cosign it when something has been released.")
    head = head_of(entries[-1])
    said = statement({SUBJECT: head.hash}, COSIGNED, head.model_dump(mode="json"))
    envelope = sign_statement(said, key)
    try:
        _write_once(file, envelope)
    except OSError as problem:
        raise StoreUnavailable(f"{file} cannot be written ({reason_of(problem)}).", "Choose a folder of yours.") from None
    return Cosigned(head, key.fingerprint, "", envelope)


def _write_once(file: Path, content: bytes) -> None:
    with open(file, "xb") as written:
        try:
            written.write(content)
            written.flush()
            os.fsync(written.fileno())
        except OSError:
            file.unlink()
            raise


def read_published_head(kept: Path) -> PublishedHead:
    """Of a published folder, wherever it was kept, or of its head.dsse.json alone, which says what was signed."""
    file = kept / HEAD_SIGNATURE if kept.is_dir() else kept
    try:
        content = file.read_bytes()
    except OSError as problem:
        raise InputRejected(f"{file} cannot be read ({reason_of(problem)}).", "Name a published folder, or its head.dsse.json.") from None
    signed = verify_envelope(content, str(file), HEAD)
    said = signed.statement.predicate
    if {name: type(value) for name, value in said.items()} != {"seq": int, "hash": str} or said["seq"] < 1:
        raise IntegrityBroken(f"{file} is not a head of a ledger.", "Name a published folder, or its head.dsse.json.")
    return PublishedHead(said["seq"], said["hash"], signed.fingerprint, str(kept))


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
    return Cosigned(head, signed.fingerprint, "" if signers is None else _who(file, signed, signers, head), content)


def _who(file: Path, signed: Signed, signers: Path, head: Head) -> str:
    """Whose key it is, if it counted when the head was written and is not revoked since."""
    roots = trust_roots(signers, signers.parent / REVOKED)
    who = roots.principal_of(signed.fingerprint) or ""
    if not who:
        raise IntegrityBroken(f"{file} is signed by a key that is not on the list ({signed.fingerprint}).", "Check --signers, or the file.")
    why_not = roots.why_not(signed.fingerprint, who, moment(head.at))
    if why_not:
        raise IntegrityBroken(f"{file} is signed by a key of {who} that {why_not}.", "Check --signers, or the file.")
    return who


def fault_of_published(kept: PublishedHead, entries: tuple[Entry, ...], ledger_fingerprint: str) -> str:
    """Why the head of a folder that was kept does not lie on the chain; "" if it does."""
    if kept.fingerprint != ledger_fingerprint:
        return f"The head in {kept.where} is signed by another ledger's key."
    if kept.seq > len(entries):
        return (
            f"The ledger ends at event {len(entries)}, and {kept.where} was published after event {kept.seq}: an older ledger was put "
            "back, its last events were deleted, or it was started anew."
        )
    if entries[kept.seq - 1].hash != kept.hash:
        return f"The ledger is a fork: its event {kept.seq} is not the one after which {kept.where} was published."
    return ""


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
