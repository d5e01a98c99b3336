"""From the outbox to the addresses, by one process at a time.

A message counts as sent when its server has taken it, which is noted after. Whoever is killed in between sends it again: with the same id,
by which receivers keep one of the two (docs/decisions/0023).
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from headgate.core.errors import HeadgateError, StoreUnavailable
from policies.schema.operator_file import Operator
from tasks.notification.notice import Notice
from tasks.notification.notice_address import address_behind
from tasks.notification.notice_words import Message, message_of
from tasks.notification.outbox import Delivery, Outbox
from tasks.runtime.boundary import reason_of
from tasks.runtime.home import Home
from tasks.runtime.json_log import LogLine, log

LOCK = "outbox.lock"
LONGEST_SECONDS = 120.0  # of a round, some services take one message in five seconds


class Sends(Protocol):
    def send(self, address: str, message: Message, notice: str) -> None:
        """HeadgateError where it was not taken."""
        ...


@dataclass(frozen=True)
class Round:
    """`busy`: another process is sending."""

    sent: int = 0
    failed: int = 0
    busy: bool = False


def due(outbox: Outbox, operator: Operator) -> bool:
    """Whether a round would send anything: asked without sending, and without importing what sends."""
    if not operator.notify or not outbox.begun:
        return False
    with outbox.reading() as stored:
        return any(stored.next_due(entry.to) is not None for entry in operator.notify)


def send_due(home: Home, operator: Operator, outbox: Outbox, sends: Sends, console: str | None = None) -> Round:
    """Each address gets what waits for it, oldest first, until one message is not taken: then that address is left alone for a while.
    `console`: where people open it, for links."""
    sent = failed = 0
    end = time.monotonic() + LONGEST_SECONDS
    with alone(home) as free:
        if not free:
            return Round(busy=True)
        for entry in operator.notify:
            while time.monotonic() < end:
                with outbox.reading() as stored:
                    delivery = stored.next_due(entry.to)
                if delivery is None:
                    break
                why = _try(delivery, console, sends)
                _log(delivery.notice, why)
                with outbox.writing() as stored:
                    if why:
                        stored.failed(delivery, why)
                    else:
                        stored.sent(delivery)
                if why:
                    failed += 1
                    break
                sent += 1
    return Round(sent, failed)


def _try(delivery: Delivery, console: str | None, sends: Sends) -> str:
    """Why it was not taken; empty where it was."""
    try:
        sends.send(address_behind(delivery.address), message_of(delivery.notice, console), delivery.notice.id)
    except HeadgateError as problem:
        return problem.message
    return ""


def _log(notice: Notice, why: str) -> None:
    level, outcome = ("warning", "waits") if why else ("info", "told")
    log(LogLine(notice.kind, level, notice.release, notice.dataset, outcome=outcome))


@contextmanager
def alone(home: Home) -> Iterator[bool]:
    """The kernel lets go of the lock when its process ends, however it does."""
    try:
        descriptor = os.open(home.state / LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as problem:
        raise StoreUnavailable(f"{home.state / LOCK} cannot be used ({reason_of(problem)}).", "Check the home's permissions.") from None
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(descriptor)
