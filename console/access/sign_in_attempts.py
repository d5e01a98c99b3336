"""How often somebody may try a password: per account and per address. The answer tells neither whether there is such an account nor
whether the password was right."""

from __future__ import annotations

import ipaddress
import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tasks.ledger.machine_time import machine_clock

MOST_KEYS = 10_000  # remembered at once; the oldest go first


@dataclass
class Attempts:
    per_account: int = 8
    per_address: int = 30
    within: timedelta = timedelta(minutes=15)
    clock: Callable[[], datetime] = machine_clock
    _failed: OrderedDict[str, deque[datetime]] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def allowed(self, account: str, address: str) -> bool:
        """Counts the attempt before it is made: whoever asks many times at once gains nothing, and whose address
        is stopped locks nobody out."""
        with self._lock:
            limits = {f"address {_place(address)}": self.per_address, f"account {account.casefold()}": self.per_account}
            return all(self._count(key, most) for key, most in limits.items())

    def forget(self, account: str) -> None:
        """After the right password."""
        with self._lock:
            self._failed.pop(f"account {account.casefold()}", None)

    def _count(self, key: str, most: int) -> bool:
        moments, present = self._failed.setdefault(key, deque()), self.clock()
        self._failed.move_to_end(key)
        while moments and present - moments[0] >= self.within:
            moments.popleft()
        while len(self._failed) > MOST_KEYS:
            self._failed.popitem(last=False)
        if len(moments) >= most:
            return False
        moments.append(present)
        return True


def _place(address: str) -> str:
    """Of IPv6 the network: whoever has one address there has 2^64 of them."""
    try:
        known = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(known, ipaddress.IPv4Address):
        return str(known)
    return str(known.ipv4_mapped or ipaddress.ip_network((int(known), 64), strict=False))
