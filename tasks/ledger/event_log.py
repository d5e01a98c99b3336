"""Where the ledger is written: every step of every release as an event that is only ever appended, holding the hash of the one before.

The state of a release is the fold of its events; no table of states exists that could be tampered with. The rules are here,
whichever store keeps the entries (ledger_store.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from headgate.core.errors import Defect, IntegrityBroken, Refusal, StoreUnavailable, TransitionRefused
from policies.ledger.events import Event, SignedEvent, moment, read_event
from tasks.ledger.chain import RESTORE, START, Entry, check_chain, entry_hash
from tasks.ledger.dataset_lock import DatasetLock, dataset_lock
from tasks.ledger.ledger_store import LedgerStore

MOST_BEHIND = timedelta(hours=1)


def _clock() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class Ledger:
    """The events in a store, and the moment at which one is recorded."""

    store: LedgerStore
    clock: Callable[[], datetime] = field(default=_clock, compare=False)

    def append(self, release: str, events: Sequence[Event], after: int, actor: str) -> tuple[Entry, ...]:
        """Adds what `actor` did to a release that has exactly `after` events; TransitionRefused if somebody else was faster."""
        added: list[Entry] = []
        with self.store.writing() as stored:
            last, own = stored.last(), stored.last(release)
            version = 0 if own is None else own.version
            if version != after:
                raise TransitionRefused(
                    [Refusal("overtaken", f"Somebody else acted on release {release} at the same moment")], "Review it and try again."
                )
            for event in events:
                if event.release_id != release:
                    raise Defect("Tried to record an event under another release.", "This is a defect of headgate; please report it.")
                last = own = _entry_after(last, own, event, actor)
                stored.append(last)
                added.append(last)
        return tuple(added)

    def entries(self, release: str | None = None) -> tuple[Entry, ...]:
        """As stored, in the order of the ledger."""
        with self.store.reading() as stored:
            return stored.entries(release)

    def events_of(self, release: str) -> tuple[Event, ...]:
        """A release's events, oldest first; empty if the ledger does not know the release."""
        return tuple(event_of(entry) for entry in self.entries(release))

    def verify_chain(self) -> tuple[Entry, ...]:
        """Every entry, after every hash and link has been checked; IntegrityBroken names the first that does not hold."""
        entries = self.entries()
        check_chain(entries)
        for entry in entries:
            event_of(entry)
        return entries

    def lock(self, dataset: str, release: str) -> AbstractContextManager[DatasetLock]:
        """Never two releases of one dataset at a time."""
        return dataset_lock(self.store, dataset, release)

    def now(self) -> datetime:
        """The ledger's time: whole seconds, and not before the last event. Nothing may be signed or recorded by a clock that is an hour
        behind it: keys that have expired since would count again."""
        present = self.clock().astimezone(UTC).replace(microsecond=0)
        with self.store.reading() as stored:
            last = stored.last()
        before = present if last is None else moment(last.at).astimezone(UTC)
        if before - present > MOST_BEHIND:
            raise StoreUnavailable(
                f"This machine's clock is {(before - present).total_seconds() / 3600:,.0f} hours behind the last event of the ledger.",
                "Set the clock. If it is right, the ledger was written with a wrong one: ask the operator.",
            )
        return max(present, before)


def event_of(entry: Entry) -> Event:
    """The typed event of an entry, which must say in its payload what its columns say."""
    event = read_event(entry.payload)
    said = (event.release_id, event.event, event.at, event.signer.principal if isinstance(event, SignedEvent) else entry.actor)
    if said != (entry.release, entry.type, entry.at, entry.actor):
        raise IntegrityBroken(f"Event {entry.seq} contradicts its own payload.", RESTORE)
    return event


def _entry_after(last: Entry | None, own: Entry | None, event: Event, actor: str) -> Entry:
    seq, previous = (1, START) if last is None else (last.seq + 1, last.hash)
    version, own_previous = (1, START) if own is None else (own.version + 1, own.hash)
    fields = (seq, event.release_id, version, event.event, event.at, actor, event.model_dump_json(), own_previous, previous)
    return Entry(*fields, entry_hash(*fields))
