from __future__ import annotations

import stat
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import asyncssh
import pytest

from headgate.core.errors import InputRejected
from tasks.signing.home_keys import load_or_make
from tasks.signing.keys import load_key, make_key
from tasks.signing.public_keys import read_public_key
from tasks.signing.sshsig import sign_bytes, verify_bytes
from tests.unit.tasks.signing.openssh import accepted_by_keygen, made_by_keygen, needs_ssh_keygen

NOON = datetime(2025, 6, 1, 12, 0, 0, tzinfo=UTC)


def test_a_made_key_is_private_to_its_owner_and_loads_again(tmp_path: Path) -> None:
    made = make_key(tmp_path / "keys" / "runner")
    assert stat.S_IMODE((tmp_path / "keys" / "runner").stat().st_mode) == 0o600
    assert load_key(tmp_path / "keys" / "runner", {}).fingerprint == made.fingerprint
    assert made.fingerprint == read_public_key(tmp_path / "keys" / "runner.pub").fingerprint
    assert sorted(path.name for path in (tmp_path / "keys").iterdir()) == ["runner", "runner.pub"]


def test_the_private_half_is_not_in_a_keys_text(tmp_path: Path) -> None:
    made = make_key(tmp_path / "k")
    assert "private" not in repr(made)


def test_a_key_is_never_written_over_another(tmp_path: Path) -> None:
    first = make_key(tmp_path / "k")
    with pytest.raises(FileExistsError):
        make_key(tmp_path / "k")
    assert load_or_make(tmp_path / "k").fingerprint == first.fingerprint


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644])
def test_a_key_that_others_can_read_is_refused_with_the_cure(tmp_path: Path, mode: int) -> None:
    make_key(tmp_path / "k")
    (tmp_path / "k").chmod(mode)
    with pytest.raises(InputRejected, match="chmod 600"):
        load_key(tmp_path / "k", {})


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not a private key"),
        (b"-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n", "not a private key"),
        (b"ssh-ed25519 AAAA x", "not a complete ssh-ed25519 key"),
    ],
)
def test_what_is_no_private_key_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "k"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(InputRejected, match=said):
        load_key(path, {})


def test_the_public_half_is_refused_without_an_agent(tmp_path: Path) -> None:
    make_key(tmp_path / "k")
    with pytest.raises(InputRejected, match="public half") as refusal:
        load_key(tmp_path / "k.pub", {})
    assert "without .pub" in refusal.value.cure


def test_a_missing_key_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputRejected, match="does not exist") as refusal:
        load_key(tmp_path / "absent", {})
    assert refusal.value.code == 2


@pytest.mark.parametrize(("kind", "size", "said"), [("ssh-ed448", None, "is a key of type"), ("ssh-rsa", 2048, "too weak")])
def test_a_key_that_may_not_sign_is_refused(tmp_path: Path, kind: str, size: int | None, said: str) -> None:
    path = tmp_path / "k"
    options = {} if size is None else {"key_size": size}
    path.write_bytes(asyncssh.generate_private_key(kind, **options).export_private_key())
    path.chmod(0o600)
    with pytest.raises(InputRejected, match=said):
        load_key(path, {})


@needs_ssh_keygen
@pytest.mark.parametrize("kind", [("ed25519",), ("ecdsa",), ("ecdsa", "-b", 521), ("rsa", "-b", 3072)], ids=str)
def test_what_any_key_signs_openssh_and_we_verify(tmp_path: Path, kind: tuple[object, ...]) -> None:
    (tmp_path / "signers").write_text(f"ann {made_by_keygen(tmp_path / 'k', *kind)}\n")
    key = load_key(tmp_path / "k", {})
    (tmp_path / "x.sig").write_bytes(sign_bytes(b"message", key))
    assert accepted_by_keygen(tmp_path / "signers", tmp_path / "x.sig", b"message")
    assert verify_bytes(b"message", (tmp_path / "x.sig").read_bytes(), "x") == key.key


def test_a_passphrase_that_the_environment_gives_opens_a_key(tmp_path: Path) -> None:
    path = tmp_path / "k"
    key = asyncssh.generate_private_key("ssh-ed25519")
    path.write_bytes(key.export_private_key("pkcs8-pem", passphrase="right"))
    path.chmod(0o600)
    with pytest.raises(InputRejected, match="HEADGATE_KEY_PASSPHRASE"):
        load_key(path, {})
    with pytest.raises(InputRejected, match="does not open"):
        load_key(path, {"HEADGATE_KEY_PASSPHRASE": "wrong"})
    assert load_key(path, {"HEADGATE_KEY_PASSPHRASE": "right"}).fingerprint == key.get_fingerprint()


@needs_ssh_keygen
def test_a_key_that_ssh_keygen_made_loads_with_the_fingerprint_it_prints(tmp_path: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / "k")], check=True)
    printed = subprocess.run(["ssh-keygen", "-l", "-f", str(tmp_path / "k")], check=True, capture_output=True, text=True).stdout
    assert load_key(tmp_path / "k", {}).fingerprint == printed.split()[1]


@needs_ssh_keygen
def test_a_key_that_ssh_keygen_protected_opens_with_its_passphrase_alone(tmp_path: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "secret", "-f", str(tmp_path / "k")], check=True)
    printed = subprocess.run(["ssh-keygen", "-l", "-f", str(tmp_path / "k.pub")], check=True, capture_output=True, text=True).stdout
    for environment, said in (({}, "is protected by a passphrase"), ({"HEADGATE_KEY_PASSPHRASE": "Secret"}, "does not open")):
        with pytest.raises(InputRejected, match=said):
            load_key(tmp_path / "k", environment)
    assert load_key(tmp_path / "k", {"HEADGATE_KEY_PASSPHRASE": "secret"}).fingerprint == printed.split()[1]


def test_a_file_that_is_no_key_is_said_to_be_none_whoever_can_read_it(tmp_path):
    """`--key /etc/passwd` was answered by "chmod 600 /etc/passwd"."""
    (tmp_path / "passwd").write_text("root:x:0:0:root:/root:/bin/bash\n", encoding="utf-8")
    (tmp_path / "passwd").chmod(0o644)
    with pytest.raises(InputRejected, match="is not a private key") as refused:
        load_key(tmp_path / "passwd")
    assert "chmod" not in refused.value.cure
