from __future__ import annotations

import base64
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from securesystemslib.dsse import Envelope

from headgate.core.errors import IntegrityBroken
from tasks.signing.keys import PrivateKey, make_key
from tasks.signing.signatures import APPROVAL, CANDIDATE, sign_payload, sign_statement, statement, verify_envelope
from tasks.signing.sshsig import sign_bytes, verify_bytes

needs_ssh_keygen = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> PrivateKey:
    return make_key(tmp_path_factory.mktemp("keys") / "k")


@pytest.fixture
def said() -> object:
    return statement({"manifest.json": "ab" * 32}, APPROVAL, {"action": "approve"})


def test_a_signed_statement_verifies_and_names_its_key(key: PrivateKey, said) -> None:
    signed = verify_envelope(sign_statement(said, key), "x", APPROVAL)
    assert signed.statement == said
    assert (signed.fingerprint, signed.key.line) == (key.fingerprint, key.public)


def test_the_statement_has_the_names_of_in_toto(key: PrivateKey, said) -> None:
    payload = json.loads(base64.b64decode(json.loads(sign_statement(said, key))["payload"]))
    assert payload["_type"] == "https://in-toto.io/Statement/v1"
    assert set(payload) == {"_type", "subject", "predicateType", "predicate"}
    assert payload["subject"] == [{"name": "manifest.json", "digest": {"sha256": "ab" * 32}}]


def test_the_stored_bytes_are_verified_not_a_new_writing_of_them(key: PrivateKey) -> None:
    payload = (
        b'{ "predicate": {"b": 1, "a": 2.50},\n "predicateType": "urn:headgate:approval:1", "_type": "https://in-toto.io/Statement/v1", '
        + (b'"subject": [{"name": "x", "digest": {"sha256": "' + b"0" * 64 + b'"}}]}')
    )
    assert verify_envelope(sign_payload(payload, key), "x", APPROVAL).statement.predicate == {"b": 1, "a": 2.5}


@settings(max_examples=60, deadline=None)
@given(place=st.integers(min_value=0), flip=st.integers(min_value=1, max_value=255))
def test_no_byte_of_payload_or_signature_can_change(key: PrivateKey, place: int, flip: int) -> None:
    stored = json.loads(sign_statement(statement({"m": "0" * 64}, APPROVAL, {"reason": "read it"}), key))
    parts = [base64.b64decode(stored["payload"]), base64.b64decode(stored["signatures"][0]["sig"])]
    body = b"".join(line for line in parts[1].splitlines()[1:-1])
    raw = bytearray(parts[0] + base64.b64decode(body))
    raw[place % len(raw)] ^= flip
    stored["payload"] = base64.b64encode(bytes(raw[: len(parts[0])])).decode()
    armored = b"-----BEGIN SSH SIGNATURE-----\n" + base64.b64encode(bytes(raw[len(parts[0]) :])) + b"\n-----END SSH SIGNATURE-----\n"
    stored["signatures"][0]["sig"] = base64.b64encode(armored).decode()
    with pytest.raises(IntegrityBroken):
        verify_envelope(json.dumps(stored).encode(), "x", APPROVAL)


def test_a_statement_of_another_kind_is_refused(key: PrivateKey, said) -> None:
    with pytest.raises(IntegrityBroken, match="another kind"):
        verify_envelope(sign_statement(said, key), "x", CANDIDATE)


def test_a_signature_for_another_purpose_is_refused(key: PrivateKey) -> None:
    with pytest.raises(IntegrityBroken, match="does not hold"):
        verify_bytes(b"text", sign_bytes(b"text", key, namespace="git"), "x")


def test_two_signatures_none_and_a_foreign_key_id_are_refused(key: PrivateKey, said, tmp_path: Path) -> None:
    other = json.loads(sign_statement(said, make_key(tmp_path / "o")))
    stored = json.loads(sign_statement(said, key))
    for signatures in ([], stored["signatures"] + other["signatures"], stored["signatures"] * 2):
        with pytest.raises(IntegrityBroken):
            verify_envelope(spelt({**stored, "signatures": signatures}), "x", APPROVAL)
    stored["signatures"][0]["keyid"] = other["signatures"][0]["keyid"]
    with pytest.raises(IntegrityBroken, match="another key"):
        verify_envelope(spelt(stored), "x", APPROVAL)


def spelt(envelope: dict[str, Any]) -> bytes:
    return json.dumps(envelope, indent=1).encode() + b"\n"


PLACES = ("beside the payload", "beside the signature", "layout", "slack of the payload", "armor")
BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


@pytest.mark.parametrize("place", PLACES)
def test_whatever_nobody_signed_is_refused_in_an_envelope(key: PrivateKey, said: Any, place: str) -> None:
    """No hash covers the attestation of a published version: anything could be written into it, and bits turned."""
    stored = sign_statement(said, key)
    envelope = json.loads(stored)
    only = envelope["signatures"][0]
    if place == "beside the payload":
        envelope["note"] = "written by a third party"
    elif place == "beside the signature":
        only["comment"] = "x"
    elif place == "armor":
        only["sig"] = base64.b64encode(base64.b64decode(only["sig"]).replace(b"\n", b"\r\n")).decode()
    elif place.startswith("slack"):
        text = b'{"padding": 123}'
        stored = sign_payload(text, key)
        envelope = json.loads(stored)
        letters = envelope["payload"].rstrip("=")
        envelope["payload"] = letters[:-1] + BASE64[BASE64.index(letters[-1]) ^ 1] + "=="
        assert base64.b64decode(envelope["payload"]) == text
    content = json.dumps(envelope).encode() if place == "layout" else spelt(envelope)
    assert spelt(json.loads(stored)) == stored
    with pytest.raises(IntegrityBroken, match="not a signed statement"):
        verify_envelope(content, "x", APPROVAL)


@pytest.mark.parametrize(
    "content", [b"", b"null", b"[]", b"{}", b'{"payload": 1}', b"\xff", b'{"payload": "", "payload": ""}', b"[" * 100_000]
)
def test_what_is_no_envelope_is_refused(content: bytes) -> None:
    with pytest.raises(IntegrityBroken):
        verify_envelope(content, "x", APPROVAL)


@pytest.mark.parametrize("payload", [b"{}", b"1", b"not json", b'{"a": 1, "a": 2}'])
def test_a_signature_over_something_else_is_no_statement(key: PrivateKey, payload: bytes) -> None:
    with pytest.raises(IntegrityBroken, match="not a signed statement"):
        verify_envelope(sign_payload(payload, key), "x", APPROVAL)


@needs_ssh_keygen
def test_ssh_keygen_verifies_what_was_signed_here(key: PrivateKey, said, tmp_path: Path) -> None:
    stored = sign_statement(said, key)
    (tmp_path / "x.sig").write_bytes(base64.b64decode(json.loads(stored)["signatures"][0]["sig"]))
    (tmp_path / "signers").write_text(f'ann namespaces="headgate" {key.public}\n')
    pae = Envelope.from_dict(json.loads(stored)).pae()
    command = ["ssh-keygen", "-Y", "verify", "-f", str(tmp_path / "signers"), "-I", "ann", "-n", "headgate", "-s", str(tmp_path / "x.sig")]
    assert subprocess.run(command, input=pae, capture_output=True, check=False).returncode == 0
    assert subprocess.run(command, input=pae + b" ", capture_output=True, check=False).returncode != 0
