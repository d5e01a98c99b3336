from __future__ import annotations

import re

import pytest

from policies.ledger.states import State
from tasks.signing.sshsig import sign_bytes
from tests.unit.console.conftest import ORIGIN, Client, House, make_house
from tests.unit.tasks.signing.test_passkeys import Browser, base64url
from tests.unit.tasks.world import Made

REASON = "read <b>the report</b>"


@pytest.fixture
def own_house(tmp_path_factory: pytest.TempPathFactory, made: Made) -> House:
    """One in which decisions may be made."""
    return make_house(tmp_path_factory.mktemp("own"), made)


@pytest.fixture
def browser(own_house: House) -> Client:
    return Client(own_house)


def state(house: House, name: str) -> State:
    return house.console.history().find(house.candidates[name].id).state


def put(client: Client, candidate: str, action: str, reason: str = REASON) -> str:
    """The page of the statement that is to be signed."""
    answer = client.post(f"/candidates/{candidate}/decide", data={"action": action, "reason": reason})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def hand_in(client: Client, place: str, signature: bytes) -> int:
    return client.post(f"{place}/signature", files={"signature": ("x.sig", signature)}).status_code


def test_an_approver_signs_with_a_key_elsewhere_what_the_page_shows(browser: Client, own_house: House) -> None:
    candidate = own_house.candidates["half"].id
    browser.sign_in("bert")
    assert "Approve…" in browser.see(f"/candidates/{candidate}/decide").text
    place = put(browser, candidate, "approve")
    shown = browser.see(place).text
    assert "bert approves this candidate" in shown
    assert "read &lt;b&gt;the report&lt;/b&gt;" in shown
    assert candidate in shown
    assert "ssh-keygen -Y sign" in shown
    message = browser.see(f"{place}/bytes").content
    assert hand_in(browser, place, sign_bytes(message, own_house.keys["anna"])) == 400
    assert state(own_house, "half") is State.AWAITING_APPROVAL
    assert hand_in(browser, place, sign_bytes(message, own_house.keys["bert"])) == 303
    assert state(own_house, "half") is State.APPROVED
    assert hand_in(browser, place, sign_bytes(message, own_house.keys["bert"])) == 400
    assert "already made this decision" in browser.see(f"/candidates/{candidate}/decide").text


@pytest.mark.parametrize(("action", "after"), [("reject", State.REJECTED), ("request-changes", State.CHANGES_REQUESTED)])
def test_rejecting_and_requesting_changes_end_a_candidate(browser: Client, own_house: House, action: str, after: State) -> None:
    candidate = own_house.candidates["awaiting"].id
    browser.sign_in("anna")
    place = put(browser, candidate, action)
    assert hand_in(browser, place, sign_bytes(browser.see(f"{place}/bytes").content, own_house.keys["anna"])) == 303
    assert state(own_house, "awaiting") is after


def test_a_passkey_signs_what_the_operator_has_listed_and_nothing_else(browser: Client, own_house: House) -> None:
    passkey = Browser("release.example", ORIGIN)
    browser.sign_in("anna")
    asked = re.search(r'data-challenge="([^"]+)"', browser.see("/passkeys").text)
    assert asked is not None
    import base64

    challenge = base64.urlsafe_b64decode(asked[1] + "=" * (-len(asked[1]) % 4))
    before = own_house.home.signers.read_bytes()
    assert browser.post("/passkeys", data={"answer": passkey.register(challenge)}).status_code == 303
    assert browser.post("/passkeys", data={"answer": passkey.register(challenge)}).status_code == 400  # a challenge counts once
    assert own_house.home.signers.read_bytes() == before
    page = browser.see("/passkeys").text
    line = re.search(r"anna namespaces=&#34;headgate&#34; (sk-ecdsa\S+ \S+)</code>", page)
    assert line is not None
    assert "does not count yet" in page
    own_house.world.write_signers(*before.decode().splitlines(), f'anna namespaces="headgate" {line[1]}')
    assert "counts" in browser.see("/passkeys").text
    old = own_house.candidates["awaiting"].id
    assert "None of your passkeys counts for this candidate" in browser.see(put(browser, old, "approve")).text
    candidate = own_house.world.seal("steward", source_hmac="f" * 64).id
    place = put(browser, candidate, "approve")
    message = browser.see(f"{place}/bytes").content
    for wrong in (passkey.sign(message + b"!"), passkey.sign(message, "webauthn.create"), Browser("release.example", ORIGIN).sign(message)):
        assert sign(browser, place, wrong) == 400
    passkey.origin = "https://sub.release.example"
    assert sign(browser, place, passkey.sign(message)) == 400
    passkey.origin = ORIGIN
    for flags in (1, 4):
        passkey.flags = flags
        assert sign(browser, place, passkey.sign(message)) == 400
    passkey.flags = 5
    assert own_house.console.history().find(candidate).approvals == ()
    assert sign(browser, place, passkey.sign(message)) == 303
    (approval,) = own_house.console.history().find(candidate).approvals
    assert approval.signer.principal == "anna"


def sign(client: Client, place: str, answer: tuple[str, str, str]) -> int:
    fields = dict(zip(("client", "authenticator", "proof"), answer, strict=True))
    return client.post(f"{place}/passkey", data={**fields, "credential": base64url(b"name")}).status_code


def test_what_is_refused_is_said_with_every_reason_and_no_button(client: Client, house: House) -> None:
    for person, reason in (("steward", "cannot decide on it"), ("auditor", "not on the list of signers when the candidate was sealed")):
        client.sign_in(person)
        page = client.see(f"/candidates/{house.candidates['awaiting'].id}/decide").text
        assert reason in page
        assert "<textarea" not in page
        answer = client.post(f"/candidates/{house.candidates['awaiting'].id}/decide", data={"action": "approve", "reason": "x"})
        assert answer.status_code == 403
    client.sign_in("bert")
    page = client.see(f"/candidates/{house.candidates['rejected'].id}/decide").text
    assert "a decision is not possible any more" in page
    assert "<textarea" not in page


def test_a_reason_is_needed(client: Client, house: House) -> None:
    client.sign_in("bert")
    for reason in ("", "   ", "x" * 2001):
        answer = client.post(f"/candidates/{house.candidates['awaiting'].id}/decide", data={"action": "approve", "reason": reason})
        assert (answer.status_code, "A reason of at most" in answer.text) == (400, True)
    answer = client.post(f"/candidates/{house.candidates['awaiting'].id}/decide", data={"action": "withdraw", "reason": "x"})
    assert answer.status_code == 404


def test_nobody_sees_or_signs_what_was_put_to_somebody_else(client: Client, house: House) -> None:
    client.sign_in("bert")
    place = put(client, house.candidates["awaiting"].id, "approve", "a private reason")
    message = client.see(f"{place}/bytes").content
    for person in ("anna", "operator", "auditor", "steward"):
        client.sign_in(person)
        assert client.get(place).status_code == client.get(f"{place}/bytes").status_code == 404
        assert hand_in(client, place, sign_bytes(message, house.keys["bert"])) == 404
    client.sign_in("bert")
    other = house.candidates["half"].id
    assert client.get(f"/candidates/{other}/statements/{place.rpartition('/')[2]}").status_code == 404
    assert client.get(f"/candidates/{house.candidates['awaiting'].id}/statements/{'0' * 64}").status_code == 404


def test_a_signature_over_another_statement_than_the_one_shown_is_refused(browser: Client, own_house: House) -> None:
    candidate = own_house.candidates["awaiting"].id
    browser.sign_in("bert")
    rejects, approves = put(browser, candidate, "reject"), put(browser, candidate, "approve")
    signature = sign_bytes(browser.see(f"{rejects}/bytes").content, own_house.keys["bert"])
    assert hand_in(browser, approves, signature) == 400
    assert state(own_house, "awaiting") is State.AWAITING_APPROVAL
    otherwise = put(browser, candidate, "approve", "another reason")
    signature = sign_bytes(browser.see(f"{otherwise}/bytes").content, own_house.keys["bert"])
    assert hand_in(browser, approves, signature) == 400
    assert own_house.console.history().find(candidate).approvals == ()
    for junk in (b"", b"x" * 70_000, b"-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n"):
        assert hand_in(browser, approves, junk) == 400


def test_a_blind_vote_stays_blind(browser: Client, own_house: House) -> None:
    candidate = own_house.world.seal("steward", blind=True, source_hmac="e" * 64).id
    from tasks.approval.decisions import approve

    approve(own_house.home, own_house.ledger, candidate, own_house.keys["anna"], "a reason of anna")
    for person in ("bert", "steward", "operator", "auditor"):
        browser.sign_in(person)
        page = browser.see(f"/candidates/{candidate}/decide").text
        assert "anna" not in page
        assert "Votes are blind" in page
    browser.sign_in("anna")
    assert "You approved it" in browser.see(f"/candidates/{candidate}/decide").text


def test_to_ask_for_a_statement_is_no_second_event_right_before_a_blind_vote(browser: Client, own_house: House) -> None:
    """It would tell whose vote the next event is."""
    candidate = own_house.candidates["awaiting"].id
    browser.sign_in("anna")
    browser.see(f"/candidates/{candidate}")
    last = own_house.ledger.last()
    put(browser, candidate, "approve")
    assert own_house.ledger.last() == last
    browser.sign_in("bert")
    put(browser, candidate, "approve")
    assert own_house.ledger.last() != last, "who asks for it without having looked has looked"
