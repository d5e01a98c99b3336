"""Whose key acts: the one that is named here, or the caller's at the other end."""

from __future__ import annotations

from pathlib import Path

import pytest

from headgate.core.errors import Defect, InputRejected, IntegrityBroken
from tasks.signing import given_key as given
from tasks.signing.given_key import CallersKey, callers_key, given_key, speak_for
from tasks.signing.keys import PrivateKey, make_key
from tasks.signing.signatures import APPROVAL, bytes_to_sign, sign_statement, statement, verify_envelope
from tasks.signing.sshsig import sign_bytes

SAID = statement({"manifest.json": "ab" * 32}, APPROVAL, {"says": "yes"})


@pytest.fixture(autouse=True)
def _nobody_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given, "_caller", None)


def called_by(key: PrivateKey, holder: PrivateKey, seen: list[bytes]) -> CallersKey:
    def ask(payload: bytes) -> bytes:
        seen.append(payload)
        return sign_bytes(bytes_to_sign(payload), holder)

    return callers_key(key.key, "ab" * 32, ask)


def test_the_key_that_is_named_is_taken_and_no_other(tmp_path: Path) -> None:
    made = make_key(tmp_path / "given")
    assert given_key(tmp_path / "given").fingerprint == made.fingerprint
    with pytest.raises(InputRejected, match="No key was given"):
        given_key(None)


def test_where_somebody_calls_no_path_is_read_as_a_key(tmp_path: Path) -> None:
    service, ann = make_key(tmp_path / "service"), make_key(tmp_path / "ann")
    speak_for(called_by(ann, ann, []))
    assert given_key(tmp_path / "service").fingerprint == ann.fingerprint != service.fingerprint


def test_a_caller_is_sent_what_they_sign_and_not_its_digest(tmp_path: Path) -> None:
    ann, seen = make_key(tmp_path / "ann"), list[bytes]()
    envelope = sign_statement(SAID, called_by(ann, ann, seen))
    assert verify_envelope(envelope, "it", APPROVAL).fingerprint == ann.fingerprint
    assert len(seen) == 1
    assert b'"predicate":{"says":"yes"}' in seen[0]


def test_a_signature_by_another_key_than_the_caller_named_is_refused(tmp_path: Path) -> None:
    ann, bob = make_key(tmp_path / "ann"), make_key(tmp_path / "bob")
    with pytest.raises(IntegrityBroken, match="another key"):
        sign_statement(SAID, called_by(ann, bob, []))


def test_what_is_no_signature_is_refused(tmp_path: Path) -> None:
    ann = make_key(tmp_path / "ann")
    with pytest.raises(IntegrityBroken, match="does not hold"):
        sign_statement(SAID, callers_key(ann.key, "", lambda payload: b"yes"))


def test_a_callers_key_signs_nothing_but_statements(tmp_path: Path) -> None:
    ann = make_key(tmp_path / "ann")
    with pytest.raises(Defect):
        sign_bytes(b"anything", called_by(ann, ann, []))
