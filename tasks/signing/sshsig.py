"""SSH signatures (PROTOCOL.sshsig), as `ssh-keygen -Y sign` makes them and `-Y verify` takes them, for one namespace only."""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass

from headgate.core.errors import InputRejected, IntegrityBroken
from tasks.signing.keys import PrivateKey
from tasks.signing.public_keys import RSA, PublicKey, key_of_blob
from tasks.signing.security_keys import ALGORITHMS, WEBAUTHN, why_not_signed
from tasks.signing.signers_file import NAMESPACE

MAGIC = b"SSHSIG"
HASHES = {b"sha512": hashlib.sha512, b"sha256": hashlib.sha256}
BEGIN, END = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
LINE = 70
CURE = "Compare it with a backup or another copy; do not use what it vouches for."


@dataclass(frozen=True)
class Parsed:
    blob: bytes
    namespace: bytes
    hash_name: bytes
    algorithm: str
    inner: bytes  # with the algorithm's name
    rest: bytes  # without


def to_sign(message: bytes, namespace: str = NAMESPACE, hash_name: bytes = b"sha512") -> bytes:
    """What a key signs in place of the message."""
    return MAGIC + _string(namespace.encode()) + _string(b"") + _string(hash_name) + _string(HASHES[hash_name](message).digest())


def sign_bytes(message: bytes, key: PrivateKey, namespace: str = NAMESPACE) -> bytes:
    """Armored."""
    inner = key.sign(to_sign(message, namespace))
    blob = _string(key.key.blob) + _string(namespace.encode()) + _string(b"") + _string(b"sha512") + _string(inner)
    return armored(MAGIC + (1).to_bytes(4, "big") + blob)


def verify_bytes(message: bytes, signature: bytes, what: str, namespace: str = NAMESPACE) -> PublicKey:
    """The key that made this signature over `message`, or IntegrityBroken. `what` names it in messages."""
    broken = IntegrityBroken(f"The signature of {what} does not hold.", CURE)
    try:
        parsed = _parsed(_dearmored(signature))
        key = key_of_blob(parsed.blob, what)
        signed = to_sign(message, namespace, parsed.hash_name)
    except (ValueError, KeyError, InputRejected):
        raise broken from None
    if parsed.namespace != namespace.encode():
        raise broken
    if key.kind in ALGORITHMS:
        reason = (
            why_not_signed(key, parsed.algorithm, parsed.rest, signed) if parsed.algorithm in ALGORITHMS[key.kind] else "It is damaged."
        )
        if reason:
            raise IntegrityBroken(f"The signature of {what} does not count. {reason}", CURE)
        return key
    algorithms = ("rsa-sha2-512", "rsa-sha2-256") if key.kind == RSA else (key.kind,)
    if parsed.algorithm not in algorithms or not key.key.verify(signed, parsed.inner):
        raise broken
    return key


def passkey_origin(signature: bytes) -> str | None:
    """Where a passkey was used, by a signature that holds; None of any other key."""
    parsed = _parsed(_dearmored(signature))
    if parsed.algorithm != WEBAUTHN:
        return None
    _, flags_and_more = _strings(parsed.rest, 1)
    origin, _ = _strings(flags_and_more[5:], 1)  # after a byte of flags and a counter of four
    return origin.decode("ascii")


def armored(raw: bytes) -> bytes:
    text = base64.b64encode(raw).decode()
    lines = [text[place : place + LINE] for place in range(0, len(text), LINE)]
    return "\n".join((BEGIN, *lines, END, "")).encode()


def rearmored(signature: bytes) -> bytes:
    """In the one form in which it is kept; as it is where it has none."""
    try:
        return armored(_dearmored(signature))
    except ValueError:
        return signature


def _dearmored(signature: bytes) -> bytes:
    lines = signature.decode("ascii").splitlines()
    if len(lines) < 3 or (lines[0], lines[-1]) != (BEGIN, END):
        raise ValueError
    try:
        return base64.b64decode("".join(lines[1:-1]), validate=True)
    except binascii.Error:
        raise ValueError from None


def _parsed(raw: bytes) -> Parsed:
    """Nothing may follow, and what is reserved is empty."""
    if raw[:6] != MAGIC or raw[6:10] != (1).to_bytes(4, "big"):
        raise ValueError
    blob, namespace, reserved, hash_name, inner, after = _strings(raw[10:], 5)
    if after or reserved:
        raise ValueError
    algorithm, rest = _strings(inner, 1)
    return Parsed(blob, namespace, hash_name, algorithm.decode("ascii"), inner, rest)


def _strings(raw: bytes, count: int) -> list[bytes]:
    """So many strings, each after its length, and what follows them."""
    parts, place = [], 0
    for _ in range(count):
        size = int.from_bytes(raw[place : place + 4], "big")
        if len(raw) < place + 4 + size:
            raise ValueError
        parts.append(raw[place + 4 : place + 4 + size])
        place += 4 + size
    return [*parts, raw[place:]]


def _string(content: bytes) -> bytes:
    return len(content).to_bytes(4, "big") + content
