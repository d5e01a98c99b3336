"""Never two releases of one dataset at a time: a lock in the ledger's own file.

The holder shows signs of life: its process on the same machine, or a beat every few seconds for everybody else. The lock of a
process that died is taken over, and whoever takes it is told whose it was, so that it can be recorded.
"""

from __future__ import annotations

import os
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from headgate.core.errors import HeadgateError, Refusal, TransitionRefused
from tasks.ledger.sqlite_file import writing

BEAT_SECONDS = 20.0
DEAD_AFTER_SECONDS = 180.0


@dataclass(frozen=True)
class DatasetLock:
    """Held until released. `taken_from` is the release whose process died while it held the lock."""

    dataset: str
    release: str
    holder: str
    taken_from: str | None = None


@dataclass(frozen=True)
class Process:
    """A process, told apart from a later one with the same number by its start."""

    machine: str
    number: int
    started: str


def this_process() -> Process:
    return Process(_machine(), os.getpid(), _started(os.getpid()))


@contextmanager
def dataset_lock(path: Path, dataset: str, release: str, beat_seconds: float = BEAT_SECONDS) -> Iterator[DatasetLock]:
    """Holds the dataset for one release, beating meanwhile; TransitionRefused while another holds it."""
    lock = acquire(path, dataset, release, this_process(), time.time())
    done = threading.Event()
    beating = threading.Thread(target=_beat, args=(path, lock, done, beat_seconds), name=f"lock of {dataset}", daemon=True)
    beating.start()
    try:
        yield lock
    finally:
        done.set()
        beating.join()
        let_go(path, lock)


def acquire(path: Path, dataset: str, release: str, process: Process, moment: float) -> DatasetLock:
    holder = secrets.token_hex(8)
    with writing(path) as connection:
        row = connection.execute("SELECT release, machine, process, started, beat FROM locks WHERE dataset = ?", (dataset,)).fetchone()
        if row is not None and _alive(Process(row[1], row[2], row[3]), row[4], process, moment):
            raise TransitionRefused(
                [Refusal("dataset_busy", f"Release {row[0]} of dataset {dataset} is running (process {row[2]})")],
                "Wait until it ends, or end it; a lock of a process that died is taken over by itself.",
            )
        connection.execute(
            "INSERT OR REPLACE INTO locks (dataset, release, holder, machine, process, started, beat) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (dataset, release, holder, process.machine, process.number, process.started, moment),
        )
    return DatasetLock(dataset, release, holder, None if row is None else str(row[0]))


def let_go(path: Path, lock: DatasetLock) -> None:
    """Only one's own: a lock that was taken over meanwhile stays its new holder's."""
    with writing(path) as connection:
        connection.execute("DELETE FROM locks WHERE dataset = ? AND holder = ?", (lock.dataset, lock.holder))


def still_held(path: Path, lock: DatasetLock, moment: float) -> bool:
    """Renews the sign of life; False if the lock was taken over."""
    with writing(path) as connection:
        changed = connection.execute("UPDATE locks SET beat = ? WHERE dataset = ? AND holder = ?", (moment, lock.dataset, lock.holder))
        return changed.rowcount == 1


def _beat(path: Path, lock: DatasetLock, done: threading.Event, seconds: float) -> None:
    while not done.wait(seconds):
        try:
            held = still_held(path, lock, time.time())
        except HeadgateError:
            continue  # the next beat may find the store again; until then the holder's own appends will be refused aloud
        if not held:
            return


def _alive(holder: Process, beat: float, here: Process, moment: float) -> bool:
    if holder.machine != here.machine:
        return moment - beat < DEAD_AFTER_SECONDS
    return _started(holder.number) == holder.started


def _machine() -> str:
    """Host and boot: after a restart, process numbers mean nothing. Container hosts differ by name.
    Where a process cannot be asked whether it lives, every process is a machine of its own, and only beats count."""
    if os.name != "posix":
        return f"{socket.gethostname()}/{os.getpid()}"
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        boot = ""
    return f"{socket.gethostname()}/{boot}"


def _started(number: int) -> str:
    """When a process began, "" if there is none. Without /proc, that it exists must do."""
    try:
        fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        return "" if fields[0] in ("Z", "X") else fields[19]
    except (OSError, IndexError):
        if Path("/proc/self/stat").exists():
            return ""
    try:
        os.kill(number, 0)
    except PermissionError:
        return "running"
    except OSError:
        return ""
    return "running"
