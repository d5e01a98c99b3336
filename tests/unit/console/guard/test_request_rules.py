from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator

import pytest
from starlette.types import Message, Receive

from console.guard.request_rules import HEADERS
from console.pages import releases_page
from tests.unit.console.conftest import ORIGIN, Client, House

SIGN_IN = {"name": "anna", "password": "the long password of bert"}


@pytest.mark.parametrize("host", ["evil.example", "release.example.evil.example", "release.example:8443", "127.0.0.1", ""])
def test_no_other_host_is_answered(client: Client, host: str) -> None:
    answer = client.get("/sign-in", headers={"Host": host})
    assert answer.status_code == 421
    assert host not in answer.text or not host


@pytest.mark.parametrize(
    ("site", "origin", "status"),
    [
        ("same-origin", ORIGIN, 403),  # the wrong password
        ("same-origin", None, 403),
        (None, ORIGIN, 403),
        ("cross-site", ORIGIN, 0),
        ("same-site", ORIGIN, 0),
        ("none", None, 0),
        ("same-origin", "https://evil.example", 0),
        (None, "https://evil.example", 0),
        (None, "null", 0),
        (None, None, 0),
    ],
)
def test_a_form_comes_from_a_page_of_the_console_or_is_refused(client: Client, site: str | None, origin: str | None, status: int) -> None:
    given = {name: value for name, value in (("Sec-Fetch-Site", site), ("Origin", origin)) if value is not None}
    client.headers.pop("Sec-Fetch-Site")
    client.headers.pop("Origin")
    answer = client.post("/sign-in", data=SIGN_IN, headers=given)
    assert answer.status_code == 403
    assert ("Name or password is wrong" in answer.text) == bool(status)


@pytest.mark.parametrize("dest", ["image", "script", "iframe", "empty"])
def test_no_other_site_loads_a_page_as_a_part_of_its_own(client: Client, dest: str) -> None:
    client.sign_in("anna")
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate" if dest == "iframe" else "no-cors", "Sec-Fetch-Dest": dest}
    assert client.get("/", headers=headers).status_code == 403


def test_a_link_from_elsewhere_leads_on_to_the_page_that_it_names(client: Client, house: House) -> None:
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    path = f"/candidates/{house.candidates['awaiting'].id}"
    answer = client.get(path, headers=headers)
    assert f'content="0; url={path}"' in answer.text
    assert client.get(path).headers["location"] == f"/sign-in?then={path}"


@pytest.mark.parametrize("size", [256 * 1024 + 1, 10**12])
def test_a_body_that_says_it_is_too_large_is_not_read(client: Client, size: int) -> None:
    answer = client.post("/sign-in", content=b"", headers={"Content-Length": str(size)})
    assert answer.status_code == 413


@pytest.mark.parametrize("length", ["-1", "1e9", "٣", "1, 1"])
def test_a_length_that_is_none_is_refused(client: Client, length: str) -> None:
    assert client.post("/sign-in", content=b"", headers={"Content-Length": length.encode()}).status_code == 413


def test_a_body_that_goes_on_is_cut_off(client: Client) -> None:
    def endless() -> Iterator[bytes]:
        yield b"name="
        for _ in range(40):
            yield b"x" * 10_000

    answer = client.post("/sign-in", content=endless(), headers={"Content-Type": "application/x-www-form-urlencoded"})
    assert answer.status_code in (400, 413, 500)
    assert "xxxx" not in answer.text


def test_every_answer_has_the_headers_the_refusals_too(client: Client) -> None:
    for answer in (client.get("/sign-in"), client.get("/none"), client.get("/"), client.get("/", headers={"Host": "evil.example"})):
        for name, value in HEADERS.items():
            assert answer.headers[name] == value
        assert answer.headers["strict-transport-security"]


def test_nothing_inline_and_nothing_from_elsewhere_is_allowed_by_the_policy() -> None:
    policy = dict(part.split(" ", 1) for part in HEADERS["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["frame-ancestors"] == "'none'"
    assert policy["base-uri"] == "'none'"
    assert {value for name, value in policy.items() if value != "'none'"} == {"'self'"}


def test_what_breaks_tells_its_place_to_the_operator_and_nothing_to_the_page(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ValueError("CANARY")

    monkeypatch.setattr(releases_page, "release_calendar", broken)
    client.sign_in("anna")
    with caplog.at_level(logging.DEBUG):
        answer = client.get("/")
    assert answer.status_code == 500
    assert "CANARY" not in answer.text + caplog.text
    assert "ValueError at" in caplog.text
    assert answer.headers["content-security-policy"]


def test_behind_a_proxy_only_it_may_ask_and_says_for_whom(house: House) -> None:
    from console.guard.request_rules import RequestRules

    seen: list[object] = []

    async def page(scope: dict[str, object], receive: object, send: object) -> None:
        seen.append(scope["client"])

    def ask(client: str, *forwarded: str) -> list[Message]:
        answered: list[Message] = []

        async def send(message: Message) -> None:
            answered.append(message)

        rules = RequestRules(page, ORIGIN, ("release.example",), 100, lambda request, problem: None, ("10.0.0.1",))  # type: ignore[arg-type, return-value]
        headers = [(b"host", b"release.example"), *((b"x-forwarded-for", each.encode()) for each in forwarded)]
        scope = {"type": "http", "method": "GET", "path": "/", "headers": headers, "client": (client, 5), "query_string": b""}
        asyncio.run(rules(scope, None, send))  # type: ignore[arg-type]
        return answered

    assert ask("10.0.0.2", "1.2.3.4")[0]["status"] == 421
    assert ask("10.0.0.1", "6.6.6.6, 1.2.3.4") == []
    assert ask("10.0.0.1", "6.6.6.6", "1.2.3.4") == [], "a proxy that adds a line of its own below the one that came"
    assert seen == [("1.2.3.4", 0), ("1.2.3.4", 0)]


def test_a_path_is_not_corrected_to_an_address_without_encryption(client: Client) -> None:
    """Behind a proxy the console itself is spoken to in plain HTTP, and would name that."""
    for path in ("/sign-in/", "/people/"):
        assert client.get(path).status_code == 404
        assert client.post(path, data=SIGN_IN).status_code == 404


def test_a_body_that_does_not_come_is_not_waited_for(house: House) -> None:
    from console.guard.request_rules import RequestRules

    ended: list[Exception] = []

    async def page(scope: dict[str, object], receive: Receive, send: object) -> None:
        await receive()

    async def never() -> Message:
        await asyncio.sleep(60)
        return {}

    async def nothing(scope: object, receive: object, send: object) -> None:
        pass

    def told(request: object, problem: Exception) -> object:
        ended.append(problem)
        return nothing

    rules = RequestRules(page, ORIGIN, ("release.example",), 100, told, longest_body=0.05)  # type: ignore[arg-type]
    headers = [(b"host", b"release.example"), (b"origin", ORIGIN.encode())]
    scope = {"type": "http", "method": "POST", "path": "/", "headers": headers, "client": ("127.0.0.1", 5), "query_string": b""}
    asyncio.run(rules(scope, never, nothing))  # type: ignore[arg-type]
    assert [type(problem) for problem in ended] == [TimeoutError]
