"""A lock in the ledger's own store, so that no two releases of one dataset ever run at the same time.

The holder shows that it is alive by a beat every few seconds, and on the same machine also by its process. If the process has died, the
lock is taken over, and the new holder learns whose it was, so that this can be recorded.
"""

from __future__ import annotations

import os
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from headgate.core.errors import HeadgateError, Refusal, TransitionRefused
from tasks.ledger.ledger_store import LedgerStore, LockRow

BEAT_SECONDS = 20.0
DEAD_AFTER_SECONDS = 180.0
TARGET = "target "
FROM_THE_FUTURE_SECONDS = 3600.0  # a clock that was set back by more than this records nothing anyway


@dataclass(frozen=True)
class DatasetLock:
    """A lock that lasts until it is released. `taken_from` is the release whose process died while it had the lock."""

    dataset: str
    release: str
    holder: str
    taken_from: str | None = None


@dataclass(frozen=True)
class Process:
    """A process. Its start distinguishes it from a later process with the same number."""

    machine: str
    number: int
    started: str


def this_process() -> Process:
    return Process(_machine(), os.getpid(), _started(os.getpid()))


@contextmanager
def dataset_lock(store: LedgerStore, dataset: str, release: str, beat_seconds: float = BEAT_SECONDS) -> Iterator[DatasetLock]:
    """Holds the dataset for one release, beating meanwhile; TransitionRefused while another holds it."""
    lock = acquire(store, dataset, release, this_process(), time.time())
    done = threading.Event()
    beating = threading.Thread(target=_beat, args=(store, lock, done, beat_seconds), name=f"lock of {dataset}", daemon=True)
    beating.start()
    try:
        yield lock
    finally:
        done.set()
        beating.join()
        let_go(store, lock)


def acquire(store: LedgerStore, dataset: str, release: str, process: Process, moment: float) -> DatasetLock:
    holder = secrets.token_hex(8)
    with store.writing() as stored:
        present = stored.lock_of(dataset)
        if present is not None and _alive(present, process, moment):
            raise TransitionRefused(
                [Refusal("dataset_busy", f"Release {present.release} {_doing(dataset)} (process {present.process})")],
                "Wait until it ends, or end it; the lock of a dead process is taken over automatically.",
            )
        stored.set_lock(LockRow(dataset, release, holder, process.machine, process.number, process.started, moment))
    return DatasetLock(dataset, release, holder, None if present is None else present.release)


def holder_of(store: LedgerStore, dataset: str) -> str | None:
    """The release that has the lock, if whoever took it is alive."""
    with store.reading() as stored:
        present = stored.lock_of(dataset)
    return present.release if present is not None and _alive(present, this_process(), time.time()) else None


def target_lock(target: str) -> str:
    """The name under which a target is locked, by whichever dataset: no dataset is called so."""
    return f"{TARGET}{target}"


def _doing(name: str) -> str:
    target = name.removeprefix(TARGET)
    return f"of dataset {name} is running" if target == name else f"is being published to {target}"


def let_go(store: LedgerStore, lock: DatasetLock) -> None:
    """Only one's own: a lock that was taken over meanwhile stays its new holder's."""
    with store.writing() as stored:
        present = stored.lock_of(lock.dataset)
        if present is not None and present.holder == lock.holder:
            stored.remove_lock(lock.dataset)


def still_held(store: LedgerStore, lock: DatasetLock, moment: float) -> bool:
    """Renews the sign of life; False if the lock was taken over."""
    with store.writing() as stored:
        present = stored.lock_of(lock.dataset)
        if present is None or present.holder != lock.holder:
            return False
        stored.set_lock(replace(present, beat=moment))
        return True


def _beat(store: LedgerStore, lock: DatasetLock, done: threading.Event, seconds: float) -> None:
    while not done.wait(seconds):
        try:
            ours = still_held(store, lock, time.time())
        except HeadgateError:
            continue  # the next beat may find the store again; until then the holder's own appends will be refused aloud
        if not ours:
            return


def _alive(lock: LockRow, here: Process, moment: float) -> bool:
    """Whoever has the lock beats, wherever they are. A beat from the future would keep it for ever."""
    if not -FROM_THE_FUTURE_SECONDS < moment - lock.beat < DEAD_AFTER_SECONDS:
        return False
    return lock.machine != here.machine or runs_still(Process(lock.machine, lock.process, lock.started))


def runs_still(process: Process) -> bool:
    """Of a process on this machine."""
    return process.started != "" and _started(process.number) == process.started


def _machine() -> str:
    """Host, boot and namespace of processes: after a restart, or in another container, process numbers mean nothing."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        numbers = os.readlink("/proc/self/ns/pid")
    except OSError:
        boot = numbers = ""
    return f"{socket.gethostname()}/{boot}/{numbers}"


def _started(number: int) -> str:
    """When a process began, in seconds after the machine did, whatever the clock was set to since; "" if it has ended."""
    try:
        process = psutil.Process(number)
        ended = process.status() in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
        return "" if ended else f"{process.create_time() - psutil.boot_time():.2f}"
    except psutil.Error:
        return ""
