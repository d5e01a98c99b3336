"""What machines are told of a run, besides whoever listens in the terminal: lines of the log, and spans. Ids, names of steps and tables,
and seconds; whatever is wrong with either stops no release."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from tasks.release.listener import Listener
from tasks.runtime.json_log import LogLine, is_logging, log
from tasks.runtime.traces import Traces, opened_traces, wants_traces


class ObservedSteps(Listener):
    """Tells another listener what it hears."""

    def __init__(self, inner: Listener, release: str, dataset: str, traces: Traces | None) -> None:
        self._inner, self._release, self._dataset, self._traces = inner, release, dataset, traces

    def began(self, step: str, table: str = "") -> None:
        self._inner.began(step, table)

    def ended(self, step: str, table: str, seconds: float, well: bool) -> None:
        self._inner.ended(step, table, seconds, well)
        outcome, level = ("done", "info") if well else ("stopped", "warning")
        log(LogLine("step", level, self._release, self._dataset, step, table, outcome=outcome, seconds=seconds))
        if self._traces is not None:
            self._traces.step(step, table, seconds, well)

    def working(self, step: str, done: int, total: int, what: str) -> None:
        self._inner.working(step, done, total, what)


@contextmanager
def observed(inner: Listener, release: str, dataset: str) -> Iterator[Listener]:
    """`inner` itself where nobody else is to be told."""
    if not (is_logging() or wants_traces()):
        yield inner
        return
    start, well = time.perf_counter(), False
    with opened_traces(release, dataset) as traces:
        try:
            yield ObservedSteps(inner, release, dataset, traces)
            well = True
        finally:
            seconds = time.perf_counter() - start
            if traces is not None:
                traces.end(well)
            outcome, level = ("done", "info") if well else ("stopped", "warning")
            log(LogLine("release", level, release, dataset, outcome=outcome, seconds=seconds))
