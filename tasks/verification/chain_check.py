"""Checking the whole ledger while people wait and watch: one check at a time, in a thread of its own, and what the last one found."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from datetime import datetime

from headgate.core.errors import HeadgateError
from tasks.ledger.event_log import Ledger
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

    def start(self) -> None:
        """Nothing more where one goes on."""
        with self._lock:
            if not self.running:
                self.done = self.total = 0
                self._running = threading.Thread(target=self._check, name="chain check", daemon=True)
                self._running.start()

    def wait(self, seconds: float) -> None:
        if self._running is not None:
            self._running.join(seconds)

    def _check(self) -> None:
        at = self.ledger.seen_now()
        try:
            report = examine_audit(self.home, self.ledger, cosigned=kept_heads(self.home), hears=self._heard)
            self.last = Checked(at, report)
        except HeadgateError as problem:
            self.last = Checked(at, None, problem)

    def _heard(self, done: int, total: int) -> None:
        self.done, self.total = done, total
