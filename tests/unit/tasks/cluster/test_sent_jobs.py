"""What is sent with jobs: what they refer to, unless it lies there already. What they come to is tested with the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from policies.jobs.table_job import TableJob, Workplace
from tasks.cluster.sent_jobs import SentJobs
from tasks.cluster.shared_files import SharedFiles, new_key


def test_what_lies_in_the_spool_already_is_not_written_again(jobs: list[TableJob], place: Workplace, tmp_path: Path) -> None:
    files: Any = SharedFiles(tmp_path, new_key())
    sent = SentJobs(place, None, files, None, str)  # type: ignore[arg-type]
    for job in jobs:
        sent._share(job)
    (held,) = tmp_path.iterdir()
    before = held.stat().st_mtime_ns
    assert held.name == jobs[0].columns.key
    sent._share(jobs[1])
    assert held.stat().st_mtime_ns == before
