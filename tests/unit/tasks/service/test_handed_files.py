"""Files come as bytes; no path of the caller's is opened by the service."""

from __future__ import annotations

import socket
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from headgate.core.errors import InputRejected, StoreUnavailable
from tasks.service.frames import FileEntry, Frames, Kind
from tasks.service.handed_files import receive_files
from tasks.signing.keys import PrivateKey
from tasks.signing.revocation import REVOKED
from tasks.signing.trust_roots import trust_roots


@pytest.mark.parametrize("name", ["/etc/passwd", "../x", "a/../../x", "", ".", "a\x00b", "a/" * 20 + "x"])
def test_a_file_with_a_name_that_leads_elsewhere_is_not_taken(handed: Any, name: str) -> None:
    with pytest.raises(InputRejected, match="does not lie below"):
        handed(("signature", name, b""))


def test_two_files_of_one_name_are_refused(handed: Any) -> None:
    with pytest.raises(StoreUnavailable, match=r"policy\.yaml could not be taken"):
        handed(("policy", "policy.yaml", b""), ("policy", "./policy.yaml", b""))


def test_more_than_the_operator_lets_be_read_is_not_even_taken(handed: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HEADGATE_MAX_BYTES", "5")
    with pytest.raises(InputRejected, match="more than 5 bytes"):
        handed(("source", "people.csv", b"123456"))
    assert not (tmp_path / "files").exists()


def test_nothing_but_the_files_follows_when_they_are_wanted(tmp_path: Path) -> None:
    one, other = socket.socketpair()
    with one, other:
        Frames(other).send(Kind.SIGNED, b"")
        entry = FileEntry(role="signature", name="it.sig", size=6, sha256=sha256(b"people").hexdigest())
        with pytest.raises(InputRejected, match="did not follow"):
            receive_files(Frames(one), [entry], tmp_path)


def test_a_list_of_signers_is_a_file_of_its_own_since_no_link_to_one_is_believed(handed: Any) -> None:
    (path,) = handed(("signers", "signers", b"ann ssh-ed25519 AAAA\n"))["signers"]
    assert not path.is_symlink()
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"ann ssh-ed25519 AAAA\n", 0o600)


def test_a_list_of_signers_and_the_revoked_keys_are_read_together(handed: Any, keys: dict[str, PrivateKey]) -> None:
    ann = keys["ann"]
    sent = ("signers", "signers", f"ann {ann.public}\n".encode()), ("signers", "revoked_keys", f"{ann.public}\n".encode())
    signers, revoked = handed(*sent)["signers"]
    assert signers.with_name(REVOKED) == revoked
    assert trust_roots(signers, revoked).revokes(ann.key)


def test_a_file_that_was_exchanged_on_its_way_is_not_taken(tmp_path: Path) -> None:
    """Somebody between a caller and the service could have run a release of other data in the caller's name."""
    one, other = socket.socketpair()
    with one, other:
        Frames(other).send(Kind.FILES, b"", b"people")
        entry = FileEntry(role="signature", name="it.sig", size=6, sha256=sha256(b"PEOPLE").hexdigest())
        with pytest.raises(InputRejected, match="not the file that was meant to be sent"):
            receive_files(Frames(one), [entry], tmp_path)
