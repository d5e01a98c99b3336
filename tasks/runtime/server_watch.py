"""A Prefect server that no longer answers is ended: people would wait for it for ever, while one that is gone is an error at once."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tasks.runtime.server_answer import OK, Answer, ask
from tasks.runtime.server_certificates import CURES
from tasks.runtime.waiting_time import seconds_in

VARIABLE = "HEADGATE_PREFECT_SECONDS"
PASSWORD_REFUSED = "refuses the name or the password"
PINGS = 4  # within the time that it may be silent


def silent_seconds() -> float:
    """How long the server may say nothing: HEADGATE_PREFECT_SECONDS, or a minute."""
    return seconds_in(VARIABLE, 60)


def answers(url: str, seconds: float) -> bool:
    """A server of our own says nothing without its password; others say this much to anybody."""
    return _asked(f"{url}/health", seconds).status == OK


def trouble_with(url: str, seconds: float) -> str:
    """What keeps the server from being used, as the rest of a sentence about it; empty where nothing does. Health is told to anybody."""
    answer = _asked(f"{url}/health", seconds)
    if not answer.trouble:
        answer = _asked(f"{url}/admin/version", seconds)
    return PASSWORD_REFUSED if answer.refused else answer.trouble


def cure_of(trouble: str) -> str:
    if trouble == PASSWORD_REFUSED:
        return "Set PREFECT_API_AUTH_STRING to NAME:PASSWORD, as the server has them."
    return CURES.get(trouble, "Start it, correct PREFECT_API_URL, or unset it.")


def version_at(url: str, seconds: float) -> str:
    """Of Prefect, as the server tells it; empty where it does not."""
    try:
        return str(json.loads(_asked(f"{url}/admin/version", seconds).content))
    except ValueError:
        return ""


def _asked(url: str, seconds: float) -> Answer:
    return ask(url, seconds, os.environ.get("PREFECT_API_AUTH_STRING", ""))


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
