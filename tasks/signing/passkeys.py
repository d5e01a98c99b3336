"""Passkeys as SSH keys: what a browser registers becomes a line of `signers`, and what it signs an SSH signature (PROTOCOL.u2f).

A browser shows nobody what they sign. The challenge is all that an SSH key would sign, so that the signature holds without this product.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass

from headgate.core.errors import InputRejected
from tasks.signing.public_keys import SK_ECDSA, PublicKey, key_of_blob
from tasks.signing.security_keys import PRESENT, VERIFIED, WEBAUTHN
from tasks.signing.signers_file import NAMESPACE
from tasks.signing.sshsig import MAGIC, armored, to_sign

ES256 = -7
POINT_BYTES = 32
AUTHENTICATOR_BYTES = 37  # a hash of the site, a byte of flags, a counter of four; extensions follow
LARGEST_ANSWER = 16 * 1024
CURE = "Try again with the same browser; if it happens twice, use another security key, or sign with an SSH key."


@dataclass(frozen=True)
class Registered:
    """`credential`: the name by which the browser finds the passkey again; it is no secret and proves nothing."""

    key: PublicKey
    credential: str

    def line_for(self, principal: str) -> str:
        """As it stands in `signers`."""
        return f'{principal} namespaces="{NAMESPACE}" {self.key.line}'


def registered_passkey(answer: str, challenge: bytes, rp: str, origins: Sequence[str]) -> Registered:
    """What the browser answered when it was asked to make a passkey: of this site, by somebody whom it has asked who they are."""
    from webauthn import verify_registration_response
    from webauthn.helpers import bytes_to_base64url
    from webauthn.helpers.cose import COSEAlgorithmIdentifier
    from webauthn.helpers.exceptions import WebAuthnException

    if len(answer) > LARGEST_ANSWER:
        raise InputRejected("The browser's answer is too long.", CURE)
    try:
        made = verify_registration_response(
            credential=answer,
            expected_challenge=challenge,
            expected_rp_id=rp,
            expected_origin=list(origins),
            require_user_verification=True,
            supported_pub_key_algs=[COSEAlgorithmIdentifier(ES256)],
        )
        return Registered(_key(made.credential_public_key, rp), bytes_to_base64url(made.credential_id))
    except (WebAuthnException, ValueError, TypeError, KeyError, AttributeError):
        raise InputRejected("The browser's answer is not a passkey of this site.", CURE) from None


def challenge_for(message: bytes) -> str:
    """What the browser is asked to sign, in the alphabet that it takes."""
    return _base64url(to_sign(message))


def passkey_signature(key: PublicKey, client: str, authenticator: str, signature: str) -> bytes:
    """The armored signature of what a browser answered, each part in base64url. Whether it holds is not asked here: whoever takes a
    signature asks that (sshsig.py)."""
    from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

    if len(client) + len(authenticator) + len(signature) > LARGEST_ANSWER:
        raise InputRejected("The browser's answer is too long.", CURE)
    try:
        said, about = _bytes(client), _bytes(authenticator)
        r, s = decode_dss_signature(_bytes(signature))
        origin = _origin(said)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputRejected("The browser's answer is not a signature.", CURE) from None
    if key.kind != SK_ECDSA or len(about) < AUTHENTICATOR_BYTES:
        raise InputRejected("The browser's answer is not a signature.", CURE)
    flags, counter, extensions = about[32:33], about[33:AUTHENTICATOR_BYTES], about[AUTHENTICATOR_BYTES:]
    if not flags[0] & PRESENT or not flags[0] & VERIFIED:
        raise InputRejected("The browser did not ask who used the passkey.", CURE)
    pair = _string(_mpint(r) + _mpint(s))
    inner = _string(WEBAUTHN.encode()) + pair + flags + counter + _string(origin) + _string(said) + _string(extensions)
    parts = (key.blob, NAMESPACE.encode(), b"", b"sha512", inner)
    return armored(MAGIC + (1).to_bytes(4, "big") + b"".join(map(_string, parts)))


def _key(cose: bytes, rp: str) -> PublicKey:
    from webauthn.helpers import decode_credential_public_key
    from webauthn.helpers.decode_credential_public_key import DecodedEC2PublicKey

    point = decode_credential_public_key(cose)
    if not isinstance(point, DecodedEC2PublicKey) or point.alg != ES256 or {len(point.x), len(point.y)} != {POINT_BYTES}:
        raise ValueError
    parts = (SK_ECDSA.encode(), b"nistp256", b"\x04" + point.x + point.y, rp.encode())
    return key_of_blob(b"".join(map(_string, parts)), "The passkey", SK_ECDSA)


def _origin(said: bytes) -> bytes:
    import json

    origin = json.loads(said)["origin"]
    return bytes(origin.encode("ascii"))


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except binascii.Error:
        raise ValueError from None


def _base64url(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _string(content: bytes) -> bytes:
    return len(content).to_bytes(4, "big") + content


def _mpint(number: int) -> bytes:
    return _string(number.to_bytes(number.bit_length() // 8 + 1, "big"))
