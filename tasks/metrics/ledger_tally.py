"""What a ledger says in numbers. It is read once and then followed: who asks again pays for what was added since.

Of a release that nothing can happen to any more, nothing is kept but that there is one more in its state.
"""

from __future__ import annotations

import json
import threading
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from headgate.core.errors import IntegrityBroken
from policies.ledger.events import moment
from policies.ledger.fold import EXPIRING, fold
from policies.ledger.states import State
from policies.ledger.transitions import READING_EVENTS, TRANSITIONS
from tasks.ledger.chain import RESTORE, START, Entry, in_order
from tasks.ledger.event_log import Ledger, event_of

AT_ONCE = 10_000
MOST_DATASETS = 2_000
OTHERS = "others"  # the datasets beyond these, together
BUCKETS = (1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0, 14400.0)
RUN = "run_started"
_TARGETS: dict[tuple[str, State], set[State]] = defaultdict(set)
for _row in TRANSITIONS:
    _TARGETS[_row.event, _row.source].add(_row.target)
_LEFT = {row.source for row in TRANSITIONS if row.source is not row.target}


@dataclass
class Spread:
    """How often something took how long, by upper ends of seconds."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS) + 1))
    total: float = 0.0

    def add(self, seconds: float) -> None:
        self.counts[bisect_left(BUCKETS, seconds)] += 1
        self.total += seconds


@dataclass(slots=True)
class Followed:
    """A release to which something can still happen. `since`: when it came into its state. `voted`: since when nobody has counted whether
    its approvals are enough."""

    dataset: str
    state: State
    began: datetime
    since: datetime
    last: datetime
    deadline: datetime | None = None
    voted: datetime | None = None


@dataclass
class LedgerTally:
    """For one process, whose threads may ask at once."""

    ledger: Ledger
    seq: int = 0
    hash: str = START
    last: datetime | None = None
    read: bool = False  # to the end, once
    ended: Counter[tuple[str, State]] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    phases: dict[str, Spread] = field(default_factory=dict)
    runs: dict[str, Spread] = field(default_factory=dict)
    published: dict[str, datetime] = field(default_factory=dict)
    open: dict[str, Followed] = field(default_factory=dict)
    _datasets: set[str] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def read_on(self) -> bool:
        """A part of what is lacking; False where nothing is. IntegrityBroken where it does not follow what was read."""
        with self.lock:
            return self._read_on()

    def _read_on(self) -> bool:
        with self.ledger.store.reading() as stored:
            found = stored.following(max(self.seq, 1), AT_ONCE)
        if self.seq:
            if not found or (found[0][0].seq, found[0][0].hash) != (self.seq, self.hash):
                raise IntegrityBroken(f"Event {self.seq} of the ledger is not the one that was read before.", RESTORE)
            found = found[1:]
        self._take(found)
        if not found:
            self._count_votes()
            self.read = True
        return bool(found)

    def states(self, now: datetime) -> Counter[tuple[str, State]]:
        """How many releases of each dataset are in each state. An overdue candidate counts as expired."""
        counted = Counter(self.ended)
        for release in self.open.values():
            overdue = release.deadline is not None and release.state in EXPIRING and now > release.deadline
            counted[release.dataset, State.EXPIRED if overdue else release.state] += 1
        return counted

    def _take(self, found: Iterable[tuple[Entry, str]]) -> None:
        pairs = list(found)
        for entry, (_, subject) in zip(in_order((entry for entry, _ in pairs), self.seq, self.hash), pairs, strict=True):
            self.seq, self.hash = entry.seq, entry.hash
            if entry.type not in READING_EVENTS:
                self._follow(entry, subject)

    def _follow(self, entry: Entry, subject: str) -> None:
        at = self.last = moment(entry.at)
        if entry.type == RUN:
            self.open[entry.release] = Followed(self._known(subject), State.RUNNING, at, at, at)
            return
        release = self.open.get(entry.release)
        if release is None:
            return
        state = self._after(entry, release)
        if release.state is State.RUNNING:
            self.phases.setdefault(entry.type, Spread()).add((at - release.last).total_seconds())
            release.last = at
            if state is not State.RUNNING:
                self.runs.setdefault(entry.type, Spread()).add((at - release.began).total_seconds())
                self._ends(entry, release)
        if state is not release.state:
            release.state, release.since = state, at
        if state is State.PUBLISHED:
            self.published[release.dataset] = at
        if state not in _LEFT:
            self.ended[release.dataset, state] += 1
            del self.open[entry.release]

    def _after(self, entry: Entry, release: Followed) -> State:
        targets = _TARGETS.get((entry.type, release.state)) or (release.voted and _TARGETS.get((entry.type, State.APPROVED))) or set()
        if len(targets) == 1:
            return next(iter(targets))
        if targets:
            release.voted = moment(entry.at)
        return release.state

    def _count_votes(self) -> None:
        """Only of those that nothing has decided meanwhile: most that were voted on are published by now."""
        for name, release in self.open.items():
            if release.voted is not None and release.state is State.AWAITING_APPROVAL:
                state = fold(map(event_of, self.ledger.entries(name))).state
                release.state, release.since = state, release.since if state is release.state else release.voted
                release.voted = None

    def _ends(self, entry: Entry, release: Followed) -> None:
        if entry.type == "refused":
            self.refusals.update(json.loads(entry.payload)["failed"])
        elif entry.type == "sealed":
            deadline = json.loads(entry.payload).get("deadline")
            release.deadline = moment(deadline) if deadline else None

    def _known(self, dataset: str) -> str:
        if dataset not in self._datasets and len(self._datasets) >= MOST_DATASETS:
            return OTHERS
        self._datasets.add(dataset)
        return dataset
