"""Signed statements: an in-toto Statement in a DSSE envelope, signed with an SSH key (SSHSIG over DSSE's PAE, namespace `headgate`).

What is verified are the bytes as stored; nothing is written again to be checked. An envelope only proves which key signed it:
whether that key may speak is the signers' matter (tasks/signing/signers.py). By hand, with ssh tools:
`jq -r .signatures[0].sig X.dsse.json | base64 -d > X.sig`, then `ssh-keygen -Y verify … -n headgate -s X.sig` over the PAE.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field, ValidationError

from headgate.core.errors import IntegrityBroken
from policies.words.frozen import Frozen
from tasks.signing.keys import KEY_TYPE, PrivateKey, fingerprint_of
from tasks.signing.signers import NAMESPACE

PAYLOAD_TYPE = "application/vnd.in-toto+json"
CANDIDATE = "urn:headgate:candidate:1"
APPROVAL = "urn:headgate:approval:1"
ATTESTATION = "urn:headgate:attestation:1"
HEAD = "urn:headgate:head:1"
WITHDRAWAL = "urn:headgate:withdrawal:1"
MAGIC = b"SSHSIG"
HASHES = {b"sha512": hashlib.sha512, b"sha256": hashlib.sha256}
CURE = "Compare it with a backup or another copy; do not use what it vouches for."


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
    fingerprint: str
    public: str


def statement(subjects: Mapping[str, str], predicate_type: str, predicate: Mapping[str, Any]) -> Statement:
    """About files by name and SHA-256, in the order of their names."""
    named = tuple(Subject(name=name, digest=Digest(sha256=digest)) for name, digest in sorted(subjects.items()))
    return Statement(subject=named, predicateType=predicate_type, predicate=dict(predicate))


def sign_statement(said: Statement, key: PrivateKey) -> bytes:
    """The envelope as JSON, ready to be stored."""
    import rfc8785

    payload = rfc8785.dumps(said.model_dump(mode="json", by_alias=True))
    return sign_payload(payload, key)


def sign_payload(payload: bytes, key: PrivateKey, payload_type: str = PAYLOAD_TYPE) -> bytes:
    from securesystemslib.dsse import Envelope
    from securesystemslib.signer import Signature

    envelope = Envelope(payload, payload_type, {})
    armored = sign_bytes(envelope.pae(), key)
    envelope.signatures[key.fingerprint] = Signature(key.fingerprint, armored.hex())
    return json.dumps(envelope.to_dict(), indent=1).encode() + b"\n"


def sign_bytes(message: bytes, key: PrivateKey, namespace: str = NAMESPACE) -> bytes:
    """An armored SSHSIG, as `ssh-keygen -Y sign` writes it."""
    import asyncssh

    return bytes(asyncssh.create_sshsig(key.private, message, namespace=namespace))


def verify_envelope(content: bytes, what: str, predicate_type: str) -> Signed:
    """The statement inside and the key that signed it, or IntegrityBroken. `what` names the file in messages."""
    from securesystemslib.dsse import Envelope

    refused = IntegrityBroken(f"{what} is not a signed statement.", CURE)
    try:
        wrapped = json.loads(content, object_pairs_hook=_no_duplicates)
        envelope = Envelope.from_dict(wrapped)
        signatures = list(envelope.signatures.values())
        armored = bytes.fromhex(signatures[0].signature)
        plain = isinstance(envelope.payload_type, str)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        raise refused from None
    if len(signatures) != 1 or not plain or envelope.payload_type != PAYLOAD_TYPE:
        raise refused
    blob = verify_bytes(envelope.pae(), armored, what)
    fingerprint = fingerprint_of(blob)
    if signatures[0].keyid != fingerprint:
        raise IntegrityBroken(f"{what} names another key than the one that signed it.", CURE)
    try:
        json.loads(envelope.payload, object_pairs_hook=_no_duplicates)
        said = Statement.model_validate_json(envelope.payload)
    except (ValidationError, ValueError, RecursionError):
        raise refused from None
    if said.predicate_type != predicate_type:
        raise IntegrityBroken(f"{what} is a statement of another kind.", CURE)
    return Signed(said, fingerprint, f"{KEY_TYPE} {base64.b64encode(blob).decode()}")


def verify_bytes(message: bytes, signature: bytes, what: str, namespace: str = NAMESPACE) -> bytes:
    """The public key (wire form) that made this SSHSIG over `message`. Namespace, format and algorithm are fixed."""
    from asyncssh.public_key import KeyImportError, decode_ssh_public_key

    broken = IntegrityBroken(f"The signature of {what} does not hold.", CURE)
    try:
        blob, said_namespace, hash_name, inner = _parse_sshsig(_dearmor(signature))
        key = decode_ssh_public_key(blob)
        digest = HASHES[hash_name](message).digest()
    except (ValueError, KeyError, KeyImportError):
        raise broken from None
    if key.get_algorithm() != KEY_TYPE or said_namespace != namespace.encode():
        raise broken
    signed = MAGIC + _string(said_namespace) + _string(b"") + _string(hash_name) + _string(digest)
    if not key.verify(signed, inner):
        raise broken
    return blob


def _string(content: bytes) -> bytes:
    return len(content).to_bytes(4, "big") + content


def _dearmor(signature: bytes) -> bytes:
    lines = signature.decode("ascii").split()
    if lines[:3] != ["-----BEGIN", "SSH", "SIGNATURE-----"] or lines[-3:] != ["-----END", "SSH", "SIGNATURE-----"]:
        raise ValueError
    try:
        return base64.b64decode("".join(lines[3:-3]), validate=True)
    except binascii.Error:
        raise ValueError from None


def _parse_sshsig(raw: bytes) -> tuple[bytes, bytes, bytes, bytes]:
    """Public key, namespace, hash name and signature of an SSHSIG (PROTOCOL.sshsig): nothing may follow, reserved is empty."""
    if raw[:6] != MAGIC or raw[6:10] != (1).to_bytes(4, "big"):
        raise ValueError
    place, parts = 10, []
    for _ in range(5):
        size = int.from_bytes(raw[place : place + 4], "big")
        part = raw[place + 4 : place + 4 + size]
        if len(raw) < place + 4 + size:
            raise ValueError
        parts.append(part)
        place += 4 + size
    if place != len(raw) or parts[2]:
        raise ValueError
    return parts[0], parts[1], parts[3], parts[4]


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A key given twice reads differently to different readers."""
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        raise ValueError
    return mapping
