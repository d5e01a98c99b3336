"""What somebody would try who means no good, over the pages as they are."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest

from console.access.allowance import PER_HOUR
from console.access.sign_in_attempts import Attempts
from console.pages.frame import COOKIE, Console
from tests.unit.console.conftest import HOSTILE, STATES, Client, House
from tests.unit.console.route_rules import RULES, filled

RIGHT = {"name": "anna", "password": "the long password of anna"}
EVENT_HANDLER = re.compile(r"<[^>]*\s(on\w+|style)\s*=", re.IGNORECASE)
ELSEWHERE = re.compile(r"(<link[^>]*\shref|\s(src|srcset|action|formaction|data|poster))=\"(?!/[^/])", re.IGNORECASE)
SCRIPT = re.compile(r"<script(?![^>]*\ssrc=\"/static/)", re.IGNORECASE)


@pytest.mark.parametrize("language", ["en", "de"])
def test_no_page_has_what_somebody_wrote_as_markup_nor_style_nor_script_of_its_own(client: Client, house: House, language: str) -> None:
    client.headers["Accept-Language"] = language
    escaped = 0
    for person in ("operator", "anna"):
        client.sign_in(person)
        client.post("/datasets/people/comments", data={"text": HOSTILE})
        for route, rule in RULES.items():
            method, _, path = route.partition(" ")
            for state in STATES if "{candidate}" in path else ["awaiting"]:
                answer = client.request(method, filled(house, rule, path, state)) if method == "GET" else None
                if answer is None or not answer.headers.get("content-type", "").startswith("text/html"):
                    continue
                assert HOSTILE not in answer.text, route
                assert not SCRIPT.search(answer.text), route
                assert not EVENT_HANDLER.search(answer.text), route
                assert not ELSEWHERE.search(answer.text), route
                escaped += "&lt;script&gt;" in answer.text
    assert escaped > 10


@pytest.mark.parametrize(
    "wanted",
    ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "/candidates/../people", "/sign-out"],
)
def test_signing_in_leads_to_pages_of_the_console_alone(client: Client, wanted: str) -> None:
    assert "evil" not in client.get("/sign-in", params={"then": wanted}).text
    answer = client.post("/sign-in", data={**RIGHT, "then": wanted})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")


def test_signing_in_leads_to_the_page_that_was_wanted(client: Client, house: House) -> None:
    wanted = f"/candidates/{house.candidates['half'].id}"
    assert client.post("/sign-in", data={**RIGHT, "then": wanted}).headers["location"] == wanted


def test_a_session_that_was_fixed_in_advance_is_nobodys(client: Client, house: House) -> None:
    """A token that the attacker made up, or that was theirs, does not become the victim's."""
    client.sign_in("auditor")
    planted = str(client.cookies.get(COOKIE))
    answer = client.post("/sign-in", data=RIGHT)
    assert answer.status_code == 303
    fresh = re.search(rf"{COOKIE}=([^;]+)", answer.headers["set-cookie"])
    assert fresh is not None
    assert fresh[1] != planted
    console: Console = house.console
    assert console.sessions.principal(fresh[1]) == "anna"
    assert console.sessions.principal(planted) is None


def test_the_cookie_is_kept_from_scripts_from_other_sites_and_from_plain_http(client: Client) -> None:
    said = client.post("/sign-in", data=RIGHT).headers["set-cookie"]
    assert {"Secure", "HttpOnly", "SameSite=strict", "Path=/"} <= set(said.split("; "))
    assert said.startswith("__Host-")
    assert "Domain" not in said


def test_guessing_is_stopped_and_the_right_guess_then_looks_like_the_wrong_one(client: Client, house: House) -> None:
    attempts: Attempts = house.console.attempts
    wrong = {**RIGHT, "password": "the long password of bert"}
    answers = [client.post("/sign-in", data=wrong) for _ in range(attempts.per_account)]
    stopped = client.post("/sign-in", data=RIGHT)
    assert stopped.status_code == 403
    assert {answer.text for answer in answers} == {stopped.text}
    assert COOKIE not in client.cookies


def test_guessing_a_present_password_is_stopped_too(client: Client, house: House) -> None:
    client.sign_in("anna")
    form = {"password": "wrong", "new": "another long password", "again": "another long password"}
    for _ in range(house.console.attempts.per_account):
        assert client.post("/account/password", data=form).status_code == 400
    assert client.post("/account/password", data={**form, "password": RIGHT["password"]}).status_code == 400


@pytest.mark.parametrize(
    "path",
    [
        "/static/../../operator.yaml",
        "/static/..%2f..%2foperator.yaml",
        "/static/0/..%2f..%2f..%2foperator.yaml",
        "/candidates/..%2f..%2foperator.yaml",
        "/datasets/..%2f..%2foperator.yaml",
        "//etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/join/..%2foperator.yaml",
    ],
)
def test_no_path_leads_out(client: Client, path: str) -> None:
    client.sign_in("operator")
    answer = client.get(path)
    assert answer.status_code in (303, 400, 404)
    assert "runners" not in answer.text


def test_nothing_is_embedded_in_a_frame_and_nothing_is_kept(client: Client) -> None:
    client.sign_in("anna")
    answer = client.see("/")
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["cache-control"] == "no-store"


def test_no_page_tells_where_the_home_lies(client: Client, house: House) -> None:
    client.sign_in("anna")
    for route, rule in RULES.items():
        method, _, path = route.partition(" ")
        if method == "GET":
            assert str(house.home.root) not in client.get(filled(house, rule, path, "half")).text, route


def test_a_link_that_lets_somebody_in_is_nowhere_but_on_the_page_that_made_it(client: Client, house: House) -> None:
    client.sign_in("operator")
    answer = client.post("/people", data={"name": "zelda"})
    link = re.search(r"<pre>(https://release.example/join/[\w-]+)</pre>", answer.text)
    assert link is not None
    assert link[1] not in client.see("/people").text
    client.cookies.clear()
    assert client.get(urlsplit(link[1]).path).status_code == 200


def test_what_does_not_work_tells_nobody_where_the_home_lies(client: Client, house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages are those of commands, which name files whole; some are shown before anybody has signed in."""

    def unusable(*_: object) -> str:
        raise house.console.accounts.store.unusable()

    monkeypatch.setattr("console.access.accounts.Accounts.check", unusable)
    answer = client.post("/sign-in", data=RIGHT)
    assert answer.status_code == 503
    assert "console.db cannot be used" in answer.text
    assert str(house.home.root) not in answer.text


@pytest.mark.parametrize(
    ("person", "method", "path", "form", "first"),
    [
        ("anna", "POST", "/candidates/{awaiting}/decide", {"action": "approve", "reason": "read it"}, 303),
        ("anna", "POST", "/datasets/people/comments", {"text": "a word"}, 303),
        ("auditor", "POST", "/audit/chain", {}, 303),
        ("auditor", "GET", "/audit/export?kind=rejected", {}, 200),
        ("operator", "POST", "/people", {"name": "hugo"}, 200),
        ("operator", "POST", "/people/close", {"name": "hugo"}, 303),
        ("auditor", "HEAD FILE", "/audit/chain/heads", {}, 400),
    ],
)
def test_nobody_who_has_signed_in_fills_the_home_or_takes_all_of_its_time(
    client: Client, house: House, monkeypatch: pytest.MonkeyPatch, person: str, method: str, path: str, form: dict[str, str], first: int
) -> None:
    monkeypatch.setattr(house.console.allowance, "per_hour", dict.fromkeys(PER_HOUR, 1))
    client.sign_in(person)
    where = path.format(awaiting=house.candidates["awaiting"].id)
    sent = {"files": {"head": ("x", b"{}")}} if method == "HEAD FILE" else {"data": form} if form else {}
    answers = [client.request("GET" if method == "GET" else "POST", where, **sent) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [first, 429]
    assert "You have done this once within an hour" in answers[1].text
    assert "Go on after" in answers[1].text
    assert 0 < int(answers[1].headers["Retry-After"]) <= 3600
    house.console.check.wait(60)
