"""One middleware for all requests: which hosts are answered, from where forms may come, how large they may be, and the headers of every
answer, those of errors included.

What a page did not expect ends here: outside of this, it would be written to the log with its text."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = "; ".join(
    (
        "default-src 'none'",
        "style-src 'self'",
        "img-src 'self'",
        "script-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # with none at all, browsers send the forms of a page without their origin
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "publickey-credentials-get=(self), publickey-credentials-create=(self)",
    "Cache-Control": "no-store",
}
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True)
class RequestRules:
    app: ASGIApp
    origin: str
    hosts: tuple[str, ...]
    largest_body: int
    told: Callable[[Request, Exception], Response]
    proxies: tuple[str, ...] = ()
    longest_body: float = 30.0  # seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return

        begun: list[bool] = []

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                begun.append(True)
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if self.origin.startswith("https://"):
                    headers["Strict-Transport-Security"] = "max-age=31536000"
            await send(message)

        refusal = self._refusal(scope)
        self._tell_client(scope)
        if refusal is not None:
            await refusal(scope, receive, send_guarded)
            return
        try:
            await self.app(scope, _Limited(receive, self.largest_body, self.longest_body).receive, send_guarded)
        except Exception as problem:  # noqa: BLE001 - its text may hold data: nobody but this sees it
            answer = self.told(Request(scope), problem)
            if not begun:
                await answer(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        headers = Headers(scope=scope)
        if self.proxies and (scope["client"] or ("",))[0] not in self.proxies:
            return PlainTextResponse(f"This console is at {self.origin}\n", 421)
        if headers.getlist("host") not in [[host] for host in self.hosts]:
            return PlainTextResponse(f"This console is at {self.origin}\n", 421)
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none") and not _is_visit(headers):
            return PlainTextResponse("No other site may load this.\n", 403)
        if scope["method"] not in SAFE_METHODS and not self._from_here(headers):
            return PlainTextResponse("This form was not sent from a page of the console. Open the console and send it there.\n", 403)
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or int(length) > self.largest_body:
            return PlainTextResponse(f"At most {self.largest_body // 1024} KiB may be sent.\n", 413)
        return None

    def _tell_client(self, scope: Scope) -> None:
        """Behind a proxy, who asked it: the last address, which it has added itself, be it to the line that came or in one of its own."""
        told = ",".join(Headers(scope=scope).getlist("x-forwarded-for")).rpartition(",")[2].strip()
        if self.proxies and told:
            scope["client"] = (told[:100], 0)

    def _from_here(self, headers: Headers) -> bool:
        """What the browser says about where a request comes from; an old one says at least the origin."""
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if origin is not None and origin != self.origin:
            return False
        return site == "same-origin" if site is not None else origin is not None


class TooLarge(Exception):
    """More came than the request had said."""


def _is_visit(headers: Headers) -> bool:
    """A link that somebody followed, and no picture, script or frame of another site."""
    return headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"


@dataclass
class _Limited:
    """`seconds`: in which the whole body must have come. After it, to wait is to wait for the browser to go away."""

    inner: Receive
    left: int
    seconds: float
    ends: float | None = None
    whole: bool = False

    async def receive(self) -> Message:
        if self.whole:
            return await self.inner()
        self.ends = self.ends or time.monotonic() + self.seconds
        message = await asyncio.wait_for(self.inner(), max(0.0, self.ends - time.monotonic()))
        self.whole = not message.get("more_body", False)
        self.left -= len(message.get("body", b""))
        if self.left < 0:
            raise TooLarge
        return message
