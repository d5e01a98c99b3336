"""`headgate console` as a process of its own."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
import uvicorn
from starlette.types import Receive, Send

from console.app import create_app
from console.console_settings import PasswordCost, Settings
from console.pages.frame import Console
from console.serving import Hurried, behind, first_link, link_for
from headgate.core.errors import InputRejected
from tasks.ledger.open_ledger import open_ledger
from tasks.runtime.home import Home
from tests.free_port import free_port
from tests.unit.console.conftest import House
from tests.unit.tasks.world import World, key_folder, keys, world

__all__ = ["key_folder", "keys", "world"]
# Writes the name of every file below HOME/keys that it opens to stderr.
WATCHED = """
import os, runpy, sys
keys = os.environ["HEADGATE_HOME"] + "/keys"
def watch(event, given):
    if event == "open" and str(given[0]).startswith(keys):
        os.write(2, f"opened {os.path.basename(str(given[0]))}\\n".encode())
sys.addaudithook(watch)
sys.argv = ["headgate", "console", "--port", sys.argv[1]]
runpy.run_module("flows.cli", run_name="__main__", alter_sys=True)
"""


@contextmanager
def serving(home: World) -> Iterator[tuple[subprocess.Popen[str], str]]:
    port = free_port()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HEADGATE_")}
    command = [sys.executable, "-c", WATCHED, str(port)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env={**environment, "HEADGATE_HOME": str(home.home.root)}, **pipes) as process:  # type: ignore[call-overload]
        try:
            yield process, f"http://localhost:{port}"
        finally:
            process.send_signal(signal.SIGINT)


def wait_for(address: str) -> None:
    for _ in range(300):
        try:
            httpx.get(f"{address}/sign-in")
            return
        except httpx.HTTPError:
            time.sleep(0.1)
    raise AssertionError("the console did not come up")


@pytest.mark.slow
def test_the_first_operator_comes_in_by_the_link_and_no_private_key_is_opened(world: World) -> None:
    """Reading, looking at a candidate, and all that is appended for it."""
    from datetime import UTC, datetime

    world.clock.moment = datetime.now(UTC).replace(microsecond=0)
    candidate = world.seal()
    with serving(world) as (process, address):
        assert process.stderr is not None
        said = ""
        while "/join/" not in said:
            said += process.stderr.readline()
        wait_for(address)
        link = re.search(r"http://localhost:\d+(/join/[\w-]+)", said)
        assert link is not None
        headers = {"Sec-Fetch-Site": "same-origin"}
        with httpx.Client(base_url=address, headers=headers) as client:
            assert 'value="runner"' in client.get(link[1]).text or "<option>runner</option>" in client.get(link[1]).text
            form = {"name": "runner", "password": "the first password", "again": "the first password"}
            entered = client.post(link[1], data=form)
            assert entered.status_code == 303
            cookie = entered.headers["set-cookie"].partition(";")[0]  # httpx keeps none that is Secure over http
            shown = client.get(f"/candidates/{candidate.id}", headers={"Cookie": cookie})
            while shown.status_code == 503:  # it reads the ledger first
                time.sleep(0.1)
                shown = client.get(f"/candidates/{candidate.id}", headers={"Cookie": cookie})
            assert shown.status_code == 200, shown.text
        process.send_signal(signal.SIGINT)
        out, rest = process.communicate(timeout=30)
    opened = set(re.findall(r"opened (\S+)", said + rest))
    assert opened
    assert {name for name in opened if not name.endswith(".pub")} == set()
    assert "Traceback" not in said + rest + out
    assert (process.returncode, "Stopped before the end" in rest) == (0, False)  # a service that was stopped has not failed
    assert str(world.ledger.entries()[-1].type) == "viewed"
    memory = world.ledger.memory
    assert memory is not None
    assert memory.read().seq == world.ledger.entries()[-1].seq  # type: ignore[union-attr]


def test_behind_a_proxy_the_console_answers_to_its_name_alone(house: House) -> None:
    chosen = behind(Settings(house.home), "https://release.hospital.example", ("10.0.0.1",))
    assert (chosen.origin, chosen.hosts) == ("https://release.hospital.example", ("release.hospital.example",))
    assert chosen.proxies == ("10.0.0.1",)


def test_the_first_link_lets_nobody_name_themselves_but_an_operator(house: House) -> None:
    console = replace(house.console)
    link = first_link(console)
    invitation = console.accounts.invitation(link.rpartition("/")[2])
    assert invitation is not None
    assert invitation.principal == ""


def test_a_link_that_was_made_on_the_command_line_counts_in_a_console_that_runs(tmp_path: Path) -> None:
    settings = Settings(Home.open(tmp_path / "home"), password_cost=PasswordCost(1, 64, 1))
    console: Console = create_app(settings, open_ledger(settings.home)).state.console
    token = link_for(settings, "yara").rpartition("/")[2]
    invitation = console.accounts.invitation(token)
    assert invitation is not None
    assert (invitation.principal, invitation.invited_by) == ("yara", "the command line")
    assert console.admission.join(token, "yara", "a very long password")
    with pytest.raises(InputRejected, match="has an account"):
        link_for(settings, "yara")
    assert console.accounts.invitation(link_for(settings, "yara", reset=True).rpartition("/")[2]) is not None
    assert [event.event for event in console.ledger.events_of("home")] == ["invited", "joined", "access_reset"]
    assert not console.accounts.has("yara")


def test_whoever_connects_and_asks_nothing_is_sent_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else two hundred of them would leave no place for others."""
    monkeypatch.setattr("console.serving.ASKING_SECONDS", 0.3)

    async def app(scope: dict[str, str], receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await asyncio.sleep(0.5)  # an answer may take longer than a question
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
            await send({"type": "http.response.body", "body": b"ok"})

    async def ends(port: int, said: bytes) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(said)
        try:
            return await asyncio.wait_for(reader.read() if not said.endswith(b"\n\r\n") else reader.readuntil(b"ok"), 5)
        finally:
            writer.close()

    async def serve() -> list[bytes]:
        server = uvicorn.Server(uvicorn.Config(app, http=Hurried, port=0, log_level="error", lifespan="off"))  # type: ignore[arg-type]
        with socket.socket() as listening:
            listening.bind(("127.0.0.1", 0))
            running = asyncio.create_task(server.serve(sockets=[listening]))
            while not server.started:
                await asyncio.sleep(0.01)
            whole = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
            answers = await asyncio.gather(*(ends(listening.getsockname()[1], said) for said in (b"", b"GET / HTTP/1.1\r\nHo", whole)))
            server.should_exit = True
            await running
        return answers

    nothing, part, whole = asyncio.run(serve())
    assert (nothing, part) == (b"", b"")
    assert whole.endswith(b"ok")
