"""Where no provider is named. With one: tests/unit/console/access/test_provider.py."""

from __future__ import annotations

from tests.unit.console.conftest import Client


def test_without_a_provider_there_is_no_way_through_one(client: Client) -> None:
    assert client.get("/sign-in/provider").status_code == 404
    assert client.get("/sign-in/provider/back?state=x&code=y").status_code == 403
    assert "Sign in through" not in client.see("/sign-in").text
