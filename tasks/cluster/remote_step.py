"""A step of a release on a worker: it reads, measures and writes there, and the jobs that it tries go to whichever workers are free."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from distributed import get_client, get_worker, secede

from policies.jobs.engine import Engine
from policies.jobs.spool import Reference, Spool
from policies.jobs.table_job import Workplace
from tasks.cluster.in_flight import Shared
from tasks.cluster.remote_work import answered, ended_with_its_task
from tasks.cluster.sent_jobs import SentJobs, call_name
from tasks.cluster.shared_files import SharedFiles
from tasks.cluster.taking_part import build_here
from tasks.runtime.callables import callable_distance

Body = Callable[[Engine, Spool], Any]


def run_step(shared: Shared, step: str, call: str) -> str:
    """How far its jobs are is told under names that begin with its own."""
    worker, client, files = get_worker(), get_client(), SharedFiles(Path(shared.folder), shared.key)
    with ended_with_its_task(worker) as stopping:
        place = Workplace(files, callable_distance, stopping=stopping)
        jobs = SentJobs(place, client, files, shared, lambda: f"{call}.{call_name()}", _once(secede))

        def work() -> Any:
            shared.build.require_same(build_here())
            return files.get(Reference[Body](step))(jobs, files)

        return files.put(answered(work)).key


def _once(leave: Callable[[], None]) -> Callable[[], None]:
    """The jobs of a step need a place to be worked on; what needs no jobs keeps its own, so that no worker does two things at once."""
    left: list[bool] = []

    def wait() -> None:
        if not left:
            left.append(True)
            leave()

    return wait
