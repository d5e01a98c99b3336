from __future__ import annotations

from pathlib import Path

import pytest

from headgate.core.errors import IntegrityBroken
from tasks.signing.public_keys import SK_ECDSA, SK_ED25519
from tasks.signing.sshsig import verify_bytes
from tests.unit.tasks.signing.openssh import SecurityKey, accepted_by_keygen, needs_ssh_keygen

MESSAGE = b"read and agreed"
SITE = "release.hospital.example"
ORIGIN = f"https://{SITE}"


def taken_by_openssh(folder: Path, key: SecurityKey, signature: bytes) -> bool:
    (folder / "signers").write_text(f'ann namespaces="headgate" {key.line}\n')
    (folder / "x.sig").write_bytes(signature)
    return accepted_by_keygen(folder / "signers", folder / "x.sig", MESSAGE)


@needs_ssh_keygen
@pytest.mark.parametrize(
    ("kind", "application", "origin"),
    [(SK_ED25519, "ssh:", ""), (SK_ECDSA, "ssh:work", ""), (SK_ECDSA, SITE, ORIGIN), (SK_ECDSA, SITE, f"https://a.{SITE}:8443")],
)
def test_what_openssh_takes_from_a_security_key_or_a_passkey_is_taken(kind: str, application: str, origin: str, tmp_path: Path) -> None:
    key = SecurityKey(kind, application)
    signature = key.sign(MESSAGE, origin)
    assert taken_by_openssh(tmp_path, key, signature)
    verified = verify_bytes(MESSAGE, signature, "x")
    assert (verified.line, verified.application) == (key.line, application)
    with pytest.raises(IntegrityBroken):
        verify_bytes(MESSAGE + b"!", signature, "x")


@needs_ssh_keygen
@pytest.mark.parametrize("flags", [0, 1, 4])
@pytest.mark.parametrize("kind", [SK_ED25519, SK_ECDSA])
def test_who_used_a_security_key_must_have_been_asked_which_openssh_does_not_check(kind: str, flags: int, tmp_path: Path) -> None:
    key = SecurityKey(kind, flags=flags)
    signature = key.sign(MESSAGE)
    assert taken_by_openssh(tmp_path, key, signature)
    with pytest.raises(IntegrityBroken, match="verify-required"):
        verify_bytes(MESSAGE, signature, "x")


@needs_ssh_keygen
@pytest.mark.parametrize(
    "origin",
    [f"http://{SITE}", "https://evil.example", f"https://{SITE}.evil.example", f"https://evil{SITE}", "https://", "null"],
)
def test_a_passkey_counts_for_its_own_site_only_which_openssh_does_not_check(origin: str, tmp_path: Path) -> None:
    key = SecurityKey(SK_ECDSA, SITE)
    signature = key.sign(MESSAGE, origin)
    assert taken_by_openssh(tmp_path, key, signature)
    with pytest.raises(IntegrityBroken, match="another site"):
        verify_bytes(MESSAGE, signature, "x")


def test_a_passkey_on_this_machine_may_sign_over_plain_http() -> None:
    key = SecurityKey(SK_ECDSA, "localhost")
    assert verify_bytes(MESSAGE, key.sign(MESSAGE, "http://localhost:8000"), "x").line == key.line


def test_a_passkey_that_was_made_for_something_else_does_not_count() -> None:
    key = SecurityKey(SK_ECDSA, SITE)
    for signature in (key.sign(MESSAGE, ORIGIN, type_="webauthn.create"), key.sign(MESSAGE), SecurityKey(SK_ECDSA).sign(MESSAGE, ORIGIN)):
        with pytest.raises(IntegrityBroken):
            verify_bytes(MESSAGE, signature, "x")


@needs_ssh_keygen
def test_what_an_authenticator_adds_is_signed_with_the_rest(tmp_path: Path) -> None:
    key = SecurityKey(SK_ECDSA, SITE)
    signature = key.sign(MESSAGE, ORIGIN, extensions=b"\xa0")
    assert taken_by_openssh(tmp_path, key, signature)
    assert verify_bytes(MESSAGE, signature, "x").line == key.line


def test_no_byte_of_a_passkeys_signature_can_change() -> None:
    import base64

    key = SecurityKey(SK_ECDSA, SITE)
    lines = key.sign(MESSAGE, ORIGIN).splitlines()
    raw = base64.b64decode(b"".join(lines[1:-1]))
    for place in range(0, len(raw), 7):
        changed = bytearray(raw)
        changed[place] ^= 1
        with pytest.raises(IntegrityBroken):
            verify_bytes(MESSAGE, b"\n".join([lines[0], base64.b64encode(changed), lines[-1]]), "x")
