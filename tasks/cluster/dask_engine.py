"""The engine of a release on a Dask cluster: workers try its tables, and carry out those of its steps that look at data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from distributed import Client

from policies.jobs.engine import Engine, Together
from policies.jobs.spool import Spool
from policies.jobs.table_job import Workplace
from tasks.cluster.in_flight import Answer, InFlight, Shared
from tasks.cluster.remote_step import run_step
from tasks.cluster.sent_jobs import SentJobs, call_name
from tasks.cluster.shared_files import SharedFiles

R = TypeVar("R")


class DaskEngine(SentJobs):
    """What lies in `files` is encrypted; this process has its key as workers do, and looks at nothing that no step gives out."""

    def __init__(self, place: Workplace, client: Client, files: SharedFiles, shared: Shared) -> None:
        super().__init__(place, client, files, shared, self._begun)
        self._call = self._counted = ""
        self._together = Together(None)
        client.subscribe_topic(shared.topic, self._report)

    def carry_out(self, body: Callable[[Engine, Spool], R]) -> R:
        """By one of the workers, and by another one if that dies."""
        sent, call, answers = self.files.put(body), self._begun(), list[Answer]()

        def heard(_number: int, answer: Answer) -> bool:
            answers.append(answer)
            return True

        send = (self.shared, sent.key, call)
        InFlight(self.client, self.files, run_step, lambda _number: send, self.place.stopping.is_set).run(1, 1, heard)
        self.files.drop(sent)
        if answers[0].problem is not None:
            raise answers[0].problem
        result: R = answers[0].thing
        return result

    def _begun(self) -> str:
        self._call = call_name()
        return self._call

    def _report(self, event: tuple[Any, tuple[str, int, int, int]]) -> None:
        """A step may send jobs several times: each time is counted from the start."""
        call, number, done, total = event[1]
        if call.partition(".")[0] != self._call or self.place.stopping.is_set():
            return
        if call != self._counted:
            self._counted, self._together = call, Together(self.place.report)
        self._together.of(number)(done, total)
