"""Jobs on the workers of a Dask cluster. They have the same outcomes as in one process: a job's seed decides its groups, and a table's
regions follow from the table."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from distributed import Client

from policies.jobs.engine import Ended
from policies.jobs.spool import Reference
from policies.jobs.table_job import TableJob, TableOutcome, Workplace
from tasks.cluster.in_flight import Answer, InFlight, Shared, threads_of
from tasks.cluster.remote_work import run_job
from tasks.cluster.shared_files import SharedFiles


class SentJobs:
    """`place` is this process's own: what jobs refer to, and what does not lie in `files` yet, is taken from its spool. `named`: under
    which name workers tell how far jobs are that are sent together; `waits` is called before this thread waits for them."""

    def __init__(
        self,
        place: Workplace,
        client: Client,
        files: SharedFiles,
        shared: Shared,
        named: Callable[[], str],
        waits: Callable[[], None] = lambda: None,
    ) -> None:
        self.place, self.client, self.files, self.shared = place, client, files, shared
        self._named, self._waits = named, waits

    @property
    def workers(self) -> int:
        return max(1, threads_of(self.client))

    def map(self, jobs: Sequence[TableJob], ended: Ended | None = None) -> list[TableOutcome]:
        answers = self._each(jobs, ended, to_the_end=False)
        problems = [answers[number].problem for number in sorted(answers) if answers[number].problem is not None]
        if problems:
            raise problems[0]  # type: ignore[misc]
        return [answers[number].thing for number in range(len(jobs))]

    def attempt(self, jobs: Sequence[TableJob]) -> list[TableOutcome | Exception]:
        answers = self._each(jobs, None, to_the_end=True)
        return [answers[number].problem or answers[number].thing for number in range(len(jobs))]

    def _each(self, jobs: Sequence[TableJob], ended: Ended | None, to_the_end: bool) -> dict[int, Answer]:
        call = self._named()
        answers: dict[int, Answer] = {}
        sent: dict[int, Reference[TableJob]] = {}

        def send(number: int) -> tuple[Any, ...]:
            if number not in sent:
                self._share(jobs[number])
                sent[number] = self.files.put(jobs[number])
            return self.shared, sent[number].key, call, number

        def heard(number: int, answer: Answer) -> bool:
            answers[number] = answer
            self.files.drop(sent[number])
            if ended is not None and answer.problem is None:
                ended()
            return to_the_end or answer.problem is None

        self._waits()
        InFlight(self.client, self.files, run_job, send, self.place.stopping.is_set).run(len(jobs), self.workers, heard)
        return answers

    def _share(self, thing: Any) -> None:
        """What a job refers to, and what that refers to in the job's own parts."""
        for field in fields(thing):
            part = getattr(thing, field.name)
            if isinstance(part, Reference):
                if not self.files.holds(part):
                    self.files.keep(part, self.place.spool.get(part))
            elif is_dataclass(part) and not isinstance(part, type):
                self._share(part)


def call_name() -> str:
    return secrets.token_hex(4)
