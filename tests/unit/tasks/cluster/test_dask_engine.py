"""Jobs on two worker processes: what they come to is what they come to in this process, and nothing of it lies about."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from headgate.core.errors import HeadgateError, InputRejected, StoreUnavailable
from headgate.grouping.watch import Stopped
from policies.jobs.engine import LocalEngine
from policies.jobs.table_job import TableJob, TableOutcome, Workplace
from tasks.cluster.dask_engine import DaskEngine
from tests.unit.claimed import required
from tests.unit.tasks.cluster.shared_jobs import assert_same, until, workers_of

pytestmark = pytest.mark.slow


def test_outcomes_are_those_of_this_process_in_the_order_of_the_jobs(
    engine: DaskEngine, jobs: list[TableJob], local: list[TableOutcome]
) -> None:
    ends: list[int] = []
    assert engine.workers == 2
    assert all(outcome.passed for outcome in local)
    assert_same(engine.map([*jobs, jobs[0]], lambda: ends.append(1)), [*local, local[0]])
    assert ends == [1, 1, 1]
    attempted = engine.attempt(jobs)
    assert not any(isinstance(outcome, Exception) for outcome in attempted)
    assert_same(attempted, local)  # type: ignore[arg-type]


def test_workers_tell_how_far_they_are(engine: DaskEngine, jobs: list[TableJob], monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[int, int]] = []
    monkeypatch.setattr(engine, "place", replace(engine.place, report=lambda done, total: told.append((done, total))))
    engine.map(jobs)
    rows = 12_000
    until(lambda: bool(told))
    assert all(0 <= done <= total and total in (rows, 2 * rows) for done, total in told)


def test_a_worker_that_is_killed_changes_nothing(
    engine: DaskEngine, jobs: list[TableJob], local: list[TableOutcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It dies while it works on a table or one of its regions."""
    before, killed = workers_of(engine), []

    def busy() -> bool:
        return any(engine.client.processing().values())

    def kill() -> None:
        until(busy)
        os.kill(before[0], signal.SIGKILL)
        killed.append(before[0])

    killing = threading.Thread(target=kill)
    killing.start()
    try:
        assert_same(engine.map([*jobs, *jobs]), [*local, *local])
    finally:
        killing.join()
    assert killed
    until(lambda: len(workers_of(engine)) == 2)
    assert before[0] not in workers_of(engine)


def test_what_lies_in_the_folder_is_encrypted_and_what_nobody_needs_is_gone(engine: DaskEngine, jobs: list[TableJob]) -> None:
    engine.map(jobs)
    held = [path for path in engine.files.folder.iterdir() if path.is_file()]
    assert engine.files.folder / jobs[0].columns.key in held
    assert len(held) <= 1 + 8, "jobs and answers, but for those of workers that were killed"
    for path in held:
        content = path.read_bytes()
        assert b"numpy" not in content
        assert b"income" not in content


def test_dask_is_handed_references_only(engine: DaskEngine, jobs: list[TableJob], monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither arguments nor results grow with the table."""
    sent: list[bytes] = []
    submit = engine.client.submit

    def noted(function: Any, *given: Any, **named: Any) -> Any:
        sent.append(pickle.dumps(given))
        assert engine.files.key.hex() not in repr(given)
        assert repr(engine.files.key) not in repr(given)
        return submit(function, *given, **named)

    monkeypatch.setattr(engine.client, "submit", noted)
    engine.map(jobs)
    assert len(sent) == 2
    assert max(map(len, sent)) < 1_000


def test_a_refusal_is_the_one_of_this_process(engine: DaskEngine, jobs: list[TableJob], place: Workplace) -> None:
    wrong = replace(jobs[0], rows=place.spool.put(np.arange(2)))  # fewer than k
    with pytest.raises(HeadgateError) as here:
        LocalEngine(place, 1).map([wrong])
    with pytest.raises(HeadgateError) as there:
        engine.map([wrong, *jobs])
    assert (type(there.value), str(there.value)) == (type(here.value), str(here.value))
    attempted = engine.attempt([wrong, jobs[0]])
    assert isinstance(attempted[0], HeadgateError)
    assert isinstance(attempted[1], TableOutcome)


def test_a_callable_is_resolved_where_it_runs_under_the_list_that_holds_there(
    engine: DaskEngine, jobs: list[TableJob], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADGATE_CALLABLES", "operator")  # here: workers had no list when they were started
    promise = jobs[0].promise.model_copy(update={"callable": "operator:mul"})
    with pytest.raises(InputRejected, match="is not on the operator's list"):
        engine.map([replace(jobs[0], promise=promise)])


def test_a_worker_of_another_version_is_refused(engine: DaskEngine, jobs: list[TableJob], monkeypatch: pytest.MonkeyPatch) -> None:
    """One that came after the start, too."""
    other = replace(engine.shared, build=replace(engine.shared.build, headgate="9.9.9"))
    monkeypatch.setattr(engine, "shared", other)
    with pytest.raises(InputRejected, match=r"this release runs headgate 9\.9\.9"):
        engine.map(jobs)


def test_a_full_disk_of_a_worker_ends_the_release_with_a_sentence(engine: DaskEngine, jobs: list[TableJob]) -> None:
    engine.client.run(_fill_the_disk)
    try:
        with pytest.raises(StoreUnavailable, match="No space left on device"):
            engine.map(jobs)
    finally:
        engine.client.run(_empty_the_disk)
    until(lambda: not list(engine.files.folder.glob("*.part")))  # the other worker may be writing yet


def test_a_release_that_is_stopped_stops_its_workers(engine: DaskEngine, jobs: list[TableJob], monkeypatch: pytest.MonkeyPatch) -> None:
    stopping = threading.Event()
    monkeypatch.setattr(engine, "place", replace(engine.place, stopping=stopping))
    threading.Timer(0.3, stopping.set).start()
    with pytest.raises(Stopped):
        engine.map(jobs * 4)
    until(lambda: not any(engine.client.processing().values()))
    until(lambda: not any(engine.client.run(_is_grouping).values()))


def test_gates_that_speak_against_a_table_are_those_of_this_process(engine: DaskEngine, jobs: list[TableJob], place: Workplace) -> None:
    promise = jobs[0].promise.requiring(required("closeness", "0.0001", "income"))
    job = replace(jobs[0], promise=promise)
    assert_same(engine.map([job]), LocalEngine(place, 1).map([job]))


def _fill_the_disk() -> None:
    import errno
    import os

    def full(*_files: object) -> None:
        raise OSError(errno.ENOSPC, "")

    os.was = os.replace  # type: ignore[attr-defined]
    os.replace = full


def _empty_the_disk() -> None:
    import os

    os.replace = os.was  # type: ignore[attr-defined]


def _is_grouping() -> bool:
    """Does a thread work on rows?"""
    import threading

    return any(thread.name == "headgate" for thread in threading.enumerate())
