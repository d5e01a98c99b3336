"""Signed statements: an in-toto Statement in a DSSE envelope, signed with an SSH key (SSHSIG over DSSE's PAE, namespace `headgate`).

What is verified are the bytes as stored; nothing is written again to be checked. An envelope only proves which key signed it:
whether that key may speak is the signers' matter (tasks/signing/trust_roots.py).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field, ValidationError

from headgate.core.errors import IntegrityBroken
from policies.words.frozen import Frozen
from tasks.signing.canonical import no_duplicates
from tasks.signing.given_key import CallersKey
from tasks.signing.keys import PrivateKey
from tasks.signing.public_keys import PublicKey
from tasks.signing.sshsig import CURE, passkey_origin, rearmored, sign_bytes, verify_bytes

PAYLOAD_TYPE = "application/vnd.in-toto+json"
CANDIDATE = "urn:headgate:candidate:1"
APPROVAL = "urn:headgate:approval:1"
ATTESTATION = "urn:headgate:attestation:1"
HEAD = "urn:headgate:head:1"
OPERATION = "urn:headgate:operation:1"
SCHEDULE = "urn:headgate:schedule:1"
WITHDRAWAL = "urn:headgate:withdrawal:1"
RECORDED_WITHDRAWAL = "urn:headgate:recorded-withdrawal:1"
REQUEST = "urn:headgate:request:1"
REMEMBERED = "urn:headgate:remembered-head:1"
COSIGNED = "urn:headgate:cosigned-head:1"
EVIDENCE = "urn:headgate:evidence:1"
BACKUP = "urn:headgate:backup:1"


class Digest(Frozen):
    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class Subject(Frozen):
    name: str
    digest: Digest


class Statement(Frozen):
    """in-toto Statement v1: what these subjects are said to be."""

    type: Literal["https://in-toto.io/Statement/v1"] = Field(default="https://in-toto.io/Statement/v1", alias="_type")
    subject: tuple[Subject, ...] = Field(min_length=1)
    predicate_type: str = Field(alias="predicateType")
    predicate: dict[str, Any]

    @property
    def digests(self) -> dict[str, str]:
        """SHA-256 of each subject by its name."""
        return {subject.name: subject.digest.sha256 for subject in self.subject}


@dataclass(frozen=True)
class Signed:
    """A statement, and the key that signed it. The signature proves the key and nothing more."""

    statement: Statement
    key: PublicKey

    @property
    def fingerprint(self) -> str:
        return self.key.fingerprint


def statement(subjects: Mapping[str, str], predicate_type: str, predicate: Mapping[str, Any]) -> Statement:
    """About files by name and SHA-256, in the order of their names."""
    named = tuple(Subject(name=name, digest=Digest(sha256=digest)) for name, digest in sorted(subjects.items()))
    return Statement(subject=named, predicateType=predicate_type, predicate=dict(predicate))


def sign_statement(said: Statement, key: PrivateKey) -> bytes:
    """The envelope as JSON, ready to be stored."""
    return sign_payload(payload_of(said), key)


def payload_of(said: Statement) -> bytes:
    """The statement in the one form in which it is signed."""
    import rfc8785

    return bytes(rfc8785.dumps(said.model_dump(mode="json", by_alias=True)))


def bytes_to_sign(payload: bytes, payload_type: str = PAYLOAD_TYPE) -> bytes:
    """DSSE's PAE: what `ssh-keygen -Y sign -n headgate` is given."""
    from securesystemslib.dsse import Envelope

    return bytes(Envelope(payload, payload_type, {}).pae())


def sign_payload(payload: bytes, key: PrivateKey, payload_type: str = PAYLOAD_TYPE) -> bytes:
    message = bytes_to_sign(payload, payload_type)
    armored = _signed_by_caller(payload, message, key) if isinstance(key, CallersKey) else sign_bytes(message, key)
    return envelope_around(payload, armored, key.fingerprint, payload_type)


def _signed_by_caller(payload: bytes, message: bytes, key: CallersKey) -> bytes:
    """What comes back is believed only if it holds."""
    armored = key.ask(payload)
    if verify_bytes(message, armored, "the caller").fingerprint != key.fingerprint:
        raise IntegrityBroken("The caller signed with another key than they named.", "Run the command again.")
    if passkey_origin(armored) is not None:  # whose site is asked only of what is handed in
        raise IntegrityBroken("The caller signed with a passkey.", "Hand such a signature in with --signature.")
    return armored


def envelope_around(payload: bytes, armored: bytes, fingerprint: str, payload_type: str = PAYLOAD_TYPE) -> bytes:
    """A payload and the armored signature that this key made, wherever that was."""
    from securesystemslib.dsse import Envelope
    from securesystemslib.signer import Signature

    envelope = Envelope(payload, payload_type, {fingerprint: Signature(fingerprint, armored.hex())})
    return json.dumps(envelope.to_dict(), indent=1).encode() + b"\n"


@dataclass(frozen=True)
class Opened:
    """What an envelope holds, whether or not the signature is true. `signed` are the bytes that it is over, DSSE's PAE."""

    payload: bytes
    signed: bytes
    armored: bytes
    keyid: str


def open_envelope(content: bytes, what: str) -> Opened:
    """IntegrityBroken if it is not an envelope with one signature, in the one form in which it is written: whatever else a file could hold,
    nobody has signed. `what` names the file in messages."""
    from securesystemslib.dsse import Envelope

    refused = IntegrityBroken(f"{what} is not a signed statement.", CURE)
    try:
        wrapped = json.loads(content, object_pairs_hook=no_duplicates)
        envelope = Envelope.from_dict(wrapped)
        signatures = list(envelope.signatures.values())
        armored = bytes.fromhex(signatures[0].signature)
        plain = isinstance(envelope.payload_type, str)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        raise refused from None
    if len(signatures) != 1 or not plain or envelope.payload_type != PAYLOAD_TYPE:
        raise refused
    if content != envelope_around(envelope.payload, rearmored(armored), signatures[0].keyid):
        raise refused
    return Opened(envelope.payload, envelope.pae(), armored, signatures[0].keyid)


def verify_envelope(content: bytes, what: str, predicate_type: str) -> Signed:
    """The statement inside and the key that signed it, or IntegrityBroken. `what` names the file in messages."""
    opened = open_envelope(content, what)
    key = verify_bytes(opened.signed, opened.armored, what)
    if opened.keyid != key.fingerprint:
        raise IntegrityBroken(f"{what} names another key than the one that signed it.", CURE)
    refused = IntegrityBroken(f"{what} is not a signed statement.", CURE)
    try:
        json.loads(opened.payload, object_pairs_hook=no_duplicates)
        said = Statement.model_validate_json(opened.payload)
    except (ValidationError, ValueError, RecursionError):
        raise refused from None
    if said.predicate_type != predicate_type:
        raise IntegrityBroken(f"{what} is a statement of another kind.", CURE)
    return Signed(said, key)
