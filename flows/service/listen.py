"""Answering at the socket while `serve` serves."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tasks.runtime.home import Home
from tasks.service.request_listener import RequestListener, answered_by, answering
from tasks.service.socket_place import GROUP, SOCKET, bound_socket, socket_group


@dataclass(frozen=True)
class Listener:
    socket: socket.socket
    path: Path
    group: tuple[str, int]


@contextmanager
def listening(path: Path | None) -> Iterator[Listener | None]:
    """Refused before anything is started where it cannot be done. Who connects now is answered later."""
    if path is None:
        yield None
        return
    group = socket_group()
    with bound_socket(path, group) as bound:
        yield Listener(bound, path, group)


@contextmanager
def requests_answered(home: Home, listener: Listener | None) -> Iterator[None]:
    """Their flows use the Prefect server of this one."""
    if listener is None:
        yield
        return
    from prefect.settings import PREFECT_API_URL

    environment = {name: value for name, value in os.environ.items() if name not in (SOCKET, GROUP, "HEADGATE_VERBOSE")}
    environment |= {"PREFECT_API_URL": PREFECT_API_URL.value()} if PREFECT_API_URL.value() else {}
    with answering(RequestListener(listener.socket, listener.group, home.staging, answered_by("flows.service.answer"), environment)):
        yield
