"""A ledger's store in a list and a dictionary: all that the Protocol asks of a database, and nothing more."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from headgate.core.errors import IntegrityBroken
from tasks.ledger.chain import Entry
from tasks.ledger.ledger_store import LockRow


class MemoryTransaction:
    def __init__(self, entries: tuple[Entry, ...], locks: dict[str, LockRow]) -> None:
        self.stored, self.locks = entries, dict(locks)

    def entries(self, release: str | None = None) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.stored if release in (None, entry.release))

    def last(self, release: str | None = None) -> Entry | None:
        return next(reversed(self.entries(release)), None)

    def entries_from(self, seq: int) -> tuple[Entry, ...]:
        return self.stored[max(seq - 1, 0) :]

    def append(self, entry: Entry) -> None:
        last, own = self.last(), self.last(entry.release)
        expected = (1 if last is None else last.seq + 1, 1 if own is None else own.version + 1)
        if (entry.seq, entry.version) != expected:
            raise IntegrityBroken("An entry was to be written over, or beyond a gap.", "Append it at the end.")
        self.stored = (*self.stored, entry)

    def lock_of(self, dataset: str) -> LockRow | None:
        return self.locks.get(dataset)

    def set_lock(self, lock: LockRow) -> None:
        self.locks[lock.dataset] = lock

    def remove_lock(self, dataset: str) -> None:
        self.locks.pop(dataset, None)


class MemoryStore:
    def __init__(self) -> None:
        self.entries: tuple[Entry, ...] = ()
        self.locks: dict[str, LockRow] = {}
        self.writer = threading.Lock()

    @contextmanager
    def reading(self) -> Iterator[MemoryTransaction]:
        yield MemoryTransaction(self.entries, self.locks)

    @contextmanager
    def writing(self) -> Iterator[MemoryTransaction]:
        with self.writer:
            written = MemoryTransaction(self.entries, self.locks)
            yield written
            self.entries, self.locks = written.stored, written.locks
