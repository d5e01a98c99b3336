"""How often somebody who has signed in may have something kept or worked out for them: it fills the home, and takes its time."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import MappingProxyType

from tasks.ledger.machine_time import machine_clock

PER_HOUR: Mapping[str, int] = MappingProxyType(
    {"statement": 30, "signature": 30, "comment": 30, "head": 10, "check": 10, "passkey": 20, "export": 20, "access": 60}
)
MOST_KEYS = 10_000  # remembered at once; the oldest go first


class TooOften(Exception):
    """`until`: from when on they may again."""

    def __init__(self, most: int, until: datetime) -> None:
        self.most, self.until = most, until


@dataclass
class Allowance:
    per_hour: Mapping[str, int] = field(default_factory=lambda: PER_HOUR)
    within: timedelta = timedelta(hours=1)
    clock: Callable[[], datetime] = machine_clock
    _taken: OrderedDict[tuple[str, str], deque[datetime]] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, principal: str, what: str) -> None:
        """Before it is done. TooOften where they have had it that many times within the hour."""
        with self._lock:
            moments, present, most = self._taken.setdefault((principal, what), deque()), self.clock(), self.per_hour[what]
            self._taken.move_to_end((principal, what))
            while moments and present - moments[0] >= self.within:
                moments.popleft()
            while len(self._taken) > MOST_KEYS:
                self._taken.popitem(last=False)
            if len(moments) >= most:
                raise TooOften(most, moments[0] + self.within)
            moments.append(present)
