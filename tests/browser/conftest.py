"""Debian's Chromium, driven at the console as people would use it. Where there is no Chromium these tests say so, and are not run.

The console is a process of its own, `headgate console`; each person has a browser of their own with a passkey in it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from console.access.account_store import AccountStore
from console.access.accounts import Accounts
from console.access.passwords import Passwords
from console.console_settings import PasswordCost
from tasks.ledger.open_ledger import open_ledger
from tasks.runtime.home import Home
from tasks.signing.keys import make_key
from tests.free_port import free_port
from tests.unit.tasks.world import Clock, Made, World, made

__all__ = ["made"]

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PEOPLE = ("steward", "operator", "anna", "bert", "auditor")
PATIENCE = 20_000  # milliseconds, on a machine with other work to do


def password_of(name: str) -> str:
    return f"the long password of {name}"


@dataclass
class Site:
    """A home with its console at `url`. `world` makes candidates there."""

    world: World
    url: str
    log: Path

    @property
    def home(self) -> Home:
        return self.world.home

    def run(self, *command: str, key: str = "") -> subprocess.CompletedProcess[str]:
        """`headgate …`, as a process of its own."""
        environment = {**os.environ, "HEADGATE_HOME": str(self.home.root)}
        if key:
            environment["HEADGATE_KEY"] = str(self.home.root.parent / "keys" / key)
        arguments = [sys.executable, "-m", "flows.cli", *command]
        return subprocess.run(arguments, env=environment, capture_output=True, text=True, check=False, timeout=120)


def operator_file(url: str) -> str:
    return (
        "runners: [steward]\noperators: [operator]\nroles: {data-protection: [anna], methods: [bert]}\n"
        f'passkeys: {{rp: localhost, origins: ["{url}"]}}\n'
    )


def new_site(folder: Path, made: Made, port: int) -> World:
    """A home with its people, and an account for each."""
    keys = {name: make_key(folder / "keys" / name) for name in PEOPLE}
    home = Home.open(folder / "home")
    world = World(home, open_ledger(home), Clock(), keys, made)
    world.write_signers(*(world.line(name) for name in ("steward", "anna", "bert")))
    (home.root / "operator.yaml").write_text(operator_file(f"http://localhost:{port}"))
    world.changes = {"publish_to": "people"}
    cost = PasswordCost(1, 64, 1)
    accounts = Accounts(AccountStore.open(home.root), Passwords(cost), timedelta(days=1))
    for name in PEOPLE:
        accounts.join(accounts.invite(name, "test"), name, password_of(name))
    return world


@contextmanager
def running_console(site: Site, port: int) -> Iterator[None]:
    """`headgate console`, as a process of its own."""
    environment = {**os.environ, "HEADGATE_HOME": str(site.home.root)}
    command = [sys.executable, "-m", "flows.cli", "console", "--port", str(port)]
    with open(site.log, "wb") as log, subprocess.Popen(command, env=environment, stdout=log, stderr=log) as process:
        try:
            wait_for(lambda: answers(f"{site.url}/sign-in"))
            yield
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, made: Made) -> Iterator[Site]:
    folder, port = tmp_path_factory.mktemp("site"), free_port()
    there = Site(new_site(folder, made, port), f"http://localhost:{port}", folder / "console.log")
    with running_console(there, port):
        yield there


def answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=2).status_code == 200
    except httpx.HTTPError:
        return False


def wait_for(happened: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.1)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """Ended with the module: until then Playwright's event loop runs in this thread, and whoever asks for one, such as Prefect, takes it
    for their own."""
    if CHROMIUM is None:
        pytest.skip("not run: there is no chromium on this machine")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@dataclass
class Visitor:
    """A person at their own browser. Whatever a page's own policy forbids, or a script throws, is an error of the test."""

    name: str
    site: Site
    page: Any
    said: list[str] = field(default_factory=list)

    def go(self, path: str) -> None:
        self.page.goto(self.site.url + path)

    def sign_in(self) -> None:
        self.go("/sign-in")
        self.page.get_by_label("Name").fill(self.name)
        self.page.get_by_label("Password").fill(password_of(self.name))
        self.page.get_by_role("button", name="Sign in").click()
        self.page.wait_for_url(f"{self.site.url}/")

    def text(self) -> str:
        return str(self.page.locator("main").inner_text())

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def follow(self, name: str) -> None:
        self.page.get_by_role("link", name=name).first.click()

    def add_passkey(self) -> str:
        """Makes one, and gives the line that the operator is to add."""
        self.go("/passkeys")
        self.press("Make a passkey")
        self.page.locator("code.whole").first.wait_for()
        return str(self.page.locator("code.whole").first.inner_text())

    def decide(self, candidate: str, button: str, reason: str) -> None:
        """Up to the page that shows what is signed."""
        self.go(f"/candidates/{candidate}/decide")
        self.page.get_by_label("Reason").fill(reason)
        self.press(f"{button}…")
        self.page.wait_for_url("**/statements/*")

    def sign(self) -> None:
        """By passkey, and back to the page of decisions."""
        self.press("Sign with your passkey")
        self.page.wait_for_url("**/decide")


@pytest.fixture
def visit(chromium: Any, site: Site) -> Iterator[Callable[[str], Visitor]]:
    contexts = []

    def open_browser(name: str, **options: Any) -> Visitor:
        context = chromium.new_context(**options)
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        visitor = Visitor(name, site, page)
        page.on("pageerror", lambda problem: visitor.said.append(str(problem)))
        page.on("console", lambda message: visitor.said.append(message.text) if message.type == "error" else None)
        if options.get("java_script_enabled", True):
            give_passkeys(context, page)
        return visitor

    yield open_browser
    for context in contexts:
        context.close()


def give_passkeys(context: Any, page: Any) -> None:
    """A platform authenticator that asks for a PIN and is given it."""
    session = context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
