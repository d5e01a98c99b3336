"""Whose connection it is, by what the kernel says of its other end."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator

import httpx
import pytest
import uvicorn

from tasks.runtime.own_connections import account_at, own_connections_only

HELD = """
import os, socket, sys, encodings.idna
os.setgroups([]); os.setgid(1); os.setuid(1)
held = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for _ in range(30)]
closed = sum(not connection.recv(1) for connection in held)
print(closed)
"""


def test_the_account_at_the_other_end_is_known_and_of_no_connection_there_is_none() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        assert account_at(client.getsockname()) == os.geteuid()
        free = client.getsockname()[1]
    assert account_at(("127.9.9.9", free)) is None
    assert account_at(None) is account_at(("::1", free)) is None


def test_an_end_that_was_closed_belongs_to_nobody() -> None:
    """The kernel writes root's number for it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = socket.create_connection(server.getsockname())
        accepted, address = server.accept()
        client.close()
        with accepted:
            assert account_at(address) is None


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
