"""Signing in through a real provider, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta

import httpx
import pytest

from console.access.provider import Begun, NotVouchedFor, Provider, ProviderSettings
from console.app import create_app
from console.pages.frame import COOKIE, Console
from console.pages.provider_page import BACK, TRIP_COOKIE
from headgate.core.errors import StoreUnavailable
from tests.free_port import free_port
from tests.unit.console.access.oidc_provider import CLIENT, SECRET
from tests.unit.console.conftest import ORIGIN, Client, House


def test_whoever_starts_the_console_is_told_of_no_deprecated_package() -> None:
    """An installation has none of the packages that only tests need: there the library for sign-in warned whenever the console began."""
    code = "import sys; sys.modules['httpx2'] = None; import console.access.provider"
    begun = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert "Deprecat" not in begun.stderr


@dataclass(frozen=True)
class RealProvider:
    address: str

    def tell(self, path: str) -> None:
        assert httpx.get(f"{self.address}/{path}").status_code == 200

    def visit(self, address: str) -> str:
        """As a browser that is sent there; where it is sent then."""
        return httpx.get(address, follow_redirects=False).headers["location"]

    @property
    def settings(self) -> ProviderSettings:
        return ProviderSettings(self.address, CLIENT, SECRET, "the hospital")


@pytest.fixture(scope="module")
def process() -> Iterator[RealProvider]:
    port = free_port()
    command = [sys.executable, "-m", "tests.unit.console.access.oidc_provider", str(port)]
    provider = RealProvider(f"http://localhost:{port}")
    with subprocess.Popen(command, env={**os.environ, "AUTHLIB_INSECURE_TRANSPORT": "1"}, stderr=subprocess.DEVNULL) as running:
        for _ in range(200):
            try:
                provider.tell("keys")
                break
            except httpx.HTTPError:
                time.sleep(0.05)
        try:
            provider.tell(f"redirect/{ORIGIN}{BACK}")
            yield provider
        finally:
            running.terminate()


@pytest.fixture
def real(process: RealProvider) -> RealProvider:
    process.tell("become/subject-of-anna")
    process.tell("spoil/none/none")
    return process


@pytest.fixture
def browser(house: House, real: RealProvider) -> Iterator[Client]:
    """Of a console with this provider, over the same home."""
    app = create_app(replace(house.console.settings, provider=real.settings), house.ledger)
    with Client(replace(house, app=app)) as browser:
        yield browser


def there_and_back(browser: Client, real: RealProvider, path: str = "/sign-in/provider") -> httpx.Response:
    left = browser.get(path)
    assert left.status_code == 303
    assert left.headers["location"].startswith(f"{real.address}/authorize?")
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    return browser.get(real.visit(left.headers["location"]), headers=headers)


def invited(browser: Client, name: str) -> str:
    console: Console = browser.house.console
    return console.accounts.invite(name, "operator")


def test_somebody_who_was_invited_joins_through_the_provider_and_comes_again(browser: Client, real: RealProvider) -> None:
    real.tell("become/subject-of-zoe")
    answer = there_and_back(browser, real, f"/sign-in/provider?join={invited(browser, 'zoe')}&name=zoe")
    assert answer.status_code == 200
    assert 'http-equiv="refresh" content="0; url=/"' in answer.text
    assert "zoe" in browser.see("/account").text
    browser.cookies.clear()
    there_and_back(browser, real, "/sign-in/provider?then=/account")
    assert "zoe" in browser.see("/account").text


def test_the_cookie_of_the_way_is_for_the_way_back_alone(browser: Client, real: RealProvider) -> None:
    left = browser.get("/sign-in/provider")
    said = left.headers["set-cookie"]
    for part in ("Secure", "HttpOnly", "SameSite=lax", f"Path={BACK}", "Max-Age=600"):
        assert part in said
    asked = httpx.URL(left.headers["location"]).params
    assert (asked["code_challenge_method"], asked["scope"], asked["redirect_uri"]) == ("S256", "openid", ORIGIN + BACK)
    assert {"state", "nonce", "code_challenge"} <= set(asked)


def test_whom_nobody_here_knows_is_not_signed_in(browser: Client, real: RealProvider) -> None:
    real.tell("become/stranger")
    answer = there_and_back(browser, real)
    assert answer.status_code == 403
    assert COOKIE not in browser.cookies


def test_an_invitation_is_for_the_one_who_is_named_there(browser: Client, real: RealProvider) -> None:
    real.tell("become/somebody-else")
    token = invited(browser, "yves")
    assert there_and_back(browser, real, f"/sign-in/provider?join={token}&name=operator").status_code == 403
    assert browser.house.console.accounts.invitation(token) is not None


@pytest.mark.parametrize(
    "lie",
    ["iss/%22https://evil.example%22", "aud/%22another client%22", "nonce/%22another%22", "exp/1", "sub/7", "signature/1", "azp/%22x%22"],
)
def test_a_token_that_is_not_for_this_sign_in_does_not_count(browser: Client, real: RealProvider, lie: str) -> None:
    real.tell("become/subject-of-zoe")
    real.tell(f"spoil/{lie}")
    answer = there_and_back(browser, real)
    assert answer.status_code == 403
    assert "does not count" in answer.text
    assert COOKIE not in browser.cookies


def test_an_answer_counts_once_and_only_in_the_browser_that_left(browser: Client, real: RealProvider) -> None:
    real.tell("become/subject-of-zoe")
    left = browser.get("/sign-in/provider")
    back = real.visit(left.headers["location"])
    kept = browser.cookies.get(TRIP_COOKIE)
    browser.cookies.clear()
    assert browser.get(back).status_code == 403, "no cookie"
    browser.cookies.set(TRIP_COOKIE, str(kept)[:-1] + "x", domain="release.example", path=BACK)
    assert browser.get(back).status_code == 403, "changed cookie"
    for _ in range(2):
        browser.cookies.set(TRIP_COOKIE, str(kept), domain="release.example", path=BACK)
        answer = browser.get(back.replace("state=", "state=other"))
        assert answer.status_code == 403, "another state; and then used up"


def test_the_cookie_of_the_way_back_is_kept_from_plain_http_from_scripts_and_from_other_paths(browser: Client) -> None:
    """Over https nothing but the console itself, over https, sets a cookie of this name."""
    said = browser.get("/sign-in/provider").headers["set-cookie"]
    name, _, rest = said.partition("=")
    assert name == "__Secure-headgate-provider"
    told = {part.strip().lower() for part in rest.split(";")[1:]}
    assert told == {"httponly", "max-age=600", f"path={BACK}", "samesite=lax", "secure"}


def test_an_answer_after_ten_minutes_does_not_count(browser: Client, real: RealProvider) -> None:
    console: Console = browser.house.console
    left = browser.get("/sign-in/provider")
    present = console.trips.clock()
    console.trips.clock = lambda: present + timedelta(minutes=10, seconds=1)
    assert browser.get(real.visit(left.headers["location"])).status_code == 403


def test_another_issuer_in_the_answer_does_not_count(real: RealProvider) -> None:
    with pytest.raises(NotVouchedFor, match="another provider"):
        Provider(real.settings, ORIGIN + BACK).finish(Begun("s", "n", "v"), "s", "code", "https://evil.example")


def test_a_provider_that_is_not_what_it_says_is_not_used(real: RealProvider) -> None:
    for issuer in (real.address + "/", real.address.replace("localhost", "127.0.0.1"), "http://localhost:9"):
        with pytest.raises(StoreUnavailable, match="does not answer as it should"):
            Provider(replace(real.settings, issuer=issuer), ORIGIN + BACK).begin()


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_no_other_site_sends_somebody_on_the_way_with_a_link_that_lets_them_in_as_another(browser: Client, site: str) -> None:
    """Their account at the provider would have become the other's for good."""
    headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    answer = browser.get(f"/sign-in/provider?join={invited(browser, 'mallory')}&name=mallory", headers=headers)
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    assert TRIP_COOKIE not in browser.cookies
