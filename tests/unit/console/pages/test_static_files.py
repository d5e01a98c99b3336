from __future__ import annotations

from console.static_content import FILES, content_of, static_path
from tests.unit.console.conftest import Client


def test_files_are_given_under_their_digest_alone_and_may_be_kept(client: Client) -> None:
    for name in FILES:
        answer = client.see(static_path(name))
        assert answer.content == content_of(name)
        assert answer.headers["content-type"] == FILES[name][2]
        assert "immutable" in answer.headers["cache-control"]
    assert client.get("/static/0000000000000000/console.css").status_code == 404
    assert client.get(static_path("console.css").replace("console.css", "app.py")).status_code == 404


def test_pages_name_files_that_are_there(client: Client) -> None:
    shown = client.see("/sign-in").text
    for name in ("page.css", "console.css", "icon.svg"):
        assert f'"{static_path(name)}"' in shown
