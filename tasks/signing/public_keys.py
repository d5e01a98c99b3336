"""Public keys: which kinds may sign, and how strong each must be.

A key is taken only in the one spelling that OpenSSH itself writes, so that its fingerprint names it and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headgate.core.errors import InputRejected
from tasks.runtime.boundary import reason_of

ED25519 = "ssh-ed25519"
RSA = "ssh-rsa"
SK_ED25519 = "sk-ssh-ed25519@openssh.com"
SK_ECDSA = "sk-ecdsa-sha2-nistp256@openssh.com"
KINDS = frozenset({ED25519, RSA, "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521", SK_ED25519, SK_ECDSA})
SHORTEST_RSA = 3072
ACCEPTED = "Use an ed25519 key (ssh-keygen -t ed25519), an ECDSA key, an RSA key of at least 3072 bits, or a security key."
# Points of ed25519 that eight additions bring to zero. Anybody can make "signatures" that verify under them. The sign bit is cleared.
SMALL_ORDER = frozenset(
    bytes.fromhex(y)
    for y in (
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    )
)


@dataclass(frozen=True)
class PublicKey:
    """`blob` is its wire form. `application`: `ssh:…` of a security key, the site that a passkey belongs to, empty for others."""

    kind: str
    blob: bytes
    application: str = ""
    key: Any = field(default=None, repr=False, compare=False)  # asyncssh's

    @property
    def fingerprint(self) -> str:
        return fingerprint_of(self.blob)

    @property
    def line(self) -> str:
        """Kind and key as OpenSSH writes them, without a comment: comments name people and machines."""
        return f"{self.kind} {base64.b64encode(self.blob).decode()}"


def fingerprint_of(blob: bytes) -> str:
    """SHA256:… of the wire form, as `ssh-keygen -l` writes it."""
    return "SHA256:" + base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip("=")


def public_key(kind: str, text: str, place: str) -> PublicKey:
    """The key of a line, or InputRejected. `place` begins the message."""
    if kind not in KINDS:
        raise InputRejected(f"{place}: a key of type {_shown(kind)} is not accepted.", ACCEPTED)
    try:
        blob = base64.b64decode(text, validate=True)
    except ValueError:
        blob = b""
    if base64.b64encode(blob).decode() != text:
        raise _incomplete(kind, place)
    return key_of_blob(blob, place, kind)


def key_of_blob(blob: bytes, place: str, kind: str | None = None) -> PublicKey:
    from asyncssh.public_key import KeyImportError, decode_ssh_public_key

    try:
        key = decode_ssh_public_key(blob)
        known, same = key.get_algorithm(), bytes(key.public_data) == blob
    except (KeyImportError, ValueError):
        known, same = "", False
    if known not in KINDS or not same or kind not in (None, known):
        raise _incomplete(kind or "SSH", place)
    if known in (ED25519, SK_ED25519):
        _refuse_small_order(known, blob, place)
    if known == RSA and (key.pyca_key.key_size < SHORTEST_RSA or key.pyca_key.public_numbers().e < 65537):
        raise InputRejected(f"{place}: an RSA key of {key.pyca_key.key_size} bits is too weak.", ACCEPTED)
    application = getattr(key, "_application", "") if known in (SK_ED25519, SK_ECDSA) else ""
    return PublicKey(known, blob, application, key)


def read_public_key(path: Path) -> PublicKey:
    """The key of a `.pub` file."""
    try:
        content = path.read_bytes()
    except OSError as problem:
        reason = "it does not exist" if isinstance(problem, FileNotFoundError) else reason_of(problem)
        raise InputRejected(f"The public key {path} cannot be read: {reason}.", "Check the path and its permissions.") from None
    lines = content.decode("utf-8", "replace").splitlines()
    words = lines[0].split() if len(lines) == 1 else []
    if len(words) < 2 or words[0] not in KINDS:
        raise InputRejected(f"{path} does not hold a public key.", "Give a .pub file: one line, such as ssh-ed25519 AAAA….")
    return public_key(words[0], words[1], str(path))


def _refuse_small_order(kind: str, blob: bytes, place: str) -> None:
    begin = 4 + len(kind) + 4
    point = bytearray(blob[begin : begin + 32])
    point[31] &= 0x7F
    if bytes(point) in SMALL_ORDER:
        raise InputRejected(f"{place}: anybody can sign in the name of this key.", "Make a key with ssh-keygen; this one was not.")


def _incomplete(kind: str, place: str) -> InputRejected:
    return InputRejected(f"{place}: the public key is not a complete {kind} key.", "Copy the line of the .pub file again.")


def _shown(kind: str) -> str:
    return kind[:40] if kind.isascii() and kind.isprintable() else "an unknown kind"
