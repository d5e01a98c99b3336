"""A ledger that is read once and then followed: who answers many questions reads only what was added since the last one.

Every event is checked as it is read, as for whoever reads the whole: its hash, its links, what it says, and that its release allows it.
What is kept lies in memory alone. What was read once is not read again: a change of old events is found by `headgate audit verify`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property

from headgate.core.errors import IntegrityBroken
from policies.ledger.events_of_home import OfHome
from policies.ledger.fold import apply, begin
from policies.ledger.standing import Release
from policies.ledger.transitions import READING_EVENTS
from tasks.ledger.chain import RESTORE, START, Entry, OwnEnd, check_follows, in_order
from tasks.ledger.event_log import Ledger, require_subject
from tasks.ledger.history import KnownReleases, Mark

AT_ONCE = 10_000
AGAIN = timedelta(seconds=10)  # so much later a deadline that has passed is seen, where nothing else happens


@dataclass(frozen=True)
class FollowedHistory(KnownReleases):
    """As far as the ledger was read. `of_home`: the events of no release, by their numbers."""

    seq: int = 0
    hash: str = START
    _folded: tuple[Release, ...] = ()
    _marks: Mapping[str, Mapping[str, Mark]] = field(default_factory=dict, compare=False, repr=False)
    of_home: tuple[tuple[int, OfHome], ...] = ()

    @cached_property
    def _releases(self) -> tuple[Release, ...]:
        return self._all_as_of_now(self._folded)

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
        """Its newest event but that somebody looked or wrote something, or voted while votes are hidden: when they did is hidden too."""
        passed_over = READING_EVENTS | ({"approved"} if self.release(release).hides_votes else set())
        return max((mark for mark in tuple(self._marks[release].values()) if mark.type not in passed_over), key=lambda mark: mark.seq)


@dataclass
class FollowedLedger:
    """For one process, whose threads may ask at once."""

    ledger: Ledger
    seq: int = 0
    hash: str = START
    _folded: dict[str, Release] = field(default_factory=dict)
    _ends: dict[str, OwnEnd] = field(default_factory=dict)
    _marks: dict[str, dict[str, Mark]] = field(default_factory=dict)
    _of_home: list[tuple[int, OfHome]] = field(default_factory=list)
    _last: tuple[datetime, FollowedHistory] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def history(self) -> FollowedHistory:
        """Up to this moment. Where nothing was added it is the one of a moment ago: who asks several times for one answer waits once."""
        present = self.ledger.clock()
        with self._lock:
            while self._read_on():
                pass
            if self._last is not None:
                at, before = self._last
                if before.seq == self.seq and timedelta(0) <= present - at < AGAIN:
                    return before
            made = FollowedHistory(
                self.ledger,
                seq=self.seq,
                hash=self.hash,
                _folded=tuple(self._folded.values()),
                _marks=self._marks,
                of_home=tuple(self._of_home),
            )
            self._last = present, made
            return made

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
            if isinstance(event, OfHome):
                self._of_home.append((entry.seq, event))
            else:
                folded = self._folded.get(entry.release)
                self._folded[entry.release] = begin(event) if folded is None else apply(folded, event)
                self._marks.setdefault(entry.release, {})[entry.type] = Mark(entry.seq, entry.type, entry.at)
            self._ends[entry.release] = OwnEnd(entry.version, entry.hash)
            self.seq, self.hash = entry.seq, entry.hash
