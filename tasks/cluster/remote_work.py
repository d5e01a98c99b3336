"""What runs on workers: a job, and the regions of its table on whichever workers are free.

Nothing that a task raises leaves it but refusals of headgate's own: Dask logs what escapes from tasks, and stores it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from distributed import Client, Worker, get_client, get_worker, secede

from headgate.core.errors import HeadgateError
from headgate.grouping.watch import DONE, STOP
from headgate.grouping.workers import State
from policies.jobs.spool import Reference
from policies.jobs.table_job import TableJob, Workplace, try_table
from tasks.cluster.in_flight import Answer, InFlight, Shared, threads_of
from tasks.cluster.shared_files import SharedFiles
from tasks.cluster.taking_part import build_here
from tasks.runtime.boundary import guarded
from tasks.runtime.callables import callable_distance

CANCELLED_SECONDS = 0.2
AHEAD = 2  # regions for each thread of the cluster that lie ready

T = TypeVar("T")
R = TypeVar("R")


def run_job(shared: Shared, job: str, call: str, number: int) -> str:
    """One table. A callable distance is resolved here, under the list of this worker's operator."""
    worker, client, files = get_worker(), get_client(), SharedFiles(Path(shared.folder), shared.key)
    with ended_with_its_task(worker) as stopping:
        secede()  # the regions of this table need a place to be worked on

        def work() -> Any:
            shared.build.require_same(build_here())
            place = Workplace(files, callable_distance, report, stopping, RemoteWorkers(client, files, shared))
            return try_table(files.get(Reference[TableJob](job)), place)

        def report(done: int, total: int) -> None:
            worker.log_event(shared.topic, [call, number, done, total])

        return files.put(answered(work)).key


def run_piece(shared: Shared, piece: str) -> str:
    files = SharedFiles(Path(shared.folder), shared.key)
    state = np.zeros(3, dtype=np.int64)
    with ended_with_its_task(get_worker(), state):

        def work() -> Any:
            shared.build.require_same(build_here())
            function, given = files.get(Reference[tuple[Callable[[Any, State], Any], Any]](piece))
            return function(given, state), int(state[DONE])

        return files.put(answered(work)).key


class RemoteWorkers:
    """Pieces of a job's table go to whichever workers of the cluster are free."""

    def __init__(self, client: Client, files: SharedFiles, shared: Shared) -> None:
        self.client, self.files, self.shared = client, files, shared

    def each(self, work: Callable[[T, State], R], pieces: Sequence[T], state: State) -> list[R]:
        made: dict[int, R] = {}
        problems: list[HeadgateError] = []
        sent: dict[int, Reference[Any]] = {}

        def send(number: int) -> tuple[Shared, str]:
            if number not in sent:
                sent[number] = self.files.put((work, pieces[number]))
            return self.shared, sent[number].key

        def heard(number: int, answer: Answer) -> bool:
            self.files.drop(sent.pop(number))
            if answer.problem is not None:
                problems.append(answer.problem)
                return False
            made[number], rows = answer.thing
            state[DONE] += rows
            return True

        flight = InFlight(self.client, self.files, run_piece, send, lambda: bool(state[STOP]))
        flight.run(len(pieces), max(1, AHEAD * threads_of(self.client)), heard)
        if problems:
            raise problems[0]
        return [made[number] for number in range(len(pieces))]


def answered(work: Callable[[], Any]) -> Answer:
    try:
        return Answer(guarded(work)())
    except HeadgateError as problem:
        return Answer(problem=problem)
    except KeyboardInterrupt:
        return Answer(stopped=True)


@contextmanager
def ended_with_its_task(worker: Worker, state: State | None = None) -> Iterator[threading.Event]:
    """Dask cannot stop what a thread does: so this looks whether the task is still wanted, and stops the loops if not."""
    stopping, done, key = threading.Event(), threading.Event(), worker.get_current_task()

    def look() -> None:
        while not done.wait(CANCELLED_SECONDS):
            task = worker.state.tasks.get(key)
            if task is None or task.state in ("cancelled", "released", "forgotten"):
                stopping.set()
                if state is not None:
                    state[STOP] = 1
                return

    threading.Thread(target=look, name="cancelled", daemon=True).start()
    try:
        yield stopping
    finally:
        done.set()
