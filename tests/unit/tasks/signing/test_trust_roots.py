from __future__ import annotations

import hashlib
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from headgate.core.errors import HeadgateError, InputRejected
from tasks.signing.keys import make_key
from tasks.signing.revocation import Revoked
from tasks.signing.signers_file import signers_from_text
from tasks.signing.trust_roots import TrustRoots, read_revoked, read_signers, trust_roots

NOON = datetime(2025, 6, 1, 12, 0, 0, tzinfo=UTC)


def test_why_a_key_does_not_count_is_said(tmp_path: Path) -> None:
    key, late = make_key(tmp_path / "k"), make_key(tmp_path / "l")
    roots = TrustRoots(signers_from_text(f'ann {key.public}\nbob valid-before="20250101Z" {late.public}\n'), Revoked(), "")
    assert roots.why_not(key.fingerprint, "ann", NOON) == ""
    assert "not on the list" in roots.why_not(key.fingerprint, "bob", NOON)
    assert "2025-06-01" in roots.why_not(late.fingerprint, "bob", NOON)
    assert roots.why_not(late.fingerprint, "bob", NOON - timedelta(days=365)) == ""
    for revoked in (Revoked(frozenset({key.fingerprint})), Revoked(sha1=frozenset({hashlib.sha1(key.key.blob).digest()}))):
        assert "revoked" in TrustRoots(roots.entries, revoked, "").why_not(key.fingerprint, "ann", NOON)
        assert TrustRoots(roots.entries, revoked, "").revokes(key.key)
    assert not roots.revokes(key.key)


def test_the_files_are_read_as_they_stand(tmp_path: Path) -> None:
    key = make_key(tmp_path / "k")
    signers = tmp_path / "signers"
    signers.write_text(f"ann {key.public}\n")
    entries, digest = read_signers(signers)
    assert trust_roots(signers, tmp_path / "revoked_keys") == TrustRoots(entries, Revoked(), digest)
    (tmp_path / "revoked_keys").write_text(f"{key.public}\n")
    assert trust_roots(signers, tmp_path / "revoked_keys").why_not(key.fingerprint, "ann", NOON) == "is revoked"
    signers.unlink()
    with pytest.raises(InputRejected, match="signers file .* does not exist"):
        read_signers(signers)


def test_a_link_in_place_of_the_revoked_keys_revokes_nobody_and_is_refused(tmp_path: Path) -> None:
    assert read_revoked(tmp_path / "revoked_keys") == Revoked()
    (tmp_path / "revoked_keys").symlink_to(tmp_path / "gone")
    with pytest.raises(InputRejected, match="it is a link"):
        read_revoked(tmp_path / "revoked_keys")


def test_a_file_of_keys_that_cannot_be_read_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "signers").mkdir()
    with pytest.raises(HeadgateError, match="not a regular file"):
        read_signers(tmp_path / "signers")
    (tmp_path / "text").write_bytes(b"\xff\xfe")
    with pytest.raises(InputRejected, match="not text"):
        read_signers(tmp_path / "text")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputRejected, match="not a regular file"):
        read_signers(tmp_path / "pipe")


def test_people_are_those_with_a_key_that_counts_at_the_moment(tmp_path: Path) -> None:
    keys = {name: make_key(tmp_path / name) for name in ("ann", "second", "bob", "cyd", "dan")}
    lines = [f"ann {keys['ann'].public}", f"ann {keys['second'].public}", f'bob valid-before="20250101Z" {keys["bob"].public}']
    lines += [f'cyd namespaces="git" {keys["cyd"].public}', f"dan {keys['dan'].public}"]
    (tmp_path / "signers").write_text("\n".join(lines) + "\n")
    (tmp_path / "revoked_keys").write_text(f"{keys['dan'].public}\n{keys['second'].public}\n")
    assert trust_roots(tmp_path / "signers", tmp_path / "revoked_keys").people(NOON) == ("ann",)
