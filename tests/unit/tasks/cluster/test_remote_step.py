"""A step of a release on a worker: what it gives out, and what becomes of it where the worker dies."""

from __future__ import annotations

import os
import pickle
import signal
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from headgate.core.errors import Defect, InputRejected
from policies.jobs.table_job import TableJob, TableOutcome
from tasks.cluster.dask_engine import DaskEngine
from tasks.cluster.remote_step import _once
from tests.unit.tasks.cluster.shared_jobs import Reading, Trying, assert_same, breaking, refusing, until, workers_of


def test_a_step_leaves_its_place_to_its_jobs_once() -> None:
    left: list[int] = []
    wait = _once(lambda: left.append(1))
    wait()
    wait()
    assert left == [1]


@pytest.mark.slow
def test_a_step_runs_on_a_worker_and_its_jobs_on_whichever_are_free(
    engine: DaskEngine, jobs: list[TableJob], local: list[TableOutcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[int, int]] = []
    sent: list[bytes] = []
    submit = engine.client.submit

    def noted(function: Any, *given: Any, **named: Any) -> Any:
        sent.append(pickle.dumps(given))
        return submit(function, *given, **named)

    monkeypatch.setattr(engine, "place", replace(engine.place, report=lambda done, total: told.append((done, total))))
    monkeypatch.setattr(engine.client, "submit", noted)
    for job in jobs:
        engine._share(job)
    outcomes, process = engine.carry_out(Trying(tuple(jobs)))
    assert_same(outcomes, local)
    assert process in workers_of(engine)
    assert len(sent) == 1
    assert len(sent[0]) < 1_000, "references alone"
    until(lambda: bool(told))
    assert all(0 <= done <= total == 12_000 for done, total in told), "each time that jobs are sent is counted from the start"


@pytest.mark.slow
def test_what_refuses_or_breaks_a_step_is_told_without_its_values(engine: DaskEngine) -> None:
    with pytest.raises(InputRejected) as refused:
        engine.carry_out(refusing)
    assert (str(refused.value), refused.value.values) == ("No. Yes.", ())
    with pytest.raises(Defect, match="ValueError") as broken:
        engine.carry_out(breaking)
    assert "illness" not in str(broken.value)


@pytest.mark.slow
def test_where_a_worker_dies_while_it_reads_another_one_does(engine: DaskEngine, tmp_path: Path) -> None:
    begun, killed = tmp_path / "begun", []

    def kill() -> None:
        until(lambda: begun.exists() and begun.read_text() != "")
        killed.append(int(begun.read_text()))
        os.kill(killed[0], signal.SIGKILL)

    killing = Thread(target=kill)
    killing.start()
    try:
        process, held = engine.carry_out(Reading(begun))
    finally:
        killing.join()
    assert process not in (killed[0], os.getpid())
    assert engine.files.get(held) == "somebody's illness"
    assert b"illness" not in (engine.files.folder / held.key).read_bytes()
    until(lambda: len(workers_of(engine)) == 2)
