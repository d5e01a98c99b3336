"""Who follows something live, and how often at once: each keeps a connection, of which there are only so many for everybody."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Followers:
    each: int = 6
    most: int = 60
    _open: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def has_room(self, principal: str) -> bool:
        with self._lock:
            return self._has_room(principal)

    @contextmanager
    def following(self, principal: str) -> Iterator[bool]:
        """False where there is no room left."""
        with self._lock:
            comes = self._has_room(principal)
            self._open[principal] += comes
        try:
            yield comes
        finally:
            with self._lock:
                self._open[principal] -= comes
                self._open += Counter()  # forgets who has left

    def _has_room(self, principal: str) -> bool:
        return self._open[principal] < self.each and self._open.total() < self.most
