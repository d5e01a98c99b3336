from __future__ import annotations

import base64
from pathlib import Path

import asyncssh
import pytest

from headgate.core.errors import IntegrityBroken
from tasks.signing.keys import make_key
from tasks.signing.sshsig import sign_bytes, verify_bytes
from tests.unit.tasks.signing.openssh import armored, keygen, made_by_keygen, needs_ssh_keygen, text

MESSAGE = b"read and agreed"


@needs_ssh_keygen
@pytest.mark.parametrize("hashed", ["sha512", "sha256"])
@pytest.mark.parametrize("kind", [("ed25519",), ("ecdsa",), ("rsa", "-b", 3072)], ids=str)
def test_what_ssh_keygen_signed_verifies_here(hashed: str, kind: tuple[object, ...], tmp_path: Path) -> None:
    line = made_by_keygen(tmp_path / "k", *kind)
    (tmp_path / "message").write_bytes(MESSAGE)
    keygen("-q", "-Y", "sign", "-f", tmp_path / "k", "-n", "headgate", "-O", f"hashalg={hashed}", tmp_path / "message")
    signature = (tmp_path / "message.sig").read_bytes()
    assert verify_bytes(MESSAGE, signature, "x").line == line
    assert verify_bytes(MESSAGE, signature.replace(b"\n", b"\r\n"), "x").line == line
    with pytest.raises(IntegrityBroken):
        verify_bytes(MESSAGE + b"!", signature, "x")


def test_a_signature_counts_for_its_namespace_only(tmp_path: Path) -> None:
    key = make_key(tmp_path / "k")
    with pytest.raises(IntegrityBroken):
        verify_bytes(MESSAGE, sign_bytes(MESSAGE, key, namespace="git"), "x")
    assert verify_bytes(MESSAGE, sign_bytes(MESSAGE, key, namespace="git"), "x", namespace="git") == key.key


def test_an_rsa_signature_over_sha1_does_not_count() -> None:
    import hashlib

    key = asyncssh.generate_private_key("ssh-rsa", key_size=3072)
    signed = b"SSHSIG" + text(b"headgate") + text(b"") + text(b"sha512") + text(hashlib.sha512(MESSAGE).digest())
    strong, weak = (key.sign(signed, algorithm) for algorithm in (b"rsa-sha2-512", b"ssh-rsa"))
    assert verify_bytes(MESSAGE, armored(key.public_data, strong), "x").blob == key.public_data
    with pytest.raises(IntegrityBroken):
        verify_bytes(MESSAGE, armored(key.public_data, weak), "x")


def test_no_bit_of_a_signature_can_change_and_nothing_can_follow(tmp_path: Path) -> None:
    signature = sign_bytes(MESSAGE, make_key(tmp_path / "k"))
    begin, *lines, end = signature.splitlines()
    raw = base64.b64decode(b"".join(lines))
    changes = [raw + b"\0", raw[:-1], *(raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :] for place in range(len(raw)))]
    for changed in changes:
        with pytest.raises(IntegrityBroken):
            verify_bytes(MESSAGE, b"\n".join([begin, base64.b64encode(changed), end]), "x")
    for framed in (b"", signature + b"more", b"more\n" + signature, b"\xff" + signature):
        with pytest.raises(IntegrityBroken):
            verify_bytes(MESSAGE, framed, "x")
