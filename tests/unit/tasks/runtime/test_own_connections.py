"""Whose connection it is, by what the kernel says of its other end."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack

import httpx
import pytest
import uvicorn

from headgate.core.errors import StoreUnavailable
from tasks.runtime.own_connections import account_at, own_connections_only, require_accounts_known

HELD = """
import os, socket, sys, encodings.idna
os.setgroups([]); os.setgid(1); os.setuid(1)
held = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for _ in range(30)]
closed = sum(not connection.recv(1) for connection in held)
print(closed)
"""


def test_the_account_at_the_other_end_is_known_and_of_no_connection_there_is_none() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        ours, theirs = server.getsockname(), client.getsockname()
        assert account_at(theirs, ours) == account_at(ours, theirs) == os.geteuid()
        assert account_at(theirs, (ours[0], ours[1] + 1)) is account_at(("127.9.9.9", theirs[1]), ours) is None
        assert account_at(None, ours) is account_at(theirs, None) is account_at(("::1", theirs[1]), ours) is None
        assert account_at((theirs[0], 1 << 16), ours) is None


def test_an_end_that_was_closed_belongs_to_nobody() -> None:
    """The kernel writes root's number for it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = socket.create_connection(server.getsockname())
        accepted, address = server.accept()
        client.close()
        with accepted:
            assert account_at(address, server.getsockname()) is None


def test_whoever_listens_where_an_end_was_is_not_that_end() -> None:
    """Where the kernel knows no such connection, it gives whoever listens at that address."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_server(("127.0.0.1", 0)) as other:
        assert account_at(other.getsockname(), server.getsockname()) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another account")
def test_an_end_of_somebody_else_is_theirs() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        held = subprocess.Popen([sys.executable, "-I", "-c", HELD, str(server.getsockname()[1])], stdout=subprocess.PIPE)
        for _ in range(30):
            accepted, address = server.accept()
            with accepted:
                assert account_at(address, server.getsockname()) == 1
        assert held.communicate(timeout=60)[0] == b"30\n"


def test_what_it_costs_does_not_grow_with_the_connections_that_are_open() -> None:
    """They were looked up in /proc/net/tcp, for each connection in the server's only thread: whoever held many open and made more of them
    kept it from its own clients, and after two minutes `serve` gave it up. Now one socket asks the kernel, and no file is read."""
    calls: list[str] | None = None

    def hear(event: str, arguments: object) -> None:
        if calls is not None and threading.current_thread() is threading.main_thread():
            calls.append(event)

    sys.addaudithook(hear)
    with ExitStack() as held, socket.create_server(("127.0.0.1", 0), backlog=200) as server:
        counts = []
        for number in (1, 200):
            clients = [held.enter_context(socket.create_connection(server.getsockname())) for _ in range(number)]
            calls = []
            assert account_at(clients[-1].getsockname(), server.getsockname()) == os.geteuid()
            counts.append(calls)
            calls = None
    assert counts == [["socket.__new__"], ["socket.__new__"]]


def test_a_kernel_that_does_not_say_is_named_before_a_server_is_started() -> None:
    require_accounts_known()
    with pytest.raises(StoreUnavailable, match="does not say whose connections"):
        require_accounts_known(lambda end, other: None)


@pytest.fixture
def port() -> Iterator[int]:
    async def application(scope: object, receive: object, send: object) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})  # type: ignore[operator]
        await send({"type": "http.response.body", "body": b""})  # type: ignore[operator]

    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(application, http=own_connections_only(), log_level="critical", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        server.should_exit = True
        thread.join(10)


def test_the_servers_own_account_is_answered(port: int) -> None:
    assert httpx.get(f"http://127.0.0.1:{port}/", timeout=10).status_code == 204


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another account")
def test_connections_of_another_account_are_closed_at_once(port: int) -> None:
    """Held open, they kept the server from its own clients until it was given up, and `serve` with it."""
    done = subprocess.run([sys.executable, "-I", "-c", HELD, str(port)], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("30\n", "")
    assert httpx.get(f"http://127.0.0.1:{port}/", timeout=10).status_code == 204
