"""The console over one real home with candidates in several states, made once; every test signs in as whom it needs.

`client.sign_in("anna")`: people are a steward, an operator, two approvers in different roles, and an auditor nobody lists anywhere.
`house.candidates["awaiting"]` names a candidate by what has become of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from console.app import create_app
from console.console_settings import PasswordCost, Settings
from console.pages.frame import COOKIE, Console
from headgate.core.errors import HeadgateError, IntegrityBroken
from tasks.approval.decisions import approve, reject, request_changes
from tasks.ledger.event_log import Ledger
from tasks.ledger.open_ledger import open_ledger
from tasks.publication.publish_version import publish
from tasks.publication.targets import open_targets
from tasks.publication.withdraw import withdraw
from tasks.runtime.home import Home
from tasks.signing.keys import PrivateKey, make_key
from tasks.stores.release_store import ReleaseStore
from tasks.stores.seal import Candidate
from tests.unit.tasks.world import Clock, Made, World, made

__all__ = ["made"]

ORIGIN = "https://release.example"
PEOPLE = ("steward", "operator", "anna", "bert", "auditor")
HOSTILE = """<script>alert('x')</script><img src=x onerror=alert(1)>" onmouseover="alert(1)"""
OPERATOR = """\
runners: [steward]
operators: [operator]
roles: {data-protection: [anna], methods: [bert]}
passkeys: {rp: release.example, origins: ["https://release.example"]}
"""


@dataclass(frozen=True)
class House:
    """A home, who works there, and what was released."""

    world: World
    app: FastAPI
    candidates: dict[str, Candidate]

    @property
    def home(self) -> Home:
        return self.world.home

    @property
    def ledger(self) -> Ledger:
        return self.world.ledger

    @property
    def keys(self) -> dict[str, PrivateKey]:
        return self.world.keys

    @property
    def console(self) -> Console:
        console: Console = self.app.state.console
        return console


class StuckStore:
    """A store that gives way in the middle of a publication: it cannot be written any more, or something else lies in the version's
    place."""

    def __init__(self, store: ReleaseStore, taken: bool) -> None:
        self.store, self.taken, self.prepared = store, taken, 0

    def series(self, target: str) -> StuckStore:
        self.inner = self.store.series(target)
        return self

    def prepare(self) -> None:
        self.prepared += 1
        if self.prepared > 1 and not self.taken:
            raise OSError("the disk is full")
        self.inner.prepare()

    def versions(self) -> Sequence[int]:
        return range(1, 100) if self.prepared > 1 else self.inner.versions()

    def read(self, number: int) -> None:
        raise IntegrityBroken(f"Version {number} is not ours.", "Find out whose it is.")

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


class Client(TestClient):
    """A browser: it says where its requests come from, and keeps one person's cookie."""

    def __init__(self, house: House) -> None:
        headers = {"Sec-Fetch-Site": "same-origin", "Origin": ORIGIN}
        super().__init__(house.app, base_url=ORIGIN, headers=headers, follow_redirects=False, raise_server_exceptions=False)
        self.house = house

    def sign_in(self, principal: str) -> None:
        """Without the form, whose password takes its time."""
        self.cookies.clear()
        self.cookies.set(COOKIE, self.house.console.sessions.begin(principal), domain="release.example")

    def see(self, path: str) -> httpx.Response:
        """A page that must be there."""
        answer = self.get(path)
        assert answer.status_code == 200, (path, answer.status_code, answer.text[:500])
        return answer


def make_house(folder: Path, made: Made) -> House:
    """Sealed, decided and published as people would: nothing is written past the rules."""
    keys = {name: make_key(folder / "keys" / name) for name in PEOPLE}
    home, clock = Home.open(folder / "home"), Clock(datetime.now(UTC).replace(microsecond=0))
    opened = open_ledger(home)
    assert opened.memory is not None
    world = World(home, Ledger(opened.store, clock, replace(opened.memory, uptime=clock.uptime)), clock, keys, made)
    world.write_signers(*(world.line(name) for name in ("steward", "anna", "bert")))
    (home.root / "operator.yaml").write_text(OPERATOR)
    world.changes = {"title": f"People {HOSTILE}", "about": {"purpose": HOSTILE, "recipients": HOSTILE}}
    candidates = {}
    for place, name in enumerate(STATES):
        world.expires = timedelta(seconds=1) if name == "expired" else None
        target = {"publish_to": name} if name in ("publishing", "stalled") else {}
        candidates[name] = world.seal("steward", source_hmac=f"{place:064x}", **target)
    for name, acts in STATES.items():
        for act, person in acts:
            act(home, world.ledger, candidates[name].id, keys[person], f"{person} has read the report {HOSTILE}")
    for name in ("superseded", "published"):
        world.publish(candidates[name])
    for name in ("publishing", "stalled"):
        store = StuckStore(open_targets(home), name == "stalled")
        with pytest.raises(HeadgateError):
            publish(home, world.ledger, candidates[name].id, store)  # type: ignore[arg-type]
    settings = Settings(home, ORIGIN, ("release.example",), password_cost=PasswordCost(1, 64, 1))
    app = create_app(settings, world.ledger)
    console: Console = app.state.console
    for name in PEOPLE:
        console.accounts.join(console.accounts.invite(name, "test"), name, f"the long password of {name}")
    return House(world, app, candidates)


AGREED = ((approve, "anna"), (approve, "bert"))
STATES = {
    "superseded": AGREED,
    "publishing": AGREED,
    "stalled": AGREED,
    "published": AGREED,
    "rejected": ((reject, "anna"),),
    "changes_requested": ((request_changes, "bert"),),
    "approved": AGREED,
    "half": ((approve, "anna"),),
    "withdrawn": ((withdraw, "steward"),),
    "expired": (),
    "awaiting": (),
}


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory, made: Made) -> House:
    return make_house(tmp_path_factory.mktemp("house"), made)


@pytest.fixture
def client(house: House) -> Iterator[Client]:
    """Wrong passwords of one test do not stop another, and who looked in one looks anew in the next."""
    house.console.attempts._failed.clear()
    house.console.looks._last.clear()
    house.console.allowance._taken.clear()
    with Client(house) as browser:
        yield browser
