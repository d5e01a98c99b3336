"""ssh-keygen as the judge of signatures, and keys of every kind: what stands in for a security key is made here."""

from __future__ import annotations

import base64
import hashlib
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

needs_ssh_keygen = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")


def keygen(*arguments: object, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["ssh-keygen", *map(str, arguments)], input=given, capture_output=True, check=False, timeout=60)


def made_by_keygen(path: Path, *kind: object) -> str:
    """Kind and key, as in the .pub file."""
    assert keygen("-q", "-N", "", "-C", "", "-f", path, "-t", *kind).returncode == 0
    return " ".join(path.with_name(path.name + ".pub").read_text().split()[:2])


def accepted_by_keygen(signers: Path, signature: Path, message: bytes, principal: str = "ann") -> bool:
    verified = keygen("-Y", "verify", "-f", signers, "-I", principal, "-n", "headgate", "-s", signature, given=message)
    return verified.returncode == 0


def text(content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + content


def mpint(number: int) -> bytes:
    return text(number.to_bytes(number.bit_length() // 8 + 1, "big"))


def armored(blob: bytes, inner: bytes) -> bytes:
    raw = b"SSHSIG" + struct.pack(">I", 1) + b"".join(map(text, (blob, b"headgate", b"", b"sha512", inner)))
    return b"-----BEGIN SSH SIGNATURE-----\n" + base64.encodebytes(raw) + b"-----END SSH SIGNATURE-----\n"


class SecurityKey:
    """What a FIDO authenticator holds. `flags`: 1 somebody touched it, 4 they entered their PIN."""

    def __init__(self, kind: str, application: str = "ssh:", flags: int = 5) -> None:
        self.kind, self.application, self.flags = kind, application, flags
        self.private: Any = ed25519.Ed25519PrivateKey.generate() if "ed25519" in kind else ec.generate_private_key(ec.SECP256R1())
        if "ed25519" in kind:
            point = text(self.private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw))
        else:
            point = text(b"nistp256") + text(self.private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))
        self.blob = text(kind.encode()) + point + text(application.encode())

    @property
    def line(self) -> str:
        return f"{self.kind} {base64.b64encode(self.blob).decode()}"

    def sign(self, message: bytes, origin: str = "", type_: str = "webauthn.get", extensions: bytes = b"") -> bytes:
        """An armored SSHSIG; as a browser makes it where an origin is given."""
        signed = b"SSHSIG" + text(b"headgate") + text(b"") + text(b"sha512") + text(hashlib.sha512(message).digest())
        algorithm, data, after = self.kind, signed, b""
        flags = self.flags | (0x80 if extensions else 0)
        if origin:
            challenge = base64.urlsafe_b64encode(signed).decode().rstrip("=")
            data = f'{{"type":"{type_}","challenge":"{challenge}","origin":"{origin}","crossOrigin":false}}'.encode()
            algorithm = f"webauthn-{self.kind}"
            after = text(origin.encode()) + text(data) + text(extensions)
        counter = struct.pack(">I", 7)
        signed_by_token = (
            hashlib.sha256(self.application.encode()).digest() + bytes([flags]) + counter + extensions + hashlib.sha256(data).digest()
        )
        if "ed25519" in self.kind:
            signature = self.private.sign(signed_by_token)
        else:
            r, s = decode_dss_signature(self.private.sign(signed_by_token, ec.ECDSA(SHA256())))
            signature = mpint(r) + mpint(s)
        return armored(self.blob, text(algorithm.encode()) + text(signature) + bytes([flags]) + counter + after)
