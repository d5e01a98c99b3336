"""A Prefect server that no longer answers is ended: people would wait for it for ever, while one that is gone is an error at once."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tasks.runtime.server_certificates import certificate_problem
from tasks.runtime.server_guard import authorization
from tasks.runtime.waiting_time import seconds_in

VARIABLE = "HEADGATE_PREFECT_SECONDS"
OK, REFUSED = 200, (401, 403)
PASSWORD_REFUSED = "refuses the name or the password"
PINGS = 4  # within the time that it may be silent


def silent_seconds() -> float:
    """How long the server may say nothing: HEADGATE_PREFECT_SECONDS, or a minute."""
    return seconds_in(VARIABLE, 60)


def answers(url: str, seconds: float) -> bool:
    """A server of our own says nothing without its password; others say this much to anybody."""
    return _asked(f"{url}/health", seconds) == OK


def trouble_with(url: str, seconds: float) -> str:
    """What keeps the server from being used, as the rest of a sentence about it; empty where nothing does. Health is told to anybody."""
    said = _asked(f"{url}/health", seconds)
    if said == OK:
        said = _asked(f"{url}/admin/version", seconds)
    if isinstance(said, int):
        return PASSWORD_REFUSED if said in REFUSED else ""
    return said or "does not answer"


def _asked(url: str, seconds: float) -> int | str:
    """The status, or why there is none, where that can be said."""
    import httpx

    password = os.environ.get("PREFECT_API_AUTH_STRING")
    headers = {"Authorization": authorization(password)} if password else {}
    try:
        return httpx.get(url, timeout=seconds, headers=headers).status_code
    except httpx.HTTPError as problem:
        return certificate_problem(problem)


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
