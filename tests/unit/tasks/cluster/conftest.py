"""One cluster of two workers for the tests that look at what an engine gives; those that break a cluster have their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from policies.jobs.engine import LocalEngine
from policies.jobs.table_job import TableJob, TableOutcome, Workplace
from tasks.cluster import opened_cluster
from tasks.cluster.dask_engine import DaskEngine
from tests.unit.tasks.cluster.shared_jobs import engine_on, jobs_on, workplace


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
def engine(place: Workplace, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskEngine]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opened_cluster, "cores", lambda: 2)
        with engine_on(tmp_path_factory.mktemp("cluster"), place) as opened:
            yield opened
