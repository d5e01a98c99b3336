"""Runs of `serve` end with it, however it ends: nobody would hear of what they come to, and nobody could stop them."""

from __future__ import annotations

import os
import signal
import threading
import time

import psutil

VARIABLE = "HEADGATE_SERVED_BY"
EACH_SECONDS = 1.0
MERCY_SECONDS = 20.0  # to end a run as Ctrl-C would


def this_one() -> str:
    """This process, as it is noted where others look whether it lives."""
    return f"{os.getpid()}:{psutil.Process().create_time()}"


def serve_from_here() -> None:
    """The processes that this one starts from now on are its runs."""
    os.environ[VARIABLE] = this_one()


def was_served() -> bool:
    """Whether `serve` has started this process."""
    server = os.environ.get(VARIABLE, "")
    return server != "" and server.partition(":")[0] != str(os.getpid())


def end_with_server() -> None:
    """In a process that `serve` has started; anywhere else nothing happens."""
    if was_served():
        threading.Thread(target=_watch, args=(os.environ[VARIABLE],), name="served-by", daemon=True).start()


def _watch(server: str) -> None:
    while lives(server):
        time.sleep(EACH_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(MERCY_SECONDS)
    os.kill(os.getpid(), signal.SIGKILL)


def lives(server: str) -> bool:
    """A number is given to another process some day, but not with the same beginning."""
    number, _, born = server.partition(":")
    try:
        process = psutil.Process(int(number))
        return str(process.create_time()) == born and process.status() != psutil.STATUS_ZOMBIE
    except (psutil.Error, ValueError):
        return False
