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
