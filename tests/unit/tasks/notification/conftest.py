"""An outbox beside a world of releases, and real servers that take what is sent: a webhook over HTTP, and mail over SMTP."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from policies.schema.loading import parse_file
from policies.schema.operator_file import OPERATORS_PAGE, Operator
from tasks.notification.outbox import Outbox
from tests.free_port import free_port
from tests.unit.tasks.world import World


@dataclass
class Time:
    moment: datetime = datetime(2025, 6, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.moment

    def later(self, **span: float) -> None:
        self.moment += timedelta(**span)


@dataclass
class Webhook:
    """A server of HTTP that may be stopped, started again, and told to refuse."""

    port: int
    got: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    answer: Callable[[dict[str, Any]], int] = lambda _message: 200
    _server: ThreadingHTTPServer | None = None

    @property
    def url(self) -> str:
        return f"json://127.0.0.1:{self.port}/s3cr3t-path"

    def start(self) -> None:
        webhook = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status = webhook.answer(said)
                if status == 200:
                    webhook.got.append(said)
                    webhook.keys.append(str(self.headers["Idempotency-Key"]))
                self.send_response(status)
                self.end_headers()

            def log_message(self, *_given: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def stop(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None


@pytest.fixture
def webhook() -> Iterator[Webhook]:
    made = Webhook(free_port())
    made.start()
    yield made
    made.stop()


class Mailbox:
    """What an SMTP server took."""

    def __init__(self) -> None:
        self.mails: list[Message] = []

    async def handle_DATA(self, _server: object, _session: object, envelope: Any) -> str:
        import email

        self.mails.append(email.message_from_bytes(envelope.content))
        return "250 taken"


@pytest.fixture
def time_told() -> Time:
    return Time()


@pytest.fixture
def outbox(world: World, time_told: Time) -> Outbox:
    return Outbox.of(world.home, time_told)


def operator(*entries: str) -> Operator:
    text = "notify:\n" + "".join(f"  - {entry}\n" for entry in entries)
    return parse_file(Operator, text, "operator.yaml", OPERATORS_PAGE)
