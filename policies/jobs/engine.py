"""What runs jobs. Every engine gives the same outcomes: a job's own seed decides its groups, never the number of workers."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Protocol, TypeVar

from headgate.core.errors import HeadgateError
from headgate.grouping.watch import Report
from policies.jobs.table_job import TableJob, TableOutcome, Workplace, try_table

R = TypeVar("R")
Ended = Callable[[], None]


class Engine(Protocol):
    @property
    def workers(self) -> int:
        """Jobs that are worked on at once."""

    def map(self, jobs: Sequence[TableJob], ended: Ended | None = None) -> list[TableOutcome]:
        """The outcomes in the order of the jobs. `ended` is called after each, from whatever thread. A refusal of one is raised when those
        that have begun are done; what else breaks one stops them all."""

    def attempt(self, jobs: Sequence[TableJob]) -> list[TableOutcome | Exception]:
        """The same for jobs that may fail: the exception of a job takes the place of its outcome, and stops no other job."""


class LocalEngine:
    """In threads of this process: the compiled loops let go of Python's lock."""

    def __init__(self, place: Workplace, workers: int | None = None) -> None:
        self.place = place
        self.workers = workers or os.cpu_count() or 1

    def map(self, jobs: Sequence[TableJob], ended: Ended | None = None) -> list[TableOutcome]:
        def work(job: TableJob, place: Workplace) -> TableOutcome:
            outcome = try_table(job, place)
            if ended is not None:
                ended()
            return outcome

        return self._each(work, jobs)

    def attempt(self, jobs: Sequence[TableJob]) -> list[TableOutcome | Exception]:
        return self._each(_attempt_table, jobs)

    def _each(self, work: Callable[[TableJob, Workplace], R], jobs: Sequence[TableJob]) -> list[R]:
        if len(jobs) < 2 or self.workers < 2:
            return [work(job, self.place) for job in jobs]
        progress = Together(self.place.report)
        pool = ThreadPoolExecutor(min(self.workers, len(jobs)), thread_name_prefix="jobs")
        futures = [pool.submit(work, job, replace(self.place, report=progress.of(number))) for number, job in enumerate(jobs)]
        try:
            return [future.result() for future in futures]
        except HeadgateError:
            raise
        except BaseException:  # Ctrl-C, or a defect
            self.place.stopping.set()
            raise
        finally:
            pool.shutdown(cancel_futures=True)


def _attempt_table(job: TableJob, place: Workplace) -> TableOutcome | Exception:
    try:
        return try_table(job, place)
    except Exception as problem:  # noqa: BLE001 - raised by whoever asks for this table, if anybody does
        return problem


class Together:
    """Several jobs at once are reported as one: the sum of what they tell."""

    def __init__(self, report: Report | None) -> None:
        self._report = report
        self._told: dict[int, tuple[int, int]] = {}
        self._one_at_a_time = threading.Lock()

    def of(self, number: int) -> Report:
        def tell(done: int, total: int) -> None:
            if self._report is not None:
                with self._one_at_a_time:
                    self._told[number] = done, total
                    self._report(sum(each for each, _ in self._told.values()), sum(each for _, each in self._told.values()))

        return tell
