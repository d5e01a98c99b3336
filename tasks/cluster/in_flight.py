"""Tasks on a cluster, and what becomes of them: a worker may die, hang or be taken away, and so may the scheduler.

Dask is handed references only, as arguments and as results: neither its scheduler nor its workers' stores hold data, so there is nothing
that they could write to a disk or to a log.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from distributed import Client, Future
from distributed.scheduler import KilledWorker

from headgate.core.errors import HeadgateError, StoreUnavailable
from headgate.grouping.watch import Stopped
from policies.jobs.spool import Reference
from tasks.cluster.shared_files import SharedFiles
from tasks.cluster.taking_part import Build
from tasks.runtime.boundary import class_and_place

LOOK_SECONDS = 0.05
COUNT_SECONDS = 2.0
NO_WORKERS_SECONDS = 60.0
LOST = 3  # times that a task may be lost with the scheduler before the release fails


@dataclass(frozen=True)
class Shared:
    """What every task needs. Its key is shown nowhere."""

    folder: str
    key: bytes = field(repr=False)
    build: Build
    topic: str


@dataclass(frozen=True, eq=False)
class Answer:
    """What a task came to: a thing, or why there is none."""

    thing: Any = None
    problem: HeadgateError | None = None
    stopped: bool = False


Send = Callable[[int], tuple[Any, ...]]  # the arguments of the task of this number: references and figures


class InFlight:
    """`function` is run for each number below `many`, so many at once, in their order. `heard` is given each answer as it comes; once it
    says no, no further task is begun."""

    def __init__(self, client: Client, files: SharedFiles, function: Callable[..., str], send: Send, stopped: Callable[[], bool]) -> None:
        self.client, self.files, self.function, self.send, self.stopped = client, files, function, send, stopped
        self._running: dict[Future, int] = {}
        self._lost = 0
        self._counted = self._last_seen = time.monotonic()

    def run(self, many: int, at_once: int, heard: Callable[[int, Answer], bool]) -> None:
        waiting, going_on = list(range(many - 1, -1, -1)), True
        try:
            while self._running or (waiting and going_on):
                while waiting and going_on and len(self._running) < at_once:
                    self._submit(waiting.pop())
                time.sleep(LOOK_SECONDS)
                if self.stopped():
                    raise Stopped
                for future in [future for future in self._running if future.done()]:
                    number = self._running.pop(future)
                    answer = self._answer(future)
                    if answer is None:
                        waiting.append(number)
                    else:
                        going_on = heard(number, answer) and going_on
                self._require_workers()
        finally:
            if self._running:
                self._cancel()

    def _submit(self, number: int) -> None:
        key = f"headgate-{secrets.token_hex(8)}"
        self._running[self.client.submit(self.function, *self.send(number), key=key, pure=False)] = number

    def _answer(self, future: Future) -> Answer | None:
        """None if the task was lost and is to be tried again."""
        if future.status == "finished":
            reference: Reference[Answer] = Reference(future.result())
            answer = self.files.get(reference)
            self.files.drop(reference)
            if answer.stopped:
                raise Stopped
            return answer
        if future.status == "error":
            return Answer(problem=_problem(future.exception()))
        self._lost += 1
        if self._lost > LOST:
            raise StoreUnavailable("The scheduler lost its tasks again and again.", "Look for why it restarts, and run again.")
        return None

    def _require_workers(self) -> None:
        now = time.monotonic()
        if now - self._counted < COUNT_SECONDS:
            return
        self._counted = now
        if self.client.status == "closed":
            raise StoreUnavailable("The scheduler cannot be reached any more.", "Start it again, and run the release again.")
        if threads_of(self.client):
            self._last_seen = now
        elif now - self._last_seen > NO_WORKERS_SECONDS:
            raise StoreUnavailable(
                f"No worker has been there for {NO_WORKERS_SECONDS:.0f} seconds.", "Start workers, and run the release again."
            )

    def _cancel(self) -> None:
        try:
            self.client.cancel(list(self._running), force=True)
        except Exception as problem:  # noqa: BLE001 - what ends the run is raised; workers end by themselves with their scheduler
            del problem
        self._running.clear()


def threads_of(client: Client) -> int:
    """Of all workers together; 0 while the scheduler cannot be asked."""
    try:
        return sum(client.sync(client.scheduler.ncores, callback_timeout=10).values())
    except Exception:  # noqa: BLE001 - of many kinds, all of which mean the same
        return 0


def _problem(raised: BaseException | None) -> HeadgateError:
    if isinstance(raised, HeadgateError):
        return raised
    if isinstance(raised, KilledWorker):
        return StoreUnavailable(
            "Several workers died one after the other over the same task.",
            "They probably need more memory: use fewer workers on each machine, or larger machines.",
        )
    if isinstance(raised, ModuleNotFoundError):
        return StoreUnavailable("A worker has no headgate.", "Install the same version of headgate for all workers.")
    return StoreUnavailable(
        f"A worker could not do its work ({'unknown' if raised is None else class_and_place(raised)}).", "Run the release again."
    )
