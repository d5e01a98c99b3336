"""Revoked keys: OpenSSH's key revocation list (`ssh-keygen -k`), or one public key or fingerprint per line.

What cannot be read revokes nobody, so it is refused, and with it everything that asks.
"""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headgate.core.errors import InputRejected
from tasks.signing.public_keys import fingerprint_of, public_key
from tasks.signing.signers_file import lines_of

if TYPE_CHECKING:
    from asyncssh.packet import SSHPacket

REVOKED = "revoked_keys"
PARTS = {  # of a public key, its name among them
    "ssh-ed25519": 2,
    "ssh-rsa": 3,
    "ssh-dss": 5,
    "ecdsa-sha2-nistp256": 3,
    "ecdsa-sha2-nistp384": 3,
    "ecdsa-sha2-nistp521": 3,
    "sk-ssh-ed25519@openssh.com": 3,
    "sk-ecdsa-sha2-nistp256@openssh.com": 4,
}
MAGIC = b"SSHKRL\n\0"
FINGERPRINT = re.compile(r"SHA256:[A-Za-z0-9+/]{43}")
CERTIFICATES, KEYS, SHA1, SIGNATURE, SHA256, EXTENSION = 1, 2, 3, 4, 5, 255  # sections of a list
SIZES = {SHA1: 20, SHA256: 32}
CURE = f"Make {REVOKED} again: ssh-keygen -k -f {REVOKED} KEY.pub …, or write ssh-ed25519 AAAA… or SHA256:…, one per line."


@dataclass(frozen=True)
class Revoked:
    """`fingerprints` as SHA256:…; `sha1`: digests of keys in wire form, as older revocation lists have them."""

    fingerprints: frozenset[str] = frozenset()
    sha1: frozenset[bytes] = frozenset()

    def holds(self, blob: bytes) -> bool:
        return fingerprint_of(blob) in self.fingerprints or hashlib.sha1(blob, usedforsecurity=False).digest() in self.sha1


def revoked_from(content: bytes, file: str = REVOKED) -> Revoked:
    """Of either form."""
    if content.startswith(MAGIC[:6]):
        return _from_list(content, file)
    try:
        return revoked_from_text(content.decode("utf-8"), file)
    except UnicodeDecodeError:
        raise InputRejected(f"{file} is neither text nor a key revocation list.", CURE) from None


def revoked_from_text(text: str, file: str = REVOKED) -> Revoked:
    fingerprints: set[str] = set()
    for place, line in lines_of(text, file):
        words = line.split()
        if FINGERPRINT.fullmatch(words[0]) and (len(words) == 1 or words[1].startswith("#")):
            fingerprints.add(words[0])
        elif len(words) >= 2 and not FINGERPRINT.fullmatch(words[0]):
            fingerprints.add(_revoked_line(words, place))
        else:
            raise InputRejected(f"{place} is not one public key or one fingerprint.", CURE)
    return Revoked(frozenset(fingerprints))


def _revoked_line(words: list[str], place: str) -> str:
    """A key that may not sign anyway, say one too short, may still be listed here."""
    try:
        blob = base64.b64decode(words[1], validate=True)
    except ValueError:
        blob = b""
    if not _is_whole(blob, words[0]):
        return public_key(words[0], words[1], place).fingerprint  # which says what is wrong
    return fingerprint_of(blob)


def _is_whole(blob: bytes, kind: str) -> bool:
    """Its name and as many parts as such a key has, and nothing cut off: what is left of a key revokes nobody."""
    parts, place = [], 0
    while place < len(blob):
        size = int.from_bytes(blob[place : place + 4], "big")
        parts.append(blob[place + 4 : place + 4 + size])
        place += 4 + size
    return place == len(blob) and len(parts) == PARTS.get(kind) and parts[0] == kind.encode() and all(parts)


def _from_list(content: bytes, file: str) -> Revoked:
    """PROTOCOL.krl. Certificates are never accepted, so sections about them revoke nothing here. A section of an unknown kind might."""
    from asyncssh.packet import PacketDecodeError, SSHPacket

    revoked: dict[int, set[bytes]] = {KEYS: set(), SHA1: set(), SHA256: set()}
    try:
        packet = SSHPacket(content)
        if packet.get_bytes(len(MAGIC)) != MAGIC or packet.get_uint32() != 1:
            raise ValueError
        packet.get_bytes(3 * 8)  # its number, its moment, its flags
        packet.get_string()
        packet.get_string()
        while packet:
            kind, section = packet.get_byte(), SSHPacket(packet.get_string())
            if kind in revoked:
                revoked[kind] |= _entries(kind, section)
            elif kind == EXTENSION:
                _require_optional(section)
            elif kind not in (CERTIFICATES, SIGNATURE):
                raise ValueError
    except (PacketDecodeError, ValueError):
        raise InputRejected(f"{file} is a key revocation list that cannot be read.", CURE) from None
    by_digest = {"SHA256:" + base64.b64encode(digest).decode().rstrip("=") for digest in revoked[SHA256]}
    return Revoked(frozenset(by_digest | {fingerprint_of(blob) for blob in revoked[KEYS]}), frozenset(revoked[SHA1]))


def _entries(kind: int, section: SSHPacket) -> set[bytes]:
    entries = set()
    while section:
        entries.add(section.get_string())
    if any(len(entry) != SIZES.get(kind, len(entry)) for entry in entries):
        raise ValueError
    return entries


def _require_optional(section: SSHPacket) -> None:
    """No extension is known here, so one that has to be understood cannot be."""
    section.get_string()
    if section.get_boolean():
        raise ValueError
