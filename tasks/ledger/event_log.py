"""The ledger: every step of every release as an event that is only ever appended, each holding the hash of the one before.

The state of a release is the fold of its events; there is no state table to tamper with. `Ledger` is what the rest of headgate
knows of it; the embedded one is a SQLite file (tasks/ledger/sqlite_file.py).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import astuple, dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from headgate.core.errors import Defect, IntegrityBroken, Refusal, TransitionRefused
from policies.ledger.events import Event, SignedEvent, moment, read_event
from tasks.ledger.chain import RESTORE, START, Entry, check_chain, entry_hash
from tasks.ledger.dataset_lock import DatasetLock, dataset_lock
from tasks.ledger.sqlite_file import reading, writing

COLUMNS = ", ".join(column.name for column in fields(Entry))
PLACES = ", ".join("?" for _ in fields(Entry))


class Ledger(Protocol):
    """What a store of events must be able to do, whichever database keeps it."""

    def append(self, release: str, events: Sequence[Event], after: int, actor: str) -> tuple[Entry, ...]:
        """Adds what `actor` did to a release that has exactly `after` events; TransitionRefused if somebody else was faster."""
        ...

    def entries(self, release: str | None = None) -> tuple[Entry, ...]:
        """As stored, in the order of the ledger."""
        ...

    def events_of(self, release: str) -> tuple[Event, ...]:
        """A release's events, oldest first; empty if there is no such release."""
        ...

    def verify_chain(self) -> tuple[Entry, ...]:
        """Every entry, after every hash and link has been checked; IntegrityBroken names the first that does not hold."""
        ...

    def lock(self, dataset: str, release: str) -> AbstractContextManager[DatasetLock]:
        """Never two releases of one dataset at a time."""
        ...

    def now(self) -> datetime:
        """The ledger's time: it never runs backwards."""
        ...


def _clock() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class SqliteLedger:
    """The embedded ledger: one file, opened for each use, so that threads and processes may share it."""

    path: Path
    clock: Callable[[], datetime] = field(default=_clock, compare=False)

    def append(self, release: str, events: Sequence[Event], after: int, actor: str) -> tuple[Entry, ...]:
        added: list[Entry] = []
        with writing(self.path) as connection:
            last = _last(connection)
            own = _last(connection, release)
            version = 0 if own is None else own.version
            if version != after:
                raise TransitionRefused(
                    [Refusal("overtaken", f"Somebody else acted on release {release} at the same moment")], "Look at it again and repeat."
                )
            for event in events:
                if event.release_id != release:
                    raise Defect("An event was to be recorded under another release.", "This is a defect of headgate; please report it.")
                entry = _follow(last, own, event, actor)
                connection.execute(f"INSERT INTO events ({COLUMNS}) VALUES ({PLACES})", astuple(entry))
                added.append(entry)
                last = own = entry
        return tuple(added)

    def entries(self, release: str | None = None) -> tuple[Entry, ...]:
        with reading(self.path) as connection:
            return tuple(Entry(*row) for row in _select(connection, release, "ASC"))

    def events_of(self, release: str) -> tuple[Event, ...]:
        return tuple(event_of(entry) for entry in self.entries(release))

    def verify_chain(self) -> tuple[Entry, ...]:
        entries = self.entries()
        check_chain(entries)
        for entry in entries:
            event_of(entry)
        return entries

    def lock(self, dataset: str, release: str) -> AbstractContextManager[DatasetLock]:
        return dataset_lock(self.path, dataset, release)

    def now(self) -> datetime:
        """Whole seconds, and not before the last event, even if the machine's clock was set back."""
        present = self.clock().astimezone(UTC).replace(microsecond=0)
        with reading(self.path) as connection:
            last = _last(connection)
        return present if last is None else max(present, moment(last.at).astimezone(UTC))


def open_ledger(path: Path) -> SqliteLedger:
    """The ledger in this file, made if there is none; refused at once if it cannot be written."""
    with writing(path):
        return SqliteLedger(path)


def event_of(entry: Entry) -> Event:
    """The typed event of an entry, which must say in its payload what its columns say."""
    event = read_event(entry.payload)
    said = (event.release_id, event.event, event.at, event.signer.principal if isinstance(event, SignedEvent) else entry.actor)
    if said != (entry.release, entry.type, entry.at, entry.actor):
        raise IntegrityBroken(f"Event {entry.seq} contradicts its own payload.", RESTORE)
    return event


def _follow(last: Entry | None, own: Entry | None, event: Event, actor: str) -> Entry:
    seq, previous = (1, START) if last is None else (last.seq + 1, last.hash)
    version, own_previous = (1, START) if own is None else (own.version + 1, own.hash)
    stored = (seq, event.release_id, version, event.event, event.at, actor, event.model_dump_json(), own_previous, previous)
    return Entry(*stored, entry_hash(*stored))


def _select(connection: sqlite3.Connection, release: str | None, order: str) -> sqlite3.Cursor:
    """The whole ledger's entries, or one release's; `order` is ASC, or DESC with a LIMIT."""
    query = f"SELECT {COLUMNS} FROM events"
    if release is None:
        return connection.execute(f"{query} ORDER BY seq {order}")
    return connection.execute(f"{query} WHERE release = ? ORDER BY version {order}", (release,))


def _last(connection: sqlite3.Connection, release: str | None = None) -> Entry | None:
    row = _select(connection, release, "DESC LIMIT 1").fetchone()
    return None if row is None else Entry(*row)
