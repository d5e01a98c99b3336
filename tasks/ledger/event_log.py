"""Where the ledger is written: every step of every release as an event that is only ever appended, holding the hash of the one before.

The state of a release is the fold of its events; no table of states exists that could be tampered with. The rules are here,
whichever store keeps the entries (ledger_store.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime

from headgate.core.errors import Defect, HeadgateError, IntegrityBroken, Refusal, StoreUnavailable, TransitionRefused
from policies.ledger.events import Event, RunStarted, SignedEvent, moment, read_event
from policies.ledger.transitions import READING_EVENTS
from tasks.ledger.chain import RESTORE, START, Entry, check_chain, check_entry, entry_hash
from tasks.ledger.dataset_lock import DatasetLock, dataset_lock
from tasks.ledger.ledger_store import LedgerStore, LedgerTransaction
from tasks.ledger.machine_time import machine_clock, require_not_behind
from tasks.ledger.remembered_head import HeadMemory, Remembered, require_remembered
from tasks.runtime.json_log import LogLine, is_logging, log

Hears = Callable[[int, int], None]
TOLD_EVERY = 5_000
BAD_ENDS = frozenset({"refused", "failed", "stalled", "expired"})
STOOD_STILL = "This process stood still, and others have acted on release {} or taken over its lock"


@dataclass(frozen=True)
class Ledger:
    """The events in a store, the moment at which one is recorded, and what the home remembers of them."""

    store: LedgerStore
    clock: Callable[[], datetime] = field(default=machine_clock, compare=False)
    memory: HeadMemory | None = None

    def append(self, release: str, events: Sequence[Event], after: int, actor: str) -> tuple[Entry, ...]:
        """Adds what `actor` did to a release that has exactly `after` events; TransitionRefused if somebody else was faster.

        The new head is remembered after it is on disk. If that fails, the event stands, and the next append remembers its head first or
        does nothing."""
        added: list[Entry] = []
        present = self._present()
        with self.store.writing() as stored:
            last, own, remembered = stored.last(), stored.last(release), self._remembered()
            self._require_holds(stored, remembered)
            self._require_time(remembered, last, present)
            if self.memory is not None and last is not None and remembered is not None and remembered.seq < last.seq:
                self.memory.remember(last, present)
            version = 0 if own is None else own.version
            if version != after:
                raise TransitionRefused(
                    [Refusal("overtaken", f"Somebody else acted on release {release} at the same moment")], "Review it and try again."
                )
            for event in events:
                if event.release_id != release:
                    raise Defect("Tried to record an event under another release.", "This is a defect of headgate; please report it.")
                last = own = entry_after(last, own, event, actor)
                stored.append(last, event.subject)
                added.append(last)
        if self.memory is not None and added:
            with suppress(HeadgateError):
                self.memory.remember(added[-1], present)
        if is_logging():
            self._log(added)
        return tuple(added)

    def _log(self, added: Sequence[Entry]) -> None:
        with suppress(HeadgateError):
            for entry in added:
                with self.store.reading() as stored:
                    first = stored.first(entry.release)
                begun = None if first is None else event_of(first)
                dataset = begun.dataset if isinstance(begun, RunStarted) else ""
                log(LogLine(entry.type, "warning" if entry.type in BAD_ENDS else "info", entry.release, dataset))

    def entries(self, release: str | None = None) -> tuple[Entry, ...]:
        """As stored, in the order of the ledger."""
        with self.store.reading() as stored:
            return stored.entries(release)

    def events_of(self, release: str) -> tuple[Event, ...]:
        """A release's events, oldest first; empty if the ledger does not know the release."""
        return tuple(event_of(entry) for entry in self.entries(release))

    def about(self, type: str, subject: str, prefix: bool = False) -> tuple[Entry, ...]:
        """The entries of a type that are about a subject, or about one that begins so, newest first."""
        with self.store.reading() as stored:
            return tuple(_checked(entry, subject, prefix) for entry in stored.about(type, subject, prefix))

    def releases_beginning(self, prefix: str) -> tuple[str, ...]:
        with self.store.reading() as stored:
            return stored.beginning(prefix)

    def newest_about(self, type: str, subject: str) -> Iterator[Entry]:
        """The same, each read when it is taken: who needs the newest pays for that one alone."""
        with self.store.reading() as stored:
            for entry in stored.about(type, subject):
                yield _checked(entry, subject)

    def verify_chain(self) -> tuple[Entry, ...]:
        """Every entry, after every hash and link has been checked; IntegrityBroken names the first that does not hold."""
        return tuple(entry for entry, _ in self.verified())

    def verified(self, hears: Hears | None = None) -> tuple[tuple[Entry, Event], ...]:
        """Every entry with its event, after all that they hold has been checked. The one place that reads the whole ledger. Who `hears` is
        told now and then how many events are checked, and of how many."""
        with self.store.reading() as stored:
            entries, subjects = stored.entries(), stored.subjects()
        check_chain(entries if hears is None else _told(entries, hears))
        events = tuple(require_subject(entry, subject) for entry, subject in zip(entries, subjects, strict=True))
        return tuple(zip(entries, events, strict=True))

    def lock(self, dataset: str, release: str) -> AbstractContextManager[DatasetLock]:
        """Never two releases of one dataset at a time."""
        return dataset_lock(self.store, dataset, release)

    @contextmanager
    def still_ours(self, lock: DatasetLock, release: str, after: int) -> Iterator[None]:
        """For what must not be done by a process that stood still while others went on. Nobody writes meanwhile: TransitionRefused
        unless the lock is still held, and the release has had nothing but readers since its `after` events."""
        begun, problem = False, None
        try:
            with self.store.writing() as stored:
                holder, later = stored.lock_of(lock.dataset), stored.entries(release)[after:]
                if holder is None or holder.holder != lock.holder or any(entry.type not in READING_EVENTS for entry in later):
                    raise TransitionRefused([Refusal("overtaken", STOOD_STILL.format(release))], "See `headgate audit show`.")
                begun = True
                try:
                    yield
                except BaseException as its_own:  # noqa: BLE001 - raised below, so that the store does not take it for its own
                    problem = its_own
        except StoreUnavailable:
            if not begun:  # nothing is written, so that how the transaction ends is no matter
                raise
        if problem is not None:
            raise problem

    def require_remembered(self) -> None:
        """IntegrityBroken unless the head that the home remembers lies on the chain."""
        remembered = self._remembered()
        with self.store.reading() as stored:
            self._require_holds(stored, remembered)

    def now(self) -> datetime:
        """The ledger's time: whole seconds, and not before the last event. Nothing may be signed or recorded by a clock that was set back,
        or forward since the machine started."""
        present, remembered = self._present(), self._remembered()
        with self.store.reading() as stored:
            self._require_holds(stored, remembered)
            last = stored.last()
        return self._require_time(remembered, last, present)

    def seen_now(self) -> datetime:
        """The moment for those who only read: never before the last event, and of a clock that is not asked whether it is right."""
        with self.store.reading() as stored:
            last = stored.last()
        return self._present() if last is None else max(self._present(), moment(last.at))

    def last(self) -> Entry | None:
        """The newest event of all releases."""
        with self.store.reading() as stored:
            return stored.last()

    def remember_anew(self) -> None:
        """The operator's word that this ledger and this clock are the right ones."""
        if self.memory is None:
            raise Defect("A ledger without its home cannot be remembered.", "This is a defect of headgate; please report it.")
        present = self._present()
        with self.store.writing() as stored:
            last = stored.last()
            if last is not None:
                require_not_behind(present, moment(last.at))
            self.memory.remember(last, present, anew=True)

    def _present(self) -> datetime:
        return self.clock().astimezone(UTC).replace(microsecond=0)

    def _remembered(self) -> Remembered | None:
        """Read before the ledger is: others may append meanwhile."""
        return None if self.memory is None else self.memory.read()

    def _require_holds(self, stored: LedgerTransaction, remembered: Remembered | None) -> None:
        if self.memory is not None:
            require_remembered(remembered, stored)

    def _require_time(self, remembered: Remembered | None, last: Entry | None, present: datetime) -> datetime:
        before = present if last is None else moment(last.at).astimezone(UTC)
        require_not_behind(present, before)
        if self.memory is not None:
            self.memory.require_time(remembered, present, before)
        return max(present, before)


def _told(entries: tuple[Entry, ...], hears: Hears) -> Iterator[Entry]:
    for place, entry in enumerate(entries):
        if place % TOLD_EVERY == 0:
            hears(place, len(entries))
        yield entry
    hears(len(entries), len(entries))


def event_of(entry: Entry) -> Event:
    """The typed event of an entry, which must say in its payload what its columns say."""
    event = read_event(entry.payload)
    said = (event.release_id, event.event, event.at, event.signer.principal if isinstance(event, SignedEvent) else entry.actor)
    if said != (entry.release, entry.type, entry.at, entry.actor):
        raise IntegrityBroken(f"Event {entry.seq} contradicts its own payload.", RESTORE)
    return event


def require_subject(entry: Entry, subject: str) -> Event:
    """Its event, which must be about what the store says."""
    event = event_of(entry)
    if event.subject != subject:
        raise _listed_wrongly(entry)
    return event


def _checked(entry: Entry, subject: str, prefix: bool = False) -> Entry:
    """What the store says an entry is about proves nothing: the event says it."""
    check_entry(entry, "Event")
    said = event_of(entry).subject
    if said != subject and not (prefix and said.startswith(subject)):
        raise _listed_wrongly(entry)
    return entry


def _listed_wrongly(entry: Entry) -> IntegrityBroken:
    return IntegrityBroken(f"Event {entry.seq} is listed under something that it is not about.", RESTORE)


def entry_after(last: Entry | None, own: Entry | None, event: Event, actor: str) -> Entry:
    seq, previous = (1, START) if last is None else (last.seq + 1, last.hash)
    version, own_previous = (1, START) if own is None else (own.version + 1, own.hash)
    fields = (seq, event.release_id, version, event.event, event.at, actor, event.model_dump_json(), own_previous, previous)
    return Entry(*fields, entry_hash(*fields))
