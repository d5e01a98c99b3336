from __future__ import annotations

from tests.unit.console.conftest import Client


def test_what_the_console_takes_is_described_to_those_who_have_signed_in(client: Client) -> None:
    assert client.get("/openapi.json").status_code == 303
    client.sign_in("auditor")
    described = client.see("/openapi.json").json()
    assert "/candidates/{candidate}" in described["paths"]
