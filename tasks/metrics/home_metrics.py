"""A home's figures as Prometheus takes them. Labels are datasets, states, kinds of gates and the product's own words; none holds a value,
a name of a person or an address."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric

from headgate.core.errors import HeadgateError, IntegrityBroken
from policies.gates.every_gate import GATES
from policies.ledger.fold import EXPIRING
from policies.ledger.states import State
from tasks.approval.approvals import operator_roots
from tasks.backup.last_backup import last_backup
from tasks.ledger.machine_time import machine_clock
from tasks.ledger.open_ledger import read_ledger
from tasks.metrics.ledger_tally import BUCKETS, LedgerTally, Spread
from tasks.notification.waiting_notices import waiting_notices
from tasks.runtime.home import Home
from tasks.verification.kept_heads import kept_heads

AGAIN_SECONDS = 15.0  # what does not lie in the ledger is read no more often
QUEUES = {"approval": (State.AWAITING_APPROVAL,), "publication": (State.APPROVED, State.PUBLISHING), "operator": (State.STALLED,)}
GATE_NAMES = frozenset(gate.name for gate in GATES)
OTHER = "other"


@dataclass(eq=False)
class HomeMetrics:
    """A collector of Prometheus. What cannot be read is missing from the answer, and `headgate_ledger_holds` or `headgate_ledger_readable`
    says so."""

    home: Home
    tally: LedgerTally
    clock: Callable[[], datetime] = machine_clock
    _home: tuple[float, tuple[Metric, ...]] | None = None

    @classmethod
    def of(cls, home: Home) -> HomeMetrics:
        return cls(home, LedgerTally(read_ledger(home)))

    def registry(self) -> CollectorRegistry:
        registry = CollectorRegistry(auto_describe=False)
        registry.register(self)
        return registry

    def describe(self) -> Iterable[Metric]:
        return ()

    def read_through(self) -> None:
        """Before anybody asks; what is wrong with the ledger is told when they do."""
        with suppress(HeadgateError):
            self._read_on()

    def _read_on(self) -> None:
        while self.tally.read_on():
            pass

    def collect(self) -> Iterator[Metric]:
        start = time.perf_counter()
        holds = readable = 1.0
        try:
            if self.tally.read:
                self.tally.ledger.require_remembered()
                self._read_on()
        except IntegrityBroken:
            holds = 0.0
        except HeadgateError:
            readable = 0.0
        yield _gauge("headgate_ledger_holds", "1 while the chain of events holds, 0 where it does not.", holds)
        yield _gauge("headgate_ledger_readable", "1 while the ledger can be read.", readable)
        yield _gauge("headgate_ledger_events", "Events of the ledger that were read.", float(self.tally.seq))
        if self.tally.read:
            with self.tally.lock:
                yield from self._of_ledger(self.clock())
        yield from self._beside()
        yield _gauge("headgate_scrape_seconds", "What this answer took.", time.perf_counter() - start)

    def _of_ledger(self, now: datetime) -> Iterator[Metric]:
        tally = self.tally
        if tally.last is not None:
            yield _gauge("headgate_last_event_timestamp_seconds", "When something was recorded last.", tally.last.timestamp())
        releases = GaugeMetricFamily("headgate_releases", "Releases by dataset and state.", labels=("dataset", "state"))
        for (dataset, state), number in sorted(tally.states(now).items()):
            releases.add_metric((dataset, state), number)
        yield releases
        refusals = CounterMetricFamily("headgate_gate_refusals", "Releases that a gate refused, by kind of gate.", labels=("gate",))
        known = dict.fromkeys(sorted({*GATE_NAMES, OTHER}), 0)
        for gate, number in tally.refusals.items():
            known[gate if gate in GATE_NAMES else OTHER] += number
        for gate, number in known.items():
            refusals.add_metric((gate,), number)
        yield refusals
        phases = "Seconds of a run from one event of the ledger to the next, by the event that ended them."
        yield _histogram("headgate_run_phase_seconds", phases, "event", tally.phases)
        yield _histogram("headgate_run_seconds", "Seconds of a whole run, by how it ended.", "outcome", tally.runs)
        yield from self._queues(now)
        published = GaugeMetricFamily("headgate_last_published_timestamp_seconds", "When a dataset came out last.", labels=("dataset",))
        for dataset, at in sorted(tally.published.items()):
            published.add_metric((dataset,), at.timestamp())
        yield published

    def _queues(self, now: datetime) -> Iterator[Metric]:
        length = GaugeMetricFamily("headgate_queue_length", "Releases that wait, by what they wait for.", labels=("queue",))
        oldest = GaugeMetricFamily("headgate_queue_age_seconds", "How long the one that waits longest has waited.", labels=("queue",))
        deadlines: dict[str, datetime] = {}
        waiting: dict[str, list[datetime]] = {queue: [] for queue in QUEUES}
        for release in self.tally.open.values():
            undecided = release.deadline if release.state in EXPIRING else None
            if undecided is not None and now > undecided:
                continue
            for queue, states in QUEUES.items():
                if release.state in states:
                    waiting[queue].append(release.since)
            if undecided is not None:
                deadlines[release.dataset] = min(undecided, deadlines.get(release.dataset, undecided))
        for queue, since in waiting.items():
            length.add_metric((queue,), len(since))
            oldest.add_metric((queue,), max(0.0, (now - min(since)).total_seconds()) if since else 0.0)
        yield length
        yield oldest
        days = GaugeMetricFamily("headgate_approval_expiry_days", "Days until a candidate of the dataset expires.", labels=("dataset",))
        for dataset, deadline in sorted(deadlines.items()):
            days.add_metric((dataset,), (deadline - now).total_seconds() / 86_400)
        yield days

    def _beside(self) -> tuple[Metric, ...]:
        """What the home keeps outside of its ledger."""
        present = time.monotonic()
        if self._home is None or present - self._home[0] > AGAIN_SECONDS:
            self._home = present, tuple(self._read_beside(self.clock()))
        return self._home[1]

    def _read_beside(self, now: datetime) -> Iterator[Metric]:
        for read in (self._keys, self._heads, self._backup, self._notifications):
            try:
                yield from tuple(read(now))
            except HeadgateError:
                continue

    def _keys(self, now: datetime) -> Iterator[Metric]:
        ends = [entry.valid_before for entry in operator_roots(self.home).entries if entry.valid_before is not None]
        yield _gauge("headgate_keys_expired", "Keys on the list of signers that have expired.", float(sum(end <= now for end in ends)))
        left = [end for end in ends if end > now]
        if left:
            days = (min(left) - now).total_seconds() / 86_400
            yield _gauge("headgate_key_expiry_days", "Days until the next key of a signer expires.", days)

    def _heads(self, now: datetime) -> Iterator[Metric]:
        heads = kept_heads(self.home)
        if heads:
            newest = max(datetime.fromisoformat(each.head.at) for each in heads)
            help = "Age of the newest head that an auditor cosigned, of those that the home keeps a copy of."
            yield _gauge("headgate_cosigned_head_age_seconds", help, (now - newest).total_seconds())

    def _backup(self, now: datetime) -> Iterator[Metric]:
        backup = last_backup(self.home)
        if backup is not None:
            yield _gauge("headgate_backup_age_seconds", "Age of the last backup that the home knows of.", (now - backup.at).total_seconds())

    def _notifications(self, now: datetime) -> Iterator[Metric]:
        waiting = waiting_notices(self.home)
        since = [datetime.fromisoformat(each.since) for each in waiting if each.since]
        yield _gauge("headgate_notifications_waiting", "Messages that wait to be sent.", float(sum(each.waiting for each in waiting)))
        age = (now - min(since)).total_seconds() if since else 0.0
        yield _gauge("headgate_notifications_age_seconds", "How long the oldest message that waits has waited.", max(0.0, age))
        given_up = float(sum(each.given_up for each in waiting))
        yield _gauge("headgate_notifications_given_up", "Messages that were given up in the last 400 days.", given_up)


def _gauge(name: str, help: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, help, value=value)


def _histogram(name: str, help: str, label: str, spreads: dict[str, Spread]) -> HistogramMetricFamily:
    family = HistogramMetricFamily(name, help, labels=(label,))
    for said, spread in sorted(spreads.items()):
        ends, total = [], 0
        for end, count in zip((*map(str, BUCKETS), "+Inf"), spread.counts, strict=True):
            total += count
            ends.append((end, float(total)))
        family.add_metric((said,), ends, spread.total)
    return family
