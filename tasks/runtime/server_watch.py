"""A Prefect server that no longer answers is ended: people would wait for it for ever, while one that is gone is an error at once."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tasks.runtime.server_guard import authorization
from tasks.runtime.waiting_time import seconds_in

VARIABLE = "HEADGATE_PREFECT_SECONDS"
PINGS = 4  # within the time that it may be silent


def silent_seconds() -> float:
    """How long the server may say nothing: HEADGATE_PREFECT_SECONDS, or a minute."""
    return seconds_in(VARIABLE, 60)


def answers(url: str, seconds: float) -> bool:
    """A server of our own says nothing without its password; others say this much to anybody."""
    import httpx

    password = os.environ.get("PREFECT_API_AUTH_STRING")
    headers = {"Authorization": authorization(password)} if password else {}
    try:
        return httpx.get(f"{url}/health", timeout=seconds, headers=headers).status_code == httpx.codes.OK
    except httpx.HTTPError:
        return False


@contextmanager
def watched(url: str, end: Callable[[], None]) -> Iterator[None]:
    """Calls `end` once the server at `url` has failed to answer several times in a row."""
    each, done = silent_seconds() / PINGS, threading.Event()

    def watch() -> None:
        silent, pause = 0, each
        while not done.wait(pause):
            asked = time.monotonic()
            silent = 0 if answers(url, each) else silent + 1
            if silent == PINGS:
                end()
                return
            pause = max(0.0, asked + each - time.monotonic())

    thread = threading.Thread(target=watch, name="prefect-watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
