from __future__ import annotations

from tests.unit.console.conftest import Client


def test_whoever_has_not_signed_in_is_led_to_the_form(client: Client) -> None:
    answer = client.get("/")
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")


def test_the_right_password_leads_to_the_releases(client: Client) -> None:
    answer = client.post("/sign-in", data={"name": "anna", "password": "the long password of anna"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert "anna" in client.see("/").text


def test_a_wrong_password_and_an_unknown_name_are_answered_alike(client: Client) -> None:
    wrong = client.post("/sign-in", data={"name": "anna", "password": "the long password of bert"})
    unknown = client.post("/sign-in", data={"name": "nobody", "password": "the long password of bert"})
    assert wrong.status_code == unknown.status_code == 403
    assert wrong.text.replace("anna", "") == unknown.text.replace("nobody", "")


def test_signing_out_ends_the_session_on_the_server_too(client: Client) -> None:
    client.sign_in("anna")
    cookies = dict(client.cookies)
    assert client.post("/sign-out").status_code == 303
    client.cookies.update(cookies)
    assert client.get("/").status_code == 303
