"""Takes connections while `serve` runs its schedules. Whoever may ask gets a process of their own, so that what one caller does, or does
not do, is nothing to the others."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from headgate.core.errors import HeadgateError, Refusal, StoreUnavailable, TransitionRefused
from tasks.service.frames import Frames, Kind
from tasks.service.peer import Peer, peer_of
from tasks.service.request import Ended

MOST_AT_ONCE = 32
MOST_PER_ACCOUNT = 8
MERCY_SECONDS = 20.0  # to end a request as Ctrl-C would
PREFIX = "request-"  # of the folder of a request, then the number of the process that serves

Worker = Callable[[int, Path], list[str]]  # the command of a process that answers on this descriptor, with this folder to itself


@dataclass(eq=False)
class RequestListener:
    """`environment` is that of the processes that answer."""

    listener: socket.socket
    group: tuple[str, int]
    folders: Path
    worker: Worker
    environment: Mapping[str, str]
    _running: dict[subprocess.Popen[bytes], int] = field(default_factory=dict)  # and the account of each
    _change: threading.Lock = field(default_factory=threading.Lock)
    _stopped: bool = False

    def take(self) -> None:
        """Until the listener is closed."""
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                if self._stopped:
                    return
                time.sleep(0.1)  # too many open files: others may end meanwhile
                continue
            with connection, suppress(Exception):
                self._admit(connection)

    def _admit(self, connection: socket.socket) -> None:
        peer = peer_of(connection)
        with self._change:
            refusal = self._why_not(peer)
            if refusal is None and not self._stopped:
                self._start(connection, peer)
        if refusal is not None:
            ended = Ended(code=refusal.code, message=refusal.message, cure=refusal.cure)
            Frames(connection).send(Kind.END, ended.model_dump_json().encode())

    def _why_not(self, peer: Peer) -> HeadgateError | None:
        if not peer.may_ask(self.group[1]):
            return TransitionRefused(
                [Refusal("group", f"Your account is not in the group {self.group[0]}")], "Ask the operator to add it, then log in again."
            )
        if len(self._running) >= MOST_AT_ONCE or list(self._running.values()).count(peer.uid) >= MOST_PER_ACCOUNT:
            return StoreUnavailable("The service answers as many requests as it can.", "Try again when one of them has ended.")
        return None

    def _start(self, connection: socket.socket, peer: Peer) -> None:
        folder = self.folders / f"{PREFIX}{os.getpid()}-{secrets.token_hex(8)}"
        folder.mkdir(mode=0o700)
        process = subprocess.Popen(
            self.worker(connection.fileno(), folder),
            pass_fds=[connection.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=None if os.environ.get("HEADGATE_VERBOSE") else subprocess.DEVNULL,
            env=dict(self.environment),
            start_new_session=True,  # Ctrl-C is for the service, which ends them
        )
        self._running[process] = peer.uid
        threading.Thread(target=self._see_off, args=(process, folder), name="request", daemon=True).start()

    def _see_off(self, process: subprocess.Popen[bytes], folder: Path) -> None:
        process.wait()
        try:
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            with self._change:
                self._running.pop(process, None)

    def stop(self) -> None:
        """Every request ends as Ctrl-C would end it; one that does not is killed."""
        with self._change:
            self._stopped = True
            running = list(self._running)
        with suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)  # so that accept returns
        for process in running:
            process.terminate()
        last = time.monotonic() + MERCY_SECONDS
        for process in running:
            try:
                process.wait(max(0.0, last - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextmanager
def answering(listener: RequestListener) -> Iterator[None]:
    """Meanwhile, requests are answered."""
    clear_requests(listener.folders)
    thread = threading.Thread(target=listener.take, name="requests", daemon=True)
    thread.start()
    try:
        yield
    finally:
        listener.stop()
        thread.join(MERCY_SECONDS)
        clear_requests(listener.folders, os.getpid())


def clear_requests(folders: Path, ended: int | None = None) -> None:
    """Folders of requests whose service is gone, or of the one with this number."""
    for folder in folders.glob(f"{PREFIX}*-*"):
        number = folder.name.removeprefix(PREFIX).partition("-")[0]
        if number.isdigit() and (int(number) == ended or not psutil.pid_exists(int(number))):
            shutil.rmtree(folder, ignore_errors=True)


def answered_by(module: str) -> Worker:
    """A module of Python's path that is run with the descriptor and the folder."""
    return lambda descriptor, folder: [sys.executable, "-P", "-m", module, str(descriptor), str(folder)]
