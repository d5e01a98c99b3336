"""What a browser keeps while somebody signs in elsewhere: signed by this process, for ten minutes, and for one return."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta

from console.access.provider import Begun
from tasks.ledger.machine_time import machine_clock

MOST = 10_000


@dataclass(frozen=True)
class Trip:
    """`join` and `name`: of an invitation, where somebody comes from one. `then`: the page that they wanted."""

    begun: Begun
    join: str = ""
    name: str = ""
    then: str = "/"


@dataclass
class RoundTrips:
    longest: timedelta = timedelta(minutes=10)
    clock: Callable[[], datetime] = machine_clock
    _key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    _back: OrderedDict[str, None] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def cookie(self, trip: Trip) -> str:
        said = base64.urlsafe_b64encode(json.dumps([self.clock().timestamp(), asdict(trip)]).encode()).decode()
        return f"{said}.{self._mac(said)}"

    def back(self, cookie: str) -> Trip | None:
        """None where nobody left, or too long ago, or came back already."""
        said, _, mac = cookie.rpartition(".")
        if not said or not hmac.compare_digest(self._mac(said).encode(), mac.encode()):
            return None
        left, fields = json.loads(base64.urlsafe_b64decode(said))
        if not 0 <= self.clock().timestamp() - left < self.longest.total_seconds():
            return None
        trip = Trip(Begun(**fields.pop("begun")), **fields)
        with self._lock:
            if trip.begun.state in self._back:
                return None
            self._back[trip.begun.state] = None
            while len(self._back) > MOST:
                self._back.popitem(last=False)
        return trip

    def _mac(self, said: str) -> str:
        return hmac.new(self._key, said.encode(), hashlib.sha256).hexdigest()
