"""Signatures of security keys and passkeys: besides the signature, the person was there and has proven to be its owner.

`ssh-keygen -Y verify` looks at neither: it takes a signature for which nobody entered a PIN, and a passkey's signature from any site.
"""

from __future__ import annotations

import base64
import hashlib
from urllib.parse import urlsplit

from tasks.signing.public_keys import SK_ECDSA, SK_ED25519, PublicKey

WEBAUTHN = f"webauthn-{SK_ECDSA}"
ALGORITHMS = {SK_ED25519: {SK_ED25519}, SK_ECDSA: {SK_ECDSA, WEBAUTHN}}
PRESENT, VERIFIED, EXTENDED = 0x01, 0x04, 0x80


def why_not_signed(key: PublicKey, algorithm: str, inner: bytes, signed: bytes) -> str:
    """Empty if `inner`, what follows the algorithm's name in a signature, is this key's signature of `signed`, made by its owner; else the
    reason, as a sentence."""
    from asyncssh.packet import PacketDecodeError, SSHPacket
    from cryptography.exceptions import InvalidSignature

    try:
        packet = SSHPacket(inner)
        signature, flags, counter = packet.get_string(), packet.get_byte(), packet.get_uint32()
        extensions, data = b"", signed
        if algorithm == WEBAUTHN:
            origin, data, extensions = packet.get_string(), packet.get_string(), packet.get_string()
            if not _asked_for(data, signed, origin) or not _site_of(origin, key.application):
                return "The passkey signed something else, or for another site."
        elif not key.application.startswith("ssh:"):
            return "A passkey's signature is missing what the browser adds."
        packet.check_end()
        if bool(flags & EXTENDED) != bool(extensions):
            return "It is damaged."
        application = hashlib.sha256(key.application.encode()).digest()
        message = application + bytes([flags]) + counter.to_bytes(4, "big") + extensions + hashlib.sha256(data).digest()
        _verify(key, signature, message)
    except (PacketDecodeError, InvalidSignature, ValueError):
        return "It does not hold."
    if not flags & PRESENT or not flags & VERIFIED:
        return "The security key did not ask who used it. Make a key with: ssh-keygen -t ed25519-sk -O verify-required."
    return ""


def _verify(key: PublicKey, signature: bytes, message: bytes) -> None:
    """Raises unless it holds."""
    from asyncssh.packet import SSHPacket
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, utils
    from cryptography.hazmat.primitives.hashes import SHA256

    packet = SSHPacket(key.blob)
    packet.get_string()
    if key.kind == SK_ED25519:
        ed25519.Ed25519PublicKey.from_public_bytes(packet.get_string()).verify(signature, message)
        return
    packet.get_string()  # the name of the curve
    point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), packet.get_string())
    pair = SSHPacket(signature)
    r, s = pair.get_mpint(), pair.get_mpint()
    pair.check_end()
    point.verify(utils.encode_dss_signature(r, s), message, ec.ECDSA(SHA256()))


def _asked_for(data: bytes, signed: bytes, origin: bytes) -> bool:
    """What browsers write first: the kind, the challenge (here all that is signed) and the origin, in this order and spelling."""
    challenge = base64.urlsafe_b64encode(signed).rstrip(b"=")
    begin = b'{"type":"webauthn.get","challenge":"' + challenge + b'","origin":"' + origin + b'"'
    return b'"' not in origin and data.startswith(begin) and data[len(begin) : len(begin) + 1] in (b",", b"}")


def _site_of(origin: bytes, site: str) -> bool:
    """The site that the passkey belongs to, or one below it; encrypted, unless it is this machine."""
    parts = urlsplit(origin.decode("ascii"))
    host = parts.hostname or ""
    secure = parts.scheme == "https" or (parts.scheme == "http" and host == "localhost")
    return secure and bool(site) and (host == site or host.endswith(f".{site}"))
