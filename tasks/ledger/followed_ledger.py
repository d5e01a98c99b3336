"""A ledger that is read once and then followed: who answers many questions reads only what was added since the last one.

Every event is checked as it is read, as for whoever reads the whole: its hash, its links, what it says, and that its release allows it.
What is kept lies in memory alone. What was read once is not read again: a change of old events is found by `headgate audit verify`.
"""

from __future__ import annotations

import threading
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from headgate.core.errors import IntegrityBroken
from policies.ledger.events import moment
from policies.ledger.fold import apply, begin
from policies.ledger.standing import Release
from policies.ledger.transitions import READING_EVENTS
from tasks.ledger.chain import RESTORE, START, Entry, check_follows, in_order
from tasks.ledger.event_log import Ledger, require_subject
from tasks.ledger.history import KnownReleases, Mark, all_as_latest

AT_ONCE = 10_000


class Names:
    """Few different words, each kept once and numbered."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self._places: dict[str, int] = {}

    def place(self, word: str) -> int:
        if word not in self._places:
            self._places[word] = len(self.words)
            self.words.append(word)
        return self._places[word]

    def find(self, word: str) -> int | None:
        return self._places.get(word)


@dataclass
class EventColumns:
    """Of every event, in the order of the ledger, what it can be found by: the event at place i is number i + 1. `releases`, `types` and
    `actors` hold places in the names of the same kind, `moments` seconds since 1970."""

    releases: array[int] = field(default_factory=lambda: array("I"))
    types: array[int] = field(default_factory=lambda: array("I"))
    actors: array[int] = field(default_factory=lambda: array("I"))
    moments: array[int] = field(default_factory=lambda: array("q"))
    release_names: Names = field(default_factory=Names)
    type_names: Names = field(default_factory=Names)
    actor_names: Names = field(default_factory=Names)

    def add(self, entry: Entry) -> None:
        self.releases.append(self.release_names.place(entry.release))
        self.types.append(self.type_names.place(entry.type))
        self.actors.append(self.actor_names.place(entry.actor))
        self.moments.append(int(moment(entry.at).timestamp()))

    def __len__(self) -> int:
        return len(self.moments)


@dataclass(frozen=True)
class FollowedHistory(KnownReleases):
    """As far as the ledger was read. `columns` goes on growing: look at the first `seq` of each only."""

    seq: int = 0
    hash: str = START
    columns: EventColumns = field(default_factory=EventColumns, compare=False, repr=False)
    _folded: tuple[Release, ...] = ()
    _marks: Mapping[str, Mapping[str, Mark]] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def _releases(self) -> tuple[Release, ...]:
        return all_as_latest(map(self._as_of_now, self._folded))

    @cached_property
    def _by_id(self) -> Mapping[str, Release]:
        return {release.release_id: release for release in self._releases}

    def release(self, release: str) -> Release:
        return self._by_id[release] if release in self._by_id else super().release(release)

    def find(self, name: str) -> Release:
        named = self._by_id.get(name) or next((release for release in self._releases if release.candidate == name != ""), None)
        return named or super().find(name)

    def newest(self, release: str, *types: str) -> Mark:
        marks = self._marks[release]
        return max((marks[type] for type in types if type in marks), key=lambda mark: mark.seq)

    def latest(self, release: str) -> Mark:
        """Its newest event but that somebody looked or wrote something."""
        return max((mark for mark in self._marks[release].values() if mark.type not in READING_EVENTS), key=lambda mark: mark.seq)


@dataclass
class FollowedLedger:
    """For one process, whose threads may ask at once."""

    ledger: Ledger
    columns: EventColumns = field(default_factory=EventColumns)
    seq: int = 0
    hash: str = START
    _folded: dict[str, Release] = field(default_factory=dict)
    _ends: dict[str, Entry] = field(default_factory=dict)
    _marks: dict[str, dict[str, Mark]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def history(self) -> FollowedHistory:
        """Up to this moment."""
        with self._lock:
            while self._read_on():
                pass
            return FollowedHistory(
                self.ledger, seq=self.seq, hash=self.hash, columns=self.columns, _folded=tuple(self._folded.values()), _marks=self._marks
            )

    def read_on(self) -> bool:
        """A part of what is lacking; False where nothing is."""
        with self._lock:
            return self._read_on()

    def _read_on(self) -> bool:
        with self.ledger.store.reading() as stored:
            read = stored.following(self.seq, AT_ONCE)
        if self.seq:
            if not read or (read[0][0].seq, read[0][0].hash) != (self.seq, self.hash):
                raise IntegrityBroken(f"Event {self.seq} of the ledger is not the one that was read before.", RESTORE)
            read = read[1:]
        self._take(read)
        return bool(read)

    def _take(self, read: Iterable[tuple[Entry, str]]) -> None:
        pairs = list(read)
        for entry, (_, subject) in zip(in_order((entry for entry, _ in pairs), self.seq, self.hash), pairs, strict=True):
            before = self._ends.get(entry.release)
            check_follows(entry, before)
            event = require_subject(entry, subject)
            folded = self._folded.get(entry.release)
            self._folded[entry.release] = begin(event) if folded is None else apply(folded, event)
            self._ends[entry.release] = replace(entry, payload="")
            self._marks.setdefault(entry.release, {})[entry.type] = Mark(entry.seq, entry.type, entry.at)
            self.columns.add(entry)
            self.seq, self.hash = entry.seq, entry.hash
