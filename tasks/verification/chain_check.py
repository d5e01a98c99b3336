"""Checking the whole ledger while people wait and watch: one check at a time, in a thread of its own, and what the last one found. That it
was checked, by whom and up to where is an event of the ledger: it is known after a restart, and only while the ledger holds it.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime

from headgate.core.errors import HeadgateError
from policies.ledger.events_of_home import LedgerChecked, OfHome
from tasks.ledger.event_log import Ledger
from tasks.ledger.record_of_home import record_of_home
from tasks.runtime.home import Home
from tasks.verification.audit import AuditReport, examine_audit
from tasks.verification.kept_heads import kept_heads


@dataclass(frozen=True)
class Checked:
    """`problem`: why the check itself came to no end."""

    at: datetime
    report: AuditReport | None
    problem: HeadgateError | None = None

    @property
    def holds(self) -> bool:
        return self.report is not None and not self.report.faults


@dataclass
class ChainCheck:
    """`total` is 0 before it is known how many events there are."""

    home: Home
    ledger: Ledger
    done: int = 0
    total: int = 0
    last: Checked | None = None
    _running: threading.Thread | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def running(self) -> bool:
        return self._running is not None and self._running.is_alive()

    def start(self, who: str) -> None:
        """Nothing more where one goes on."""
        with self._lock:
            if not self.running:
                self.done = self.total = 0
                self._running = threading.Thread(target=self._check, args=(who,), name="chain check", daemon=True)
                self._running.start()

    def wait(self, seconds: float) -> None:
        if self._running is not None:
            self._running.join(seconds)

    def _check(self, who: str) -> None:
        at = self.ledger.seen_now()
        try:
            report = examine_audit(self.home, self.ledger, cosigned=kept_heads(self.home), hears=self._heard)
            self.last = Checked(at, report)
        except HeadgateError as problem:
            self.last = Checked(at, None, problem)
            return
        with suppress(HeadgateError):  # a ledger that does not hold may take no event
            record_of_home(self.ledger, lambda at: _checked(at, who, report), who)

    def _heard(self, done: int, total: int) -> None:
        self.done, self.total = done, total


def _checked(at: str, who: str, report: AuditReport) -> LedgerChecked:
    """`head` is empty where the chain does not hold."""
    return LedgerChecked(
        at=at,
        checked_by=who,
        up_to=report.events,
        head=report.head,
        releases=report.releases,
        versions=report.versions,
        faults=len(report.faults),
    )


def checked_before(ledger: Ledger, of_home: Sequence[tuple[int, OfHome]]) -> LedgerChecked | None:
    """The last check that the ledger tells of. None where there is none, or where the ledger as it is now does not continue what was
    checked then."""
    seq, event = next(((seq, event) for seq, event in reversed(of_home) if isinstance(event, LedgerChecked)), (0, None))
    if event is None or event.faults or not event.up_to:
        return event
    with ledger.store.reading() as stored:
        last = stored.at(event.up_to)
    return event if last is not None and event.up_to < seq and last.hash == event.head else None
