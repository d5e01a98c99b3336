"""What looks at data is carried out where the data lies; the process of the release has references, figures and verdicts."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headgate.core.errors import InputRejected
from policies.jobs.engine import LocalEngine
from policies.jobs.spool import Reference
from policies.jobs.table_job import Workplace
from tasks.cluster.shared_files import SharedFiles, new_key
from tasks.reading.references import LoadedPolicy
from tasks.release.closing.assemble import report_content
from tasks.release.listener import Listener, listening
from tasks.release.run import Run
from tasks.release.steps.expect_tables import expect_source, refuse_failed
from tasks.release.steps.ingest_source import ingest_source
from tasks.release.work import Carried, Work, where_data_lies
from tasks.runtime import input_limits
from tasks.runtime.callables import callable_distance
from tasks.signing.home_keys import ledger_secret
from tests.unit.tasks.release.finished import Made, finish

FIGURES = {"Plan", "Promise", "Judgement", "Attacked", "Measurement", "SeriesFigures", "Pictures", "tuple", "bytes"}  # tuples of outcomes


class Watched(SharedFiles):
    """Notes what this process takes out of the spool."""

    def __init__(self, folder: Path, key: bytes) -> None:
        super().__init__(folder, key)
        self.taken: list[Any] = []

    def get(self, reference: Reference[Any]) -> Any:
        self.taken.append(super().get(reference))
        return self.taken[-1]


class Worker:
    """Of another process, as far as anything can tell: it gets and gives copies."""

    def __init__(self, folder: Path, key: bytes) -> None:
        self.files, self.bodies = SharedFiles(folder, key), list[bytes]()

    def carry_out(self, body: Any) -> Any:
        self.bodies.append(pickle.dumps(body))
        engine = LocalEngine(Workplace(self.files, callable_distance), 1)
        return pickle.loads(pickle.dumps(pickle.loads(self.bodies[-1])(engine, self.files)))


@pytest.fixture
def apart(run_of: Callable[..., Run], tmp_path: Path) -> Callable[[LoadedPolicy], Run]:
    """A run whose data lies with a worker."""

    def make(loaded: LoadedPolicy) -> Run:
        folder, key = tmp_path / "spool", new_key()
        folder.mkdir()
        return replace(run_of(loaded), spool=Watched(folder, key), elsewhere=Worker(folder, key))

    return make


def test_a_release_whose_data_lies_elsewhere_is_the_same_and_its_process_sees_figures_only(
    apart: Callable[[LoadedPolicy], Run], loaded: LoadedPolicy, finished: Made
) -> None:
    run = apart(loaded)
    read = ingest_source(run)
    refuse_failed(run, expect_source(run, read))
    made = finish(Made(run, read))
    content = report_content(run, made.so_far())
    seen = list(run.spool.taken)
    kinds = {type(thing).__name__ for thing in seen}
    assert kinds <= FIGURES | {"IdentifierValues"}, "identifiers alone, to make pseudonyms of them under the home's secret"
    assert not any(isinstance(part, np.ndarray) for thing in seen if isinstance(thing, tuple) for part in thing)
    assert (read.source_hmac != finished.read.source_hmac, read.rows, read.unused) == (True, 60, finished.read.unused)
    for one, other in zip(made.grouped, finished.grouped, strict=True):
        groups = [whose.run.spool.get(table.partition).groups.tolist() for whose, table in ((made, one), (finished, other))]
        assert groups[0] == groups[1]
    verdicts = [whose.run.spool.get(whose.judged.judgement).verdicts for whose in (made, finished)]
    for one, other in zip(*verdicts, strict=True):
        assert one.model_copy(update={"measured": other.measured}) == other
        assert one.measured == pytest.approx(other.measured, rel=1e-12), "rows are in another order, and so are sums"
    for written in made.written:
        assert written.spooled == {}
        assert all((run.stage / file.path).stat().st_size == file.bytes for file in written.files)
    assert [sample.table for sample in content.samples] == ["table-1", "table-2"]


def test_no_secret_of_the_home_travels(apart: Callable[[LoadedPolicy], Run], loaded: LoadedPolicy) -> None:
    run = apart(loaded)
    ingest_source(run)
    assert set(Carried.__dataclass_fields__) == {"step", "loaded", "source", "seed", "versions", "limits", "given", "named"}
    assert not {"home", "ledger", "key", "demands"} & set(Work.__dataclass_fields__)
    secrets = [ledger_secret(run.home.keys), (run.home.root.parent / "runner").read_bytes().split(b"\n")[1]]
    bodies = run.elsewhere.bodies  # type: ignore[union-attr]
    assert len(bodies) == 1
    assert not any(secret in body for secret in secrets for body in bodies)


def test_refused_cells_reach_who_ran_the_release_and_no_message(apart: Callable[[LoadedPolicy], Run], clinic: Any) -> None:
    loaded, listener = clinic.load(), Listener()
    clinic.source.write_bytes(clinic.source.read_bytes().replace(b",1000.5,", b",plenty,", 1))
    with listening(listener), pytest.raises(InputRejected) as refused:
        ingest_source(apart(loaded))
    assert "plenty" not in str(refused.value)
    assert listener.refused is not None
    assert listener.refused.cells == ("plenty",)


def test_a_source_that_a_worker_cannot_see_is_refused_with_its_cure(apart: Callable[[LoadedPolicy], Run], loaded: LoadedPolicy) -> None:
    run = replace(apart(loaded), source=Path("/nowhere/people.csv"))
    with pytest.raises(InputRejected, match="cannot read the source people.csv") as refused:
        ingest_source(run)
    assert "--engine local" in refused.value.cure


def test_a_source_that_was_handed_over_is_read_here(
    apart: Callable[[LoadedPolicy], Run], loaded: LoadedPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It lies in the memory of this process: no worker could open it."""
    monkeypatch.setattr("tasks.release.steps.ingest_source.handed_over", lambda _path: True)
    run = apart(loaded)
    assert ingest_source(run).rows == 60
    assert run.elsewhere.bodies == []  # type: ignore[union-attr]


def test_the_operators_limits_count_where_the_source_is_read(
    apart: Callable[[LoadedPolicy], Run], loaded: LoadedPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(input_limits, "_operators", {"cells": 10})
    body = pickle.dumps(Carried(read_limit, loaded, None, b"", (), input_limits.limits_taken(), (), {}))
    input_limits.take_limits({})
    run = apart(loaded)
    assert pickle.loads(body)(run.engine, run.spool) == 10


@where_data_lies
def read_limit(_run: Work) -> int:
    return input_limits.CELLS.most
