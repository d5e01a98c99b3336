"""What a long run tells while it works, and how it is stopped.

Compiled loops see neither signals nor callbacks, so they work in a thread of their own: they write how far they are to `state` and
look there whether to stop; the caller waits, and so hears Ctrl-C at once. Whoever owns several runs (a release, advice) gives them one
event: once it is set, all of them stop, and none begins any more.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from headgate.grouping.workers import Threads, Workers

DONE, TOTAL, STOP = 0, 1, 2  # places in `state`; a compiled loop returns early, with anything, once state[STOP] is not 0
EVERY = 0.1  # seconds between two looks

Report = Callable[[int, int], None]  # rows done, rows in all
T = TypeVar("T")


class Stopped(KeyboardInterrupt):
    """The run was stopped before it had a result."""


class Watch:
    """One run. `report` is called from the thread that waits, a few times a second. `stopping` is the owner's event; the run ends when it
    is set. `workers` work on the pieces that a table can be divided into."""

    def __init__(self, report: Report | None = None, stopping: threading.Event | None = None, workers: Workers | None = None) -> None:
        self.state: NDArray[np.int64] = np.zeros(3, dtype=np.int64)
        self.workers = workers or Threads()
        self._report = report
        self._stopping = stopping or threading.Event()

    def stop(self) -> None:
        """This run alone."""
        self.state[STOP] = 1

    def require_going(self) -> None:
        if self.state[STOP] or self._stopping.is_set():
            raise Stopped

    def run(self, work: Callable[[], T]) -> T:
        """The result of `work`, which passes `state` to compiled loops. Ctrl-C stops it within a moment."""
        result: list[T] = []
        failed: list[BaseException] = []
        ended = threading.Event()  # not `join`: Ctrl-C during it makes Python take the thread for ended

        def call() -> None:
            try:
                result.append(work())
            except BaseException as problem:  # noqa: BLE001 - raised again where the caller waits
                failed.append(problem)
            finally:
                ended.set()

        self.require_going()
        threading.Thread(target=call, name="headgate").start()
        try:
            while not ended.wait(EVERY):
                if self._stopping.is_set():
                    self.stop()
                if self._report is not None and self.state[TOTAL]:
                    self._report(int(self.state[DONE]), int(self.state[TOTAL]))
        except BaseException:
            self.stop()
            ended.wait()
            raise
        if failed:
            raise failed[0]
        self.require_going()
        return result[0]
