from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from headgate.core.errors import StoreUnavailable
from tasks.signing.home_keys import (
    home_fingerprint,
    ledger_key,
    ledger_secret,
    load_or_make,
    machine_key,
    own_fingerprints,
    public_fingerprints,
    source_hmac,
)
from tasks.signing.keys import write_public
from tasks.signing.public_keys import read_public_key


def test_the_keys_of_a_home_are_made_once(tmp_path: Path) -> None:
    assert ledger_key(tmp_path).key == ledger_key(tmp_path).key != machine_key(tmp_path).key
    assert own_fingerprints(tmp_path) == {ledger_key(tmp_path).fingerprint, machine_key(tmp_path).fingerprint}
    assert own_fingerprints(tmp_path / "new") == frozenset()


def test_a_home_is_known_by_the_key_of_its_ledger(tmp_path: Path) -> None:
    """Also where only the public half is left, as in a copy."""
    assert home_fingerprint(tmp_path) == ledger_key(tmp_path).fingerprint
    (tmp_path / "ledger").unlink()
    assert home_fingerprint(tmp_path) == read_public_key(tmp_path / "ledger.pub").fingerprint


def test_a_key_that_was_replaced_stays_one_of_the_homes_own(tmp_path: Path) -> None:
    """Whoever replaced it may still hold it, and it may be listed under somebody's name."""
    former = machine_key(tmp_path), ledger_key(tmp_path)
    for name in ("runner", "ledger"):
        for file in (tmp_path / name, tmp_path / f"{name}.pub"):
            file.unlink()
    present = machine_key(tmp_path), ledger_key(tmp_path)
    assert own_fingerprints(tmp_path) == {key.fingerprint for key in (*former, *present)}
    assert len(own_fingerprints(tmp_path)) == 4


def test_a_persons_key_that_lies_beside_them_is_not_the_homes_own(tmp_path: Path) -> None:
    """Nobody could run a release with one."""
    load_or_make(tmp_path / "steward")
    write_public(tmp_path / "steward", load_or_make(tmp_path / "steward"))
    assert own_fingerprints(tmp_path) == public_fingerprints(tmp_path) == frozenset()
    key = machine_key(tmp_path)
    assert own_fingerprints(tmp_path) == public_fingerprints(tmp_path) == {key.fingerprint}


def test_a_public_half_that_was_not_written_is_written_later(tmp_path: Path) -> None:
    key = ledger_key(tmp_path)
    (tmp_path / "ledger.pub").unlink()
    ledger_key(tmp_path)
    assert (tmp_path / "ledger.pub").read_text() == key.public + "\n"


@pytest.mark.parametrize(("name", "again"), [("ledger", ledger_key), ("runner", machine_key), ("ledger.secret", ledger_secret)])
def test_what_a_home_has_lost_is_not_made_anew(tmp_path: Path, name: str, again: Callable[[Path], object]) -> None:
    """An auditor's copy without private keys, too: its public key is what everything is compared with."""
    ledger_key(tmp_path)
    machine_key(tmp_path)
    (tmp_path / name).unlink()
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(StoreUnavailable, match=f"{name} is missing: this home had it"):
        again(tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


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


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_said_so(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreUnavailable):
        load_or_make(tmp_path / "k")
    tmp_path.chmod(0o700)
