"""A table that is worked on in two regions, a job about it, and a cluster to run that on."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import psutil
from distributed import get_client, secede
from numpy.typing import NDArray

from headgate.core.columns import Table
from headgate.core.encode import encode_table
from headgate.core.errors import InputRejected
from headgate.grouping.watch import DONE
from policies.jobs.engine import Engine
from policies.jobs.spool import MemorySpool, Reference, Spool
from policies.jobs.table_job import TableJob, TableOutcome, Workplace
from policies.schema.loading import parse_policy
from policies.schema.policy import Policy
from policies.sealed.specs import column_specs, promise_of
from tasks.cluster.dask_engine import DaskEngine
from tasks.cluster.engine_choice import EngineChoice
from tasks.cluster.in_flight import Shared
from tasks.cluster.opened_cluster import dask_engine
from tasks.cluster.remote_work import RemoteWorkers
from tasks.cluster.shared_files import SharedFiles
from tasks.runtime.callables import callable_distance

TEXT = """\
schema: 1
dataset: homes
source: {kind: csv, path: homes.csv}
attributes:
  age: {role: quasi, kind: integer, domain: [0, 100]}
  street: {role: quasi, kind: integer, domain: [0, 200]}
  income: {role: sensitive, kind: number, domain: [0, 1000]}
  school: {role: sensitive, kind: ordinal, levels: [low, middle, high]}
anonymize: {k: 5, epsilon: 0.1, delta: 0.5}
gates: {linkability: 1}
publish: {to: somewhere}
"""
ROWS = 12_000


def homes(rows: int = ROWS, changes: str = "") -> tuple[Policy, Table]:
    policy = parse_policy(TEXT + changes, "homes.yaml")
    random = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "age": random.integers(0, 101, rows),
            "street": random.integers(0, 201, rows),
            "income": random.integers(0, 1001, rows).astype(float),
            "school": np.array(["low", "middle", "high"])[random.integers(0, 3, rows)],
        }
    )
    return policy, encode_table(frame, column_specs(policy))


def jobs_on(place: Workplace, rows: int = ROWS, policy: Policy | None = None) -> list[TableJob]:
    own, table = homes(rows)
    policy = policy or own
    columns = place.spool.put(table)
    job = TableJob((), columns, promise_of(policy, table), policy.anonymize, seed=b"seed")
    return [job.about(("income",)), job.about(("income", "school"))]


def workplace(**given: Any) -> Workplace:
    return Workplace(MemorySpool(), callable_distance, **given)


@contextmanager
def engine_on(folder: Path, place: Workplace | None = None, choice: EngineChoice | None = None) -> Iterator[DaskEngine]:
    with dask_engine(choice or EngineChoice("dask"), place or workplace(), folder / "shared") as engine:
        yield engine


def workers_of(engine: DaskEngine) -> list[int]:
    """Their process numbers."""
    return sorted(engine.client.run(os.getpid).values())


def listening() -> set[tuple[str, int]]:
    """The addresses and ports at which this process and those that it started can be spoken to."""
    processes = [psutil.Process(), *psutil.Process().children(recursive=True)]
    places = [place for process in processes for place in process.net_connections() if place.status == psutil.CONN_LISTEN]
    return {(place.laddr.ip, place.laddr.port) for place in places}


def until(true: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "what is waited for never came"
        time.sleep(0.02)


def assert_same(outcomes: Sequence[TableOutcome], others: Sequence[TableOutcome]) -> None:
    """The same rows and groups in each table, and the same figures."""
    for one, two in zip(outcomes, others, strict=True):
        assert one.partition.groups.tolist() == two.partition.groups.tolist()
        assert one.figures == two.figures
        assert one.refused == two.refused


@dataclass(frozen=True)
class Trying:
    """A step that tries jobs: what they come to, and who has carried it out."""

    jobs: tuple[TableJob, ...]

    def __call__(self, engine: Engine, _spool: Spool) -> tuple[list[TableOutcome], int]:
        return [*engine.map(self.jobs[:1]), *engine.map(self.jobs[1:])], os.getpid()


@dataclass(frozen=True)
class Reading:
    """A step that takes long the first time, and tells who has begun it."""

    begun: Path

    def __call__(self, _engine: Engine, spool: Spool) -> tuple[int, Reference[str]]:
        first = not self.begun.exists()
        self.begun.write_text(str(os.getpid()))
        if first:
            time.sleep(120)
        return os.getpid(), spool.put("somebody's illness")


def refusing(_engine: Engine, _spool: Spool) -> None:
    raise InputRejected("No.", "Yes.", ["somebody's illness"])


def breaking(_engine: Engine, _spool: Spool) -> None:
    raise ValueError("somebody's illness")


def where(piece: int, state: NDArray[np.int64]) -> tuple[int, int]:
    """Which process has worked on a piece."""
    time.sleep(0.1)
    state[DONE] += 10
    return piece, os.getpid()


def in_pieces(shared: Shared, many: int) -> tuple[list[tuple[int, int]], int]:
    """Run on a worker."""
    client, files, state = get_client(), SharedFiles(Path(shared.folder), shared.key), np.zeros(3, dtype=np.int64)
    secede()
    return RemoteWorkers(client, files, shared).each(where, list(range(many)), state), int(state[DONE])


def refuses(piece: int, _state: NDArray[np.int64]) -> int:
    if piece == 1:
        raise InputRejected("No.", "Yes.")
    return piece


def refused_pieces(shared: Shared) -> str:
    client, files = get_client(), SharedFiles(Path(shared.folder), shared.key)
    secede()
    try:
        RemoteWorkers(client, files, shared).each(refuses, [0, 1, 2], np.zeros(3, dtype=np.int64))
    except InputRejected as problem:
        return str(problem)
    return ""
