"""A ledger's store in a list and a dictionary: all that the Protocol asks of a database, and nothing more."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from headgate.core.errors import IntegrityBroken
from tasks.ledger.chain import Entry
from tasks.ledger.ledger_store import LockRow
from tasks.ledger.wanted_events import Wanted


class MemoryTransaction:
    def __init__(self, entries: tuple[Entry, ...], about: tuple[str, ...], locks: dict[str, LockRow]) -> None:
        self.stored, self.kept_subjects, self.locks = entries, about, dict(locks)

    def entries(self, release: str | None = None) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.stored if release in (None, entry.release))

    def last(self, release: str | None = None) -> Entry | None:
        return next(reversed(self.entries(release)), None)

    def entries_from(self, seq: int) -> tuple[Entry, ...]:
        return self.stored[max(seq - 1, 0) :]

    def following(self, seq: int, most: int) -> tuple[tuple[Entry, str], ...]:
        return tuple(zip(self.stored, self.kept_subjects, strict=True))[max(seq - 1, 0) :][:most]

    def about(self, type: str, subject: str, prefix: bool = False) -> Iterator[Entry]:
        for entry, said in reversed(tuple(zip(self.stored, self.kept_subjects, strict=True))):
            if entry.type == type and (said == subject or (prefix and said.startswith(subject))):
                yield entry

    def beginning(self, prefix: str) -> tuple[str, ...]:
        return tuple(sorted({entry.release for entry in self.stored if entry.release.startswith(prefix)}))

    def subjects(self) -> tuple[str, ...]:
        return self.kept_subjects

    def having(self, type: str, lacking: Collection[str]) -> tuple[Entry, ...]:
        ended = {entry.release for entry in self.stored if entry.type in lacking}
        return tuple(entry for entry in self.stored if entry.type == type and entry.release not in ended)

    def first(self, release: str) -> Entry | None:
        return next(iter(self.entries(release)), None)

    def at(self, seq: int) -> Entry | None:
        return self.stored[seq - 1] if 0 < seq <= len(self.stored) else None

    def listed(self, wanted: Wanted, before: int | None, most: int) -> tuple[Entry, ...]:
        about = dict(zip(self.stored, self.kept_subjects, strict=True))
        dataset = {entry.release for entry in self.stored if entry.type == "run_started" and about[entry] == wanted.dataset}
        found = [
            entry
            for entry in reversed(self.stored)
            if (not wanted.dataset or entry.release in dataset)
            and wanted.release in ("", entry.release)
            and wanted.actor in ("", entry.actor)
            and wanted.type in ("", entry.type)
            and wanted.in_time(entry.at)
            and (before is None or entry.seq < before)
        ]
        return tuple(found[:most])

    def append(self, entry: Entry, subject: str) -> None:
        last, own = self.last(), self.last(entry.release)
        expected = (1 if last is None else last.seq + 1, 1 if own is None else own.version + 1)
        if (entry.seq, entry.version) != expected:
            raise IntegrityBroken("An entry was to be written over, or beyond a gap.", "Append it at the end.")
        self.stored, self.kept_subjects = (*self.stored, entry), (*self.kept_subjects, subject)

    def lock_of(self, dataset: str) -> LockRow | None:
        return self.locks.get(dataset)

    def set_lock(self, lock: LockRow) -> None:
        self.locks[lock.dataset] = lock

    def remove_lock(self, dataset: str) -> None:
        self.locks.pop(dataset, None)


class MemoryStore:
    def __init__(self) -> None:
        self.kept = MemoryTransaction((), (), {})
        self.writer = threading.Lock()

    def _view(self) -> MemoryTransaction:
        return MemoryTransaction(self.kept.stored, self.kept.kept_subjects, self.kept.locks)

    @contextmanager
    def reading(self) -> Iterator[MemoryTransaction]:
        yield self._view()

    @contextmanager
    def writing(self) -> Iterator[MemoryTransaction]:
        with self.writer:
            written = self._view()
            yield written
            self.kept = written

    def weaknesses(self) -> tuple[str, ...]:
        return ()
