"""When each step of one release began and ended."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from tasks.release.listener import Listener

BEFORE = "start"


class Stopwatch:
    """Steps may run at once, each in a thread of its own; the listener hears of each."""

    def __init__(self, listener: Listener) -> None:
        self.latest = BEFORE  # the step that began last
        self._listener = listener
        self._spans: dict[str, list[tuple[float, float]]] = {}

    @contextmanager
    def timed(self, step: str, table: str = "") -> Iterator[None]:
        self.latest = step
        self._listener.began(step, table)
        start, well = time.perf_counter(), False
        try:
            yield
            well = True
        finally:
            end = time.perf_counter()
            self._spans.setdefault(step, []).append((start, end))
            self._listener.ended(step, table, end - start, well)

    @property
    def seconds(self) -> dict[str, float]:
        """What each step took by the clock; tables that were worked on at once count once."""
        return {step: _covered(spans) for step, spans in self._spans.items()}


def _covered(spans: list[tuple[float, float]]) -> float:
    total, reached = 0.0, 0.0
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total
