from __future__ import annotations

import base64
import hashlib
import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cbor2
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

from headgate.core.errors import InputRejected, IntegrityBroken
from tasks.signing.passkeys import Registered, challenge_for, passkey_signature, registered_passkey
from tasks.signing.signers_file import signers_from_text
from tasks.signing.sshsig import passkey_origin, to_sign, verify_bytes
from tests.unit.tasks.signing.openssh import accepted_by_keygen, needs_ssh_keygen

SITE = "release.hospital.example"
ORIGIN = f"https://{SITE}"
MESSAGE, CHALLENGE = b"read and agreed", b"c" * 32


def base64url(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


@dataclass
class Browser:
    """What a browser and its authenticator answer. `flags`: 1 somebody is there, 4 they were asked who they are."""

    site: str = SITE
    origin: str = ORIGIN
    flags: int = 5
    algorithm: int = -7

    def __post_init__(self) -> None:
        self.private = ec.generate_private_key(ec.SECP256R1())

    def _client(self, kind: str, challenge: bytes) -> bytes:
        said = {"type": kind, "challenge": base64url(challenge), "origin": self.origin, "crossOrigin": False}
        return json.dumps(said, separators=(",", ":")).encode()

    def _about(self, flags: int) -> bytes:
        return hashlib.sha256(self.site.encode()).digest() + bytes([flags]) + struct.pack(">I", 7)

    def register(self, challenge: bytes = CHALLENGE) -> str:
        numbers = self.private.public_key().public_numbers()
        cose = {1: 2, 3: self.algorithm, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}
        data = self._about(self.flags | 0x40) + bytes(16) + struct.pack(">H", 4) + b"name" + cbor2.dumps(cose)
        made = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        response = {"clientDataJSON": base64url(self._client("webauthn.create", challenge)), "attestationObject": base64url(made)}
        return json.dumps({"id": base64url(b"name"), "rawId": base64url(b"name"), "type": "public-key", "response": response})

    def sign(self, message: bytes = MESSAGE, kind: str = "webauthn.get") -> tuple[str, str, str]:
        client, about = self._client(kind, to_sign(message)), self._about(self.flags)
        signature = self.private.sign(about + hashlib.sha256(client).digest(), ec.ECDSA(SHA256()))
        return base64url(client), base64url(about), base64url(signature)


def registered(browser: Browser, **changed: Any) -> Registered:
    given = {"challenge": CHALLENGE, "rp": SITE, "origins": [ORIGIN]} | changed
    return registered_passkey(browser.register(), **given)


@needs_ssh_keygen
def test_a_passkey_is_a_line_of_signers_whose_signatures_stock_ssh_keygen_verifies(tmp_path: Path) -> None:
    browser = Browser()
    made = registered(browser)
    assert made.credential == base64url(b"name")
    line = made.line_for("ann")
    (entry,) = signers_from_text(line + "\n")
    assert (entry.principal, entry.fingerprint, entry.key.application) == ("ann", made.key.fingerprint, SITE)
    signature = passkey_signature(made.key, *browser.sign())
    assert verify_bytes(MESSAGE, signature, "x").line == made.key.line
    assert passkey_origin(signature) == ORIGIN
    (tmp_path / "signers").write_text(line + "\n")
    (tmp_path / "x.sig").write_bytes(signature)
    assert accepted_by_keygen(tmp_path / "signers", tmp_path / "x.sig", MESSAGE)
    assert not accepted_by_keygen(tmp_path / "signers", tmp_path / "x.sig", MESSAGE + b"!")


def test_the_challenge_is_all_that_an_ssh_key_would_sign() -> None:
    text = challenge_for(MESSAGE)
    assert base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)) == to_sign(MESSAGE)


@pytest.mark.parametrize(
    ("browser", "changed"),
    [
        (Browser(flags=1), {}),
        (Browser(flags=4), {}),
        (Browser(algorithm=-35), {}),
        (Browser(origin="https://evil.example"), {}),
        (Browser(site="evil.example"), {}),
        (Browser(), {"challenge": b"another"}),
    ],
    ids=["nobody was asked", "nobody was there", "another algorithm", "another origin", "another site", "another challenge"],
)
def test_what_is_not_a_passkey_of_this_site_made_now_by_its_owner_is_not_registered(browser: Browser, changed: dict[str, Any]) -> None:
    with pytest.raises(InputRejected, match="not a passkey of this site"):
        registered(browser, **changed)


HALF = '{"id":"a","rawId":"a","type":"public-key","response":{}}'


@pytest.mark.parametrize("answer", ["", "{}", "[]", "null", '{"id": 1}', HALF, "x" * 20_000])
def test_a_browsers_answer_is_bad_input_when_it_is_not_one(answer: str) -> None:
    with pytest.raises(InputRejected):
        registered_passkey(answer, CHALLENGE, SITE, [ORIGIN])


@pytest.mark.parametrize("flags", [0, 1, 4])
def test_a_signature_without_the_person_and_without_asking_who_they_are_is_refused(flags: int) -> None:
    browser = Browser()
    key = registered(browser).key
    browser.flags = flags
    with pytest.raises(InputRejected, match="did not ask"):
        passkey_signature(key, *browser.sign())


def test_what_was_made_for_something_else_does_not_hold() -> None:
    browser = Browser()
    key = registered(browser).key
    browser.site = "evil.example"
    for answer in (browser.sign(), Browser().sign(), Browser().sign(kind="webauthn.create")):
        with pytest.raises(IntegrityBroken):
            verify_bytes(MESSAGE, passkey_signature(key, *answer), "x")


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("part", ["", "!", "AAAA", "e30", "x" * 20_000])
def test_a_damaged_answer_is_bad_input(place: int, part: str) -> None:
    browser = Browser()
    answer = list(browser.sign())
    answer[place] = part
    with pytest.raises(InputRejected):
        passkey_signature(registered(browser).key, *answer)
