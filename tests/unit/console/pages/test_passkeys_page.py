from __future__ import annotations

from tasks.approval.kept_passkeys import keep_passkey
from tasks.signing.passkeys import Registered
from tasks.signing.public_keys import key_of_blob
from tests.unit.console.conftest import Client, House
from tests.unit.tasks.signing.openssh import SecurityKey


def test_a_registered_passkey_is_listed_for_the_operator_alone(client: Client, house: House) -> None:
    key = key_of_blob(SecurityKey("sk-ecdsa-sha2-nistp256@openssh.com", "release.example").blob, "x")
    keep_passkey(house.home, "anna", Registered(key, "bmFtZQ"), house.ledger.seen_now())
    for person, seen in (("operator", True), ("anna", True), ("bert", False), ("auditor", False)):
        client.sign_in(person)
        assert (key.fingerprint in client.see("/passkeys").text) is seen
    client.sign_in("bert")
    assert client.post("/passkeys/forget", data={"fingerprint": key.fingerprint}).status_code == 303
    client.sign_in("anna")
    assert key.fingerprint in client.see("/passkeys").text


def test_a_passkey_that_nobody_asked_for_is_not_taken(client: Client) -> None:
    client.sign_in("bert")
    assert client.post("/passkeys", data={"answer": "{}"}).status_code == 400
    client.see("/passkeys")
    for answer in ("{}", "x" * 20_000):
        assert client.post("/passkeys", data={"answer": answer}).status_code == 400
