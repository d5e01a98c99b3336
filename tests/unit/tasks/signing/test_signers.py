from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from headgate.core.errors import HeadgateError, InputRejected
from tasks.signing.keys import (
    make_key,
)
from tasks.signing.signers import TrustRoots, people, read_revoked, read_signers, revoked_from_text, signers_from_text, trust_roots

NOON = datetime(2025, 6, 1, 12, 0, 0, tzinfo=UTC)


def test_signers_are_read_with_their_options(tmp_path: Path) -> None:
    alice, bob = make_key(tmp_path / "a"), make_key(tmp_path / "b")
    entries = signers_from_text(
        "# who may approve\n\n"
        f'alice@example.org namespaces="git,headgate",valid-after="20250101Z",valid-before="20260101Z" {alice.public} her laptop\n'
        f"bob {bob.public}\n"
    )
    assert [entry.principal for entry in entries] == ["alice@example.org", "bob"]
    assert [entry.fingerprint for entry in entries] == [alice.fingerprint, bob.fingerprint]
    assert entries[0].valid_after == datetime(2025, 1, 1, tzinfo=UTC)
    assert entries[0].valid_at(NOON)
    assert not entries[0].valid_at(datetime(2026, 1, 1, tzinfo=UTC))
    assert entries[0].valid_at(datetime(2025, 12, 31, 23, 59, 59, tzinfo=UTC))
    assert not entries[0].valid_at(datetime(2024, 12, 31, 23, 59, 59, tzinfo=UTC))
    assert people(entries) == ("alice@example.org", "bob")


@pytest.mark.parametrize(
    ("namespaces", "counts"),
    [
        ("headgate", True),
        ("git", False),
        ("git,headgate", True),
        ("*", True),
        ("head*", True),
        ("headgate?", False),
        ("*,!headgate", False),
    ],
)
def test_namespaces_must_include_headgate_where_they_are_given(tmp_path: Path, namespaces: str, counts: bool) -> None:
    key = make_key(tmp_path / "k")
    (entry,) = signers_from_text(f'ann namespaces="{namespaces}" {key.public}')
    assert entry.for_headgate is counts


@pytest.mark.parametrize(
    "line",
    [
        "ann cert-authority KEY",
        "*@example.org KEY",
        "ann,bob KEY",
        "!ann KEY",
        "ann",
        "ann KEY-SHORT",
        "ann ssh-rsa AAAAB3NzaC1yc2E=",
        'ann valid-before="soon" KEY',
        'ann valid-before="20251301Z" KEY',
        'ann valid-after="20250101Z",valid-after="20240101Z" KEY',
        "ann no-touch-required KEY",
        'ann namespaces="headgate KEY',
        "ann ssh-ed25519 !!!!",
    ],
)
def test_a_signers_line_that_is_not_understood_refuses_the_file(tmp_path: Path, line: str) -> None:
    public = make_key(tmp_path / "k").public
    with pytest.raises(InputRejected, match="line 1") as refusal:
        signers_from_text(line.replace("KEY-SHORT", public[:40]).replace("KEY", public))
    assert refusal.value.cure


@pytest.mark.parametrize(
    ("line", "message", "cure"),
    [
        ("KEY", "line 3 names nobody", "Put the person's name before the key."),
        (
            'ann namespaces="headgate" valid-after="20250101Z" KEY',
            "line 3 has a blank between its options",
            "Separate options by commas, without blanks.",
        ),
    ],
)
def test_what_people_often_paste_is_refused_with_its_file_and_what_to_write(tmp_path: Path, line: str, message: str, cure: str) -> None:
    path = tmp_path / "signers"
    path.write_text(f"# who may sign\n\n{line}\n".replace("KEY", make_key(tmp_path / "k").public))
    with pytest.raises(InputRejected) as refusal:
        read_signers(path)
    assert refusal.value.message.startswith(f"{path}, {message}")
    assert refusal.value.cure == cure


def test_one_key_cannot_be_two_people_and_one_person_is_spelt_one_way(tmp_path: Path) -> None:
    key, other = make_key(tmp_path / "k"), make_key(tmp_path / "o")
    with pytest.raises(InputRejected, match="line 2"):
        signers_from_text(f"ann {key.public}\nbob {key.public}\n")
    with pytest.raises(InputRejected, match="two ways"):
        signers_from_text(f"ann {key.public}\nAnn {other.public}\n")
    assert people(signers_from_text(f"ann {key.public}\nann {other.public}\n")) == ("ann",)


def test_why_a_key_does_not_count_is_said(tmp_path: Path) -> None:
    key, late = make_key(tmp_path / "k"), make_key(tmp_path / "l")
    roots = TrustRoots(signers_from_text(f'ann {key.public}\nbob valid-before="20250101Z" {late.public}\n'), frozenset(), "")
    assert roots.why_not(key.fingerprint, "ann", NOON) == ""
    assert "not on the list" in roots.why_not(key.fingerprint, "bob", NOON)
    assert "2025-06-01" in roots.why_not(late.fingerprint, "bob", NOON)
    assert roots.why_not(late.fingerprint, "bob", NOON - timedelta(days=365)) == ""
    assert "revoked" in TrustRoots(roots.entries, frozenset({key.fingerprint}), "").why_not(key.fingerprint, "ann", NOON)


def test_revoked_keys_are_listed_as_keys_or_fingerprints(tmp_path: Path) -> None:
    one, two = make_key(tmp_path / "one"), make_key(tmp_path / "two")
    assert revoked_from_text(f"# left\n{one.public} note\n{two.fingerprint}\n") == {one.fingerprint, two.fingerprint}
    with pytest.raises(InputRejected, match="line 1"):
        revoked_from_text("everyone\n")
    assert read_revoked(tmp_path / "absent") == frozenset()
    (tmp_path / "krl").write_bytes(b"SSHKRL\n\0rest")
    with pytest.raises(InputRejected, match="binary"):
        read_revoked(tmp_path / "krl")


def test_a_signers_file_that_anyone_may_change_is_no_trust_root(tmp_path: Path) -> None:
    signers = tmp_path / "signers"
    signers.write_text(f"ann {make_key(tmp_path / 'k').public}\n")
    entries, digest = read_signers(signers)
    assert trust_roots(signers, tmp_path / "revoked_keys") == TrustRoots(entries, frozenset(), digest)
    signers.chmod(0o666)
    with pytest.raises(InputRejected, match="o-w"):
        read_signers(signers)
    signers.unlink()
    with pytest.raises(InputRejected, match="signers file .* does not exist"):
        read_signers(signers)


def test_a_file_of_keys_that_cannot_be_read_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "signers").mkdir()
    with pytest.raises(HeadgateError, match="cannot be read"):
        read_signers(tmp_path / "signers")
    (tmp_path / "text").write_bytes(b"\xff\xfe")
    with pytest.raises(InputRejected, match="not text"):
        read_signers(tmp_path / "text")
