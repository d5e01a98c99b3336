"""Who may speak to Prefect's server at all. Its own password covers `/api` alone; other pages cost so much to make that anybody on the
machine could keep the server from answering."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from tasks.runtime.server_answer import authorization

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]


def guarded(application: Application, password: str) -> Application:
    """Every request without the password is refused before the application sees it. Websockets give it in their first message, which
    Prefect asks for itself."""
    expected = authorization(password).encode()

    async def guard(scope: Message, receive: Receive, send: Send) -> None:
        given = dict(scope.get("headers", ())).get(b"authorization", b"")
        if scope["type"] != "http" or hmac.compare_digest(given, expected):
            await application(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 401, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})

    return guard
