from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest

from console.access.accounts import COMMAND
from tests.unit.console.conftest import Client, House


def test_an_operator_lets_an_auditor_in_who_then_reads(client: Client, house: House) -> None:
    client.sign_in("operator")
    answer = client.post("/people", data={"name": "carla@audit.example"})
    link = re.search(r"<pre>(\S+/join/\S+)</pre>", answer.text)
    assert link is not None
    path = urlsplit(link[1]).path
    client.cookies.clear()
    assert "carla@audit.example" in client.see(path).text
    form = {"name": "carla@audit.example", "password": "a very long password", "again": "a very long password"}
    assert client.post(path, data={**form, "name": "operator"}).status_code == 400
    assert client.post(path, data={**form, "again": "another"}).status_code == 400
    assert client.post(path, data=form).headers["location"] == "/"
    assert "carla@audit.example" in client.see("/account").text
    assert client.get("/people").status_code == 403
    assert client.post(path, data=form).status_code == 404, "it counts once"
    house.console.accounts.close("carla@audit.example")


def test_whoever_has_an_account_gets_a_link_by_an_explicit_reset_alone_and_is_told_by_whom(client: Client, house: House) -> None:
    """Else an operator could become somebody else without anybody noticing."""
    accounts = house.console.accounts
    accounts.join(accounts.invite("gil", "test"), "gil", "a very long password")
    client.sign_in("operator")
    answer = client.post("/people", data={"name": "gil"})
    assert answer.status_code == 409
    assert "/join/" not in answer.text
    assert client.post("/people/reset", data={"name": "nobody-here"}).status_code == 409
    link = re.search(r"<pre>(\S+/join/\S+)</pre>", client.post("/people/reset", data={"name": "gil"}).text)
    assert link is not None
    event = house.ledger.events_of("home")[-1]
    assert (event.event, event.person, event.invited_by) == ("access_reset", "gil", "operator")
    client.cookies.clear()
    form = {"name": "gil", "password": "another long one", "again": "another long one"}
    assert client.post(urlsplit(link[1]).path, data=form).status_code == 303
    for path in ("/", "/account", "/audit"):
        assert "Your access was reset by operator on " in client.get(path).text
    seq = house.ledger.entries("home")[-2].seq
    assert client.post("/account/access", data={"seq": str(seq)}).status_code == 303
    assert "Your access was reset" not in client.see("/").text
    assert "Your access was reset by operator on " in client.see("/account").text, "it stays among what happened"
    assert "access to the console reset" in client.see(f"/audit/events/{seq}").text
    assert "access to the console reset" in client.see("/audit?who=operator&release=home").text
    house.console.admission.close("gil", "operator")


def test_who_may_not_let_people_in_resets_nobody(client: Client, house: House) -> None:
    client.sign_in("anna")
    for path in ("/people", "/people/reset", "/people/close"):
        assert client.post(path, data={"name": "bert"}).status_code == 403
    assert house.console.accounts.check("bert", "the long password of bert")


def test_a_closed_account_is_out_at_once(client: Client, house: House) -> None:
    house.console.accounts.join(house.console.accounts.invite("dora", "test"), "dora", "a very long password")
    token = house.console.sessions.begin("dora")
    client.sign_in("operator")
    assert client.post("/people/close", data={"name": "dora"}).status_code == 303
    assert house.console.sessions.principal(token) is None
    assert "dora" not in client.see("/people").text


@pytest.mark.parametrize("name", ["", "no name", "-x", "a\nb", "x" * 128, "é"])
def test_a_name_that_no_list_could_hold_is_refused(client: Client, name: str) -> None:
    client.sign_in("operator")
    assert client.post("/people", data={"name": name}).status_code == 400


def test_everybody_whom_the_lists_name_is_shown_with_what_they_may(client: Client) -> None:
    client.sign_in("operator")
    shown = re.sub(r"\s+", " ", client.see("/people").text)
    assert "data-protection" in shown
    for name in ("anna", "bert", "steward", "operator", "auditor"):
        assert f'<th scope="row">{name}</th>' in shown


def test_the_link_of_somebody_who_lets_nobody_in_any_more_counts_no_more(client: Client, house: House) -> None:
    """Else whoever was dismissed could become anybody with a link that they kept."""
    accounts = house.console.accounts
    for inviter, status in (("operator", 200), (COMMAND, 200), ("anna", 404), ("dismissed", 404)):
        link = f"/join/{accounts.invite('emil', inviter)}"
        assert client.get(link).status_code == status
        form = {"name": "emil", "password": "a very long pass", "again": "a different pass"}
        assert client.post(link, data=form).status_code == (400 if status == 200 else 404)
    accounts.close("emil")
