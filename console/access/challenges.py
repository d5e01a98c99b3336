"""What a browser was asked to put into a passkey: by this process, for one person, lately, and once."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tasks.ledger.machine_time import machine_clock

BYTES = 32


@dataclass
class Challenges:
    lasts: timedelta = timedelta(minutes=10)
    clock: Callable[[], datetime] = machine_clock
    _asked: dict[str, tuple[bytes, datetime]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, principal: str) -> bytes:
        """A new one: an earlier one of the same person no longer counts."""
        challenge = secrets.token_bytes(BYTES)
        with self._lock:
            self._asked[principal] = (challenge, self.clock() + self.lasts)
        return challenge

    def answered(self, principal: str) -> bytes | None:
        """Counts once."""
        with self._lock:
            challenge, ends = self._asked.pop(principal, (b"", self.clock()))
        return challenge if self.clock() < ends else None
