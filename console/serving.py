"""`headgate console`: the application behind a port, until it is stopped."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from console.access.account_store import AccountStore
from console.access.accounts import COMMAND, FIRST, Accounts
from console.access.admission import Admission
from console.access.passwords import Passwords
from console.app import create_app
from console.console_settings import Settings
from console.pages.frame import Console
from headgate.core.errors import HeadgateError
from tasks.ledger.head_keeper import HeadKeeper, keyless_ledger
from tasks.ledger.open_ledger import open_ledger

AT_ONCE = 200  # connections
ASKING_SECONDS = 10.0  # in which a request must have said what it asks


def serve_console(settings: Settings, address: str, port: int, say: Callable[[str], None]) -> None:
    """Reads the ledger while the first pages are asked for."""
    keeper = HeadKeeper(settings.home)
    try:
        app = create_app(settings, keyless_ledger(settings.home, keeper))
        console: Console = app.state.console
        console.reading.done = False
        threading.Thread(target=read_ledger_through, args=(console, keeper), name="ledger", daemon=True).start()
        say(f"Console of {settings.home.root}: {settings.origin}; press Ctrl-C to stop.")
        if not console.accounts.any():
            say(f"Nobody has an account yet. The first operator opens this address, once: {first_link(console)}")
        with suppress(KeyboardInterrupt):  # Ctrl-C and SIGTERM, which uvicorn raises again once it has ended
            run(app, address, port)
    finally:
        keeper.close()


def first_link(console: Console) -> str:
    return f"{console.settings.origin}/join/{console.accounts.invite('', FIRST)}"


def link_for(settings: Settings, principal: str, reset: bool = False) -> str:
    """For whoever can open the home, which makes them its operator. A console that is running knows it at once. `reset`: for somebody who
    has an account, all of which ends."""
    accounts = Accounts(AccountStore.open(settings.home.root), Passwords(settings.password_cost), settings.invited)
    admission = Admission(settings.home, open_ledger(settings.home), accounts)
    return f"{settings.origin}/join/{(admission.reset if reset else admission.invite)(principal, COMMAND)}"


def read_ledger_through(console: Console, keeper: HeadKeeper) -> None:
    """What is wrong with it is told by every page that needs it."""
    try:
        last = console.ledger.last()
        console.reading.total = 0 if last is None else last.seq
        while console.followed.read_on():
            console.reading.read = console.followed.seq
    except HeadgateError:
        pass
    finally:
        console.reading.done = True
    with suppress(HeadgateError):
        keeper.remember()  # now, so that nobody waits for its process later


def run(app: FastAPI, address: str, port: int) -> None:
    """No log of requests: links that let people in are paths."""
    config = uvicorn.Config(
        app,
        http=Hurried,
        host=address,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=AT_ONCE,
        timeout_graceful_shutdown=5,
    )
    uvicorn.Server(config).run()


class Hurried(H11Protocol):
    """Whoever connects and does not ask keeps no place that others need."""

    late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._wait_no_more()

    def _wait(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._wait_no_more()
        elif self.late is None:
            self.late = self.loop.call_later(ASKING_SECONDS, self.transport.close)

    def _wait_no_more(self) -> None:
        if self.late is not None:
            self.late.cancel()
            self.late = None


def behind(settings: Settings, origin: str, proxies: tuple[str, ...]) -> Settings:
    """The same behind a proxy that people know by this origin."""
    return replace(settings, origin=origin, hosts=(origin.partition("://")[2],), proxies=proxies)
