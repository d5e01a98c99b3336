from __future__ import annotations

import pytest

from tests.unit.console.conftest import Client, House


@pytest.mark.parametrize(
    ("person", "said"),
    [
        ("anna", ["Sign candidates", "Fill the role data-protection"]),
        ("steward", ["Run releases"]),
        ("operator", ["Let people in"]),
        ("auditor", []),
    ],
)
def test_the_account_says_what_somebody_may_do(client: Client, person: str, said: list[str]) -> None:
    client.sign_in(person)
    shown = client.see("/account").text
    every = ("Sign candidates", "Fill the role data-protection", "Run releases", "Let people in")
    expected = {"steward": {"Sign candidates", "Run releases"}}.get(person, set(said))
    assert {sentence for sentence in every if sentence in shown} == expected


def test_another_password_ends_every_other_session(client: Client, house: House) -> None:
    other = house.console.sessions.begin("bert")
    client.sign_in("bert")
    form = {"password": "the long password of bert", "new": "quite another password", "again": "quite another password"}
    answer = client.post("/account/password", data=form)
    assert (answer.status_code, answer.headers["location"]) == (303, "/account")
    assert house.console.sessions.principal(other) is None
    assert "In 1 browser" in client.see("/account").text
    assert house.console.accounts.check("bert", "quite another password")
    house.console.accounts.set_password("bert", "the long password of bert")


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"password": "wrong", "new": "another long password", "again": "another long password"}, "present password is wrong"),
        ({"password": "the long password of bert", "new": "another long password", "again": "other"}, "two passwords differ"),
        ({"password": "the long password of bert", "new": "short", "again": "short"}, "12 to 256 characters"),
        ({"password": "the long password of bert", "new": "bert and bert and", "again": "bert and bert and"}, "too easy to guess"),
    ],
)
def test_a_password_is_not_changed_where_something_is_wrong(client: Client, house: House, form: dict[str, str], said: str) -> None:
    client.sign_in("bert")
    answer = client.post("/account/password", data=form)
    assert answer.status_code == 400
    assert said in answer.text
    assert house.console.accounts.check("bert", "the long password of bert")


def test_one_button_signs_out_everywhere(client: Client, house: House) -> None:
    other = house.console.sessions.begin("anna")
    client.sign_in("anna")
    assert client.post("/sign-out", data={"everywhere": "true"}).status_code == 303
    assert house.console.sessions.principal(other) is None
