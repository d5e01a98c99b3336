"""Requests without the password reach nothing."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tasks.runtime.server_answer import authorization
from tasks.runtime.server_guard import guarded

PASSWORD = "headgate:secret"


def asked(kind: str, headers: list[tuple[bytes, bytes]]) -> tuple[bool, list[dict[str, Any]]]:
    reached: list[str] = []
    sent: list[dict[str, Any]] = []

    async def application(scope: Any, _receive: Any, _send: Any) -> None:
        reached.append(scope["type"])

    async def receive() -> dict[str, Any]:
        return {"type": "http.request"}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(guarded(application, PASSWORD)({"type": kind, "path": "/openapi.json", "headers": headers}, receive, send))
    return bool(reached), sent


def test_the_password_is_sent_as_prefects_client_sends_it() -> None:
    assert authorization("user:word") == "Basic dXNlcjp3b3Jk"  # RFC 7617
    assert asked("http", [(b"authorization", authorization(PASSWORD).encode())]) == (True, [])


@pytest.mark.parametrize("header", [None, b"", b"Basic", b"Bearer headgate:secret", b"headgate:secret", b"Basic \xff"])
def test_a_request_without_it_is_answered_401_and_reaches_nothing(header: bytes | None) -> None:
    reached, sent = asked("http", [] if header is None else [(b"authorization", header)])
    assert (reached, sent[0]["status"], sent[1]["body"]) == (False, 401, b"")


def test_the_start_and_websockets_are_left_to_the_application() -> None:
    assert asked("lifespan", [])[0]
    assert asked("websocket", [])[0]
