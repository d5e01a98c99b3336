"""The ledger as people look through it: events by dataset, release, person, kind and time, page by page, and one of them whole.

Only what stands on a page is read, so that a page of a long ledger takes no longer than one of a short one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from headgate.core.errors import InputRejected
from policies.ledger.events import RunStarted
from policies.ledger.events_of_home import HOME
from policies.ledger.standing import Release
from tasks.ledger.chain import Entry, check_entry
from tasks.ledger.event_log import Ledger, event_of
from tasks.ledger.history import History, read_history
from tasks.ledger.wanted_events import Wanted
from tasks.runtime.home import Home
from tasks.verification.audit import VOTE, EventLine, says, shown_entry

TAKEN_AT_ONCE = 100


@dataclass(frozen=True)
class TrailLine:
    """`entry` without who and when where the vote is `hidden`."""

    entry: Entry
    dataset: str
    hidden: bool = False

    @property
    def day(self) -> str:
        """In UTC; empty where the vote is hidden."""
        return self.entry.at[:10]


@dataclass(frozen=True)
class TrailPage:
    """Newest first. `older`: the number of the event before which the next page ends; None on the last page."""

    lines: tuple[TrailLine, ...]
    older: int | None


@dataclass(frozen=True)
class OneEvent:
    """`before` and `after`: the numbers of its release's own neighbours. An event of the home is of no `release`."""

    line: EventLine
    release: Release | None
    hidden: bool
    before: int | None
    after: int | None


@dataclass
class AuditTrail:
    """What was found of releases is kept: which dataset one belongs to never changes, and a vote that was shown once stays shown."""

    home: Home
    ledger: Ledger
    _datasets: dict[str, str] = field(default_factory=dict)
    _decided: set[str] = field(default_factory=set)

    def page(self, wanted: Wanted, before: int | None = None, most: int = 50) -> TrailPage:
        history = read_history(self.ledger)
        found = tuple(islice(self._lines(history, wanted, before), most + 1))
        return TrailPage(found[:most], found[most - 1].entry.seq if len(found) > most else None)

    def event(self, seq: int) -> OneEvent:
        """By its number; InputRejected if there is none."""
        with self.ledger.store.reading() as stored:
            entry = stored.at(seq)
        if entry is None:
            raise InputRejected(f"The ledger has no event {seq}.", "Go back to the list of events.")
        check_entry(entry, "Event")
        history = read_history(self.ledger)
        own, release = history.of(entry.release), None if entry.release == HOME else history.release(entry.release)
        shown = shown_entry(entry, release)
        line = EventLine(shown, says(self.home, shown) if shown.payload else {})
        place = entry.version - 1
        before = own[place - 1].seq if place > 0 else None
        after = own[place + 1].seq if place + 1 < len(own) else None
        return OneEvent(line, release, not shown.payload, before, after)

    def is_wanted(self, history: History, entry: Entry, wanted: Wanted) -> bool:
        asked = ((wanted.release, entry.release), (wanted.type, entry.type), (wanted.actor, entry.actor))
        if any(value not in ("", found) for value, found in asked) or not wanted.in_time(entry.at):
            return False
        return (not wanted.dataset or self._dataset(entry.release) == wanted.dataset) and not (wanted.actor and self._hides(history, entry))

    def shown(self, history: History, entry: Entry) -> Entry:
        return shown_entry(entry, history.release(entry.release)) if self._hides(history, entry) else entry

    def _lines(self, history: History, wanted: Wanted, before: int | None) -> Iterator[TrailLine]:
        for entry in listed(self.ledger, wanted, before):
            hidden = self._hides(history, entry)
            if hidden and wanted.actor:
                continue  # to be found under a name would tell who has voted
            yield TrailLine(self.shown(history, entry), self._dataset(entry.release), hidden)

    def _hides(self, history: History, entry: Entry) -> bool:
        if entry.type != VOTE or entry.release in self._decided:
            return False
        if history.release(entry.release).hides_votes:
            return True
        self._decided.add(entry.release)
        return False

    def _dataset(self, release: str) -> str:
        if release not in self._datasets:
            with self.ledger.store.reading() as stored:
                first = stored.first(release)
            event = None if first is None else event_of(first)
            self._datasets[release] = event.dataset if isinstance(event, RunStarted) else ""
        return self._datasets[release]


def listed(ledger: Ledger, wanted: Wanted, before: int | None = None) -> Iterator[Entry]:
    """Newest first, from the event before that number; read as they are taken, and each checked against its own hash."""
    with ledger.store.reading() as stored:
        while True:
            entries = stored.listed(wanted, before, TAKEN_AT_ONCE)
            for entry in entries:
                check_entry(entry, "Event")
                if wanted.in_time(entry.at):
                    yield entry
            if len(entries) < TAKEN_AT_ONCE:
                return
            before = entries[-1].seq


def shown_events(trail: AuditTrail, wanted: Wanted) -> Iterator[Entry]:
    """All that are wanted, oldest first, a few at a time: for whoever takes them along."""
    history, seq = read_history(trail.ledger), 1
    while True:
        with trail.ledger.store.reading() as stored:
            read = stored.following(seq, TAKEN_AT_ONCE * 10)
        for entry, _ in read:
            check_entry(entry, "Event")
            if trail.is_wanted(history, entry, wanted):
                yield trail.shown(history, entry)
        if not read:
            return
        seq = read[-1][0].seq + 1
