"""One message to one address, through Apprise. Sent twice it is the same message: whoever keeps messages by their id keeps one."""

from __future__ import annotations

import logging
import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from headgate.core.errors import HeadgateError, InputRejected
from tasks.notification.notice_words import Message
from tasks.runtime.boundary import class_and_place

HEADER = "Idempotency-Key"
LONGEST_SECONDS = 120.0  # of one message: a server may answer byte by byte, each within the time that a socket waits


class _TookTooLong(BaseException):
    """Plugins catch what they know."""


class NotDelivered(HeadgateError):
    """Why, in words that hold no address and no answer of a server."""


@dataclass
class AppriseDelivery:
    """Addresses are read once, and so is Apprise imported."""

    _known: dict[str, Any] = field(default_factory=dict)

    def send(self, address: str, message: Message, notice: str) -> None:
        """`notice`: the id, which is the message's."""
        plugin = self._known.get(address) or self._known.setdefault(address, _plugin(address))
        headers = getattr(plugin, "headers", None)
        if isinstance(headers, dict):
            headers[HEADER] = notice
        with _mail_id(f"<{notice}@headgate>"):
            try:
                with _at_most(LONGEST_SECONDS), warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # urllib3's name the host where an address says verify=no
                    taken = plugin.notify(body=message.text, title=message.title)
            except _TookTooLong:
                raise NotDelivered(f"The server did not take it within {LONGEST_SECONDS:.0f} seconds.") from None
            except Exception as problem:  # noqa: BLE001 - of somebody else's plugin: its text may hold the address
                raise NotDelivered(f"Sending broke: {class_and_place(problem)}.") from None
        if not taken:
            raise NotDelivered("The server was not reached, or did not take it.")


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Else whoever started this process would end it with nothing noted, again and again, and no other address would be told. Only the
    main thread hears a signal; `headgate notify` sends there."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_given: object) -> None:
        raise _TookTooLong

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _mail_id(given: str) -> Iterator[None]:
    """Apprise gives each mail an id of its own, and takes none."""
    from apprise.plugins.email import base

    before = base.make_msgid
    base.make_msgid = lambda **_given: given
    try:
        yield
    finally:
        base.make_msgid = before


def _plugin(address: str) -> Any:
    import apprise

    for name in ("apprise", "apprise.plugins"):  # what it logs may hold addresses and what servers answer
        logging.getLogger(name).disabled = True
    logging.getLogger("urllib3").setLevel(logging.CRITICAL)
    asset = apprise.AppriseAsset(app_id="headgate", app_desc="headgate", app_url="", secure_logging=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it imports all it has, some of which Python is about to drop
            plugin = apprise.Apprise.instantiate(address, asset=asset, suppress_exceptions=True)
    except Exception:  # noqa: BLE001 - its text may hold the address
        plugin = None
    if plugin is None:
        raise InputRejected(
            "An address of operator.yaml (`notify`) is not one that Apprise knows.",
            "Write an Apprise URL, such as mailtos://… or jsons://….",
        )
    return plugin
