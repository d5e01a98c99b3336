"""One cluster of two workers for the tests that look at what an engine gives; those that break a cluster have their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from policies.jobs.engine import LocalEngine
from policies.jobs.table_job import TableJob, TableOutcome, Workplace
from tasks.cluster import opened_cluster
from tasks.cluster.dask_engine import DaskEngine
from tests.unit.tasks.cluster.shared_jobs import engine_on, jobs_on, listening, until, workers_of, workplace


@pytest.fixture(scope="session")
def place() -> Workplace:
    return workplace()


@pytest.fixture(scope="session")
def jobs(place: Workplace) -> list[TableJob]:
    return jobs_on(place)


@pytest.fixture(scope="session")
def local(place: Workplace, jobs: list[TableJob]) -> list[TableOutcome]:
    return LocalEngine(place).map(jobs)


@pytest.fixture(scope="session")
def cluster(place: Workplace, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[DaskEngine, set[tuple[str, int]]]]:
    """And where it listens: other tests of this process may have servers of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opened_cluster, "cores", lambda: 2)
        before = listening()
        with engine_on(tmp_path_factory.mktemp("cluster"), place) as opened:
            until(lambda: len(workers_of(opened)) == 2)
            yield opened, listening() - before


@pytest.fixture(scope="session")
def engine(cluster: tuple[DaskEngine, set[tuple[str, int]]]) -> DaskEngine:
    return cluster[0]
