from __future__ import annotations

import os
import shutil
import stat
import subprocess
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

import asyncssh
import pytest

from headgate.core.errors import InputRejected, StoreUnavailable
from tasks.signing.keys import (
    fingerprint_of,
    ledger_secret,
    load_key,
    load_or_make,
    make_key,
    public_fingerprint,
    read_public_key,
    source_hmac,
)

needs_ssh_keygen = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
NOON = datetime(2025, 6, 1, 12, 0, 0, tzinfo=UTC)


def test_a_made_key_is_private_to_its_owner_and_loads_again(tmp_path: Path) -> None:
    made = make_key(tmp_path / "keys" / "runner")
    assert stat.S_IMODE((tmp_path / "keys" / "runner").stat().st_mode) == 0o600
    assert load_key(tmp_path / "keys" / "runner", {}).fingerprint == made.fingerprint
    assert made.fingerprint == public_fingerprint(made.public) == public_fingerprint(read_public_key(tmp_path / "keys" / "runner.pub"))
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
        (b"ssh-ed25519 AAAA x", "public half"),
    ],
)
def test_what_is_no_private_key_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "k"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(InputRejected, match=said):
        load_key(path, {})


def test_a_missing_key_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputRejected, match="does not exist") as refusal:
        load_key(tmp_path / "absent", {})
    assert refusal.value.code == 2


def test_a_key_of_another_algorithm_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "k"
    path.write_bytes(asyncssh.generate_private_key("ecdsa-sha2-nistp256").export_private_key())
    path.chmod(0o600)
    with pytest.raises(InputRejected, match="ssh-keygen -t ed25519"):
        load_key(path, {})


def test_a_passphrase_comes_from_the_environment_only(tmp_path: Path) -> None:
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
def test_a_key_that_ssh_keygen_protected_is_refused_with_a_cure(tmp_path: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "secret", "-f", str(tmp_path / "k")], check=True)
    if find_spec("bcrypt") is not None:
        assert load_key(tmp_path / "k", {"HEADGATE_KEY_PASSPHRASE": "secret"}).public
        return
    for environment in ({}, {"HEADGATE_KEY_PASSPHRASE": "secret"}):
        with pytest.raises(InputRejected, match="passphrase") as refusal:
            load_key(tmp_path / "k", environment)
        assert "bcrypt" in refusal.value.cure


def test_what_is_no_public_key_is_said_to_be_none(tmp_path: Path) -> None:
    make_key(tmp_path / "k")
    assert read_public_key(tmp_path / "k.pub").startswith("ssh-ed25519 ")
    (tmp_path / "policy.yaml").write_text("schema: 1\n", encoding="utf-8")
    for wrong in ("k", "policy.yaml"):
        with pytest.raises(InputRejected, match="does not hold a public key"):
            read_public_key(tmp_path / wrong)


def test_the_ledgers_secret_stays_and_keys_digests(tmp_path: Path) -> None:
    secret = ledger_secret(tmp_path)
    assert ledger_secret(tmp_path) == secret
    assert len(secret) == 32
    assert stat.S_IMODE((tmp_path / "ledger.secret").stat().st_mode) == 0o600
    assert source_hmac(secret, "ab") == source_hmac(secret, "ab")
    assert source_hmac(secret, "ab") != source_hmac(bytes(32), "ab")
    (tmp_path / "ledger.secret").write_text("short")
    with pytest.raises(StoreUnavailable):
        ledger_secret(tmp_path)


def test_a_fingerprint_is_the_hash_of_the_wire_form() -> None:
    key = asyncssh.generate_private_key("ssh-ed25519")
    assert fingerprint_of(key.public_data) == key.get_fingerprint()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_said_so(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreUnavailable):
        load_or_make(tmp_path / "k")
    tmp_path.chmod(0o700)
