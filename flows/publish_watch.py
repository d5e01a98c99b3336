"""What `headgate serve` does so that what people approve is published within moments: it looks whether the ledger has grown, and has
`publish-approved` run where there is something to do. A run of it is a process of its own, which takes seconds of the processor to begin:
started again and again for nothing, it cost a server more than all of its releases."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from flows.schedules.wanted_deployments import EVERY
from flows.terminal.served_lines import SaidOnce, what_broke
from tasks.runtime.waiting_time import seconds_in

if TYPE_CHECKING:
    from tasks.publication.publication_queue import PublicationQueue
    from tasks.runtime.home import Home

LOOK_SECONDS = 2.0
LEAST_REST = 20.0  # times what a look took: a ledger that grows all the time costs no more than a twentieth of a core
PUBLISH_SECONDS = 30  # between two runs at least, also where what is due cannot be published
BUSY_SECONDS = 5.0  # until Prefect is asked again whether a run has ended


def again_seconds() -> float:
    """As the operator has set it, or half a minute."""
    return seconds_in(EVERY, PUBLISH_SECONDS)


@dataclass
class PublishWatch:
    """`start` starts a run of `publish-approved`, unless one has not ended."""

    home: Home
    start: Callable[[], bool]
    again: float = PUBLISH_SECONDS
    _head: tuple[int, str] | None = None
    _queue: PublicationQueue | None = field(default=None, repr=False)
    _not_before: float = float("-inf")
    _said: SaidOnce = field(default_factory=SaidOnce)

    async def watch(self) -> None:
        """Until cancelled."""
        while True:
            began = time.monotonic()
            await asyncio.to_thread(self.look)
            await asyncio.sleep(max(LOOK_SECONDS, LEAST_REST * (time.monotonic() - began)))

    def look(self) -> None:
        """Whatever is wrong, `serve` goes on, and says it."""
        try:
            self._look()
            self._said.say("publication", "")
        except Exception as problem:  # noqa: BLE001 - see above
            self._queue = None
            self._said.say("publication", what_broke(problem, "look for what is approved"))

    def _look(self) -> None:
        from tasks.approval.purging_by_rule import looked_lately

        self.home.require_there()
        waits = self._there().waits or not looked_lately(self.home)
        if waits and time.monotonic() >= self._not_before:
            self._not_before = time.monotonic() + (self.again if self.start() else BUSY_SECONDS)

    def _there(self) -> PublicationQueue:
        """Read anew where the ledger has grown, or something came due."""
        from tasks.ledger.open_ledger import read_ledger
        from tasks.publication.publication_queue import publication_queue

        ledger = read_ledger(self.home)
        last = ledger.last()
        head = None if last is None else (last.seq, last.hash)
        if self._queue is None or head != self._head or _has_come(self._queue.next, ledger.clock()):
            self._queue, self._head = publication_queue(ledger), head
        return self._queue


def _has_come(at: datetime | None, now: datetime) -> bool:
    return at is not None and at <= now
