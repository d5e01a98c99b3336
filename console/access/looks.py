"""Who looked at which candidate not long ago: that somebody reads on is not another event."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime, timedelta

MOST = 10_000


@dataclass
class Looks:
    again: timedelta = timedelta(hours=1)
    _last: OrderedDict[tuple[str, str], datetime] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def is_new(self, principal: str, what: str, now: datetime) -> bool:
        """Whether it is to be recorded."""
        with self._lock:
            before = self._last.get((principal, what))
            return before is None or not timedelta(0) <= now - before < self.again

    def note(self, principal: str, what: str, now: datetime) -> None:
        """Once it is recorded."""
        with self._lock:
            self._last[principal, what] = now
            self._last.move_to_end((principal, what))
            while len(self._last) > MOST:
                self._last.popitem(last=False)
