"""The work inside tables, by one and by two threads of a process and by one and by two Dask workers; what travels between these, and how
even the pieces are. Each line is a process of its own, with everything compiled and loaded before.

The busiest process's own seconds are what is left of the time by the clock on a machine that does nothing else, as long as nobody waits
for anybody.
"""

from __future__ import annotations

import json
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import dask
import numpy as np
from distributed import Client

from benchmarks.scale.growth import DELTA, EPSILON, QUASI, SENSITIVE, K, drawn
from headgate.core.columns import Table
from headgate.grouping.watch import DONE
from headgate.grouping.workers import State, Threads
from policies.jobs.engine import LocalEngine
from policies.jobs.spool import MemorySpool
from policies.jobs.table_job import TableJob, Workplace, try_table
from policies.schema.loading import parse_policy
from policies.sealed.specs import promise_of
from tasks.cluster.dask_engine import DaskEngine
from tasks.cluster.in_flight import Answer, Shared
from tasks.cluster.opened_cluster import OF_OWN, START_SECONDS, own_cluster
from tasks.cluster.shared_files import SharedFiles, new_key
from tasks.cluster.taking_part import build_here

ROWS = 500_000
WARMING = 20_000
AIM = 1.6  # times faster with two workers than with one
TABLES = (("income",), ("occupation",), ("income", "occupation"), ("occupation", "income"))
LINES = (("local", 1), ("local", 2), ("dask", 1), ("dask", 2))

T = TypeVar("T")
R = TypeVar("R")


def place_of_work(workers: Any = None) -> Workplace:
    return Workplace(MemorySpool(), workers=workers)


def jobs_on(place: Workplace, table: Table, tables: Sequence[tuple[str, ...]]) -> list[TableJob]:
    attributes = {name: {"role": "quasi", "kind": "category" if name == "sex" else "number"} for name in QUASI}
    attributes |= {name: {"role": "sensitive", "kind": "category" if name == "occupation" else "number"} for name in SENSITIVE}
    for name, column in table.columns.items():
        if column.domain is not None:
            attributes[name]["domain"] = list(column.domain)  # type: ignore[assignment]
    policy = parse_policy(
        json.dumps(
            {
                "schema": 1,
                "dataset": "scale",
                "source": {"kind": "csv", "path": "people.csv"},
                "attributes": attributes,
                "anonymize": {"k": K, "epsilon": float(EPSILON), "delta": float(DELTA)},
                "gates": {"linkability": 1},
                "publish": {"to": "nowhere"},
            }
        ),
        "scale.yaml",
    )
    job = TableJob((), place.spool.put(table), promise_of(policy, table), policy.anonymize, seed=b"scale")
    return [job.about(names) for names in tables]


def timed(engine: Any, place: Workplace, tables: Sequence[tuple[str, ...]], busy: Callable[[], list[float]]) -> dict[str, Any]:
    """`busy`: the processor's seconds so far of each process that works."""
    engine.map(jobs_on(place, drawn(WARMING), tables))
    jobs, before, start = jobs_on(place, drawn(ROWS), tables), busy(), time.perf_counter()
    outcomes = engine.map(jobs)
    seconds = time.perf_counter() - start
    assert all(outcome.passed for outcome in outcomes)
    each = [now - then for now, then in zip(busy(), before, strict=True)]
    return {"seconds": seconds, "busy_seconds": sum(each), "busiest_seconds": max(each)}


def by_threads(many: int, tables: Sequence[tuple[str, ...]]) -> dict[str, Any]:
    place = place_of_work(Threads(many))
    return timed(LocalEngine(place, many), place, tables, lambda: [time.process_time()])


def by_dask(many: int, tables: Sequence[tuple[str, ...]]) -> dict[str, Any]:
    place = place_of_work()
    with tempfile.TemporaryDirectory() as scratch:
        files = SharedFiles(Path(scratch) / "shared", new_key())
        files.folder.mkdir(mode=0o700)
        settings = {**OF_OWN, "temporary-directory": scratch}
        with dask.config.set(settings), own_cluster(many) as cluster, Client(cluster, set_as_default=False) as client:
            client.wait_for_workers(many, timeout=START_SECONDS)
            client.run(warm)
            shared = Shared(str(files.folder), files.key, build_here(), "headgate-scale")
            engine = DaskEngine(place, client, files, shared)
            found = timed(engine, place, tables, lambda: list(client.run(time.process_time).values()))
            return found | {"worker_mib": max(client.run(peak_mib).values())}


def warm() -> None:
    """On a worker: loads the compiled loops."""
    place = place_of_work()
    for job in jobs_on(place, drawn(WARMING), TABLES[2:3]):
        try_table(job, place)


def peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


class Counted:
    """Works on the pieces of a table one after the other, and counts what Dask workers would write and read of them."""

    def __init__(self) -> None:
        self.sent: list[int] = []
        self.returned: list[int] = []
        self.seconds: list[float] = []
        self.rows: list[int] = []

    def each(self, work: Callable[[T, State], R], pieces: Sequence[T], state: State) -> list[R]:
        made = []
        for piece in pieces:
            sent = pickle.dumps((work, piece), protocol=5)
            _, own = pickle.loads(sent)
            mine, start = np.zeros(3, dtype=np.int64), time.process_time()
            made.append(work(own, mine))
            self.seconds.append(time.process_time() - start)
            self.rows.append(int(mine[DONE]))
            self.sent.append(len(sent))
            self.returned.append(len(pickle.dumps(Answer((made[-1], 0)), protocol=5)))
        return made


def pieces(rows: int) -> dict[str, Any]:
    """Of one table: bytes and seconds of its pieces, and of what is not cut into pieces."""
    warm()
    counted = Counted()
    place = place_of_work(counted)
    table = drawn(rows)
    (job,) = jobs_on(place, table, TABLES[2:3])
    start = time.process_time()
    outcome = try_table(job, place)
    whole = time.process_time() - start
    return {
        "rows": rows,
        "pieces": len(counted.sent),
        "piece_rows": counted.rows,
        "piece_seconds": counted.seconds,
        "whole_seconds": whole,
        "sent_bytes": sum(counted.sent),
        "returned_bytes": sum(counted.returned),
        "table_bytes": len(pickle.dumps(table, protocol=5)),
        "outcome_bytes": len(pickle.dumps(Answer(outcome), protocol=5)),
    }


def in_a_process_of_its_own(*asked: str) -> dict[str, Any]:
    ended = subprocess.run([sys.executable, "-m", "benchmarks.scale.workers", *asked], capture_output=True, text=True)
    if ended.returncode:
        raise SystemExit(f"{' '.join(asked)} ended with {ended.returncode}:\n{ended.stderr}")
    return dict(json.loads(ended.stdout.splitlines()[-1]))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["pieces", rows]:
            made = pieces(int(rows))
        case [engine, many, which]:
            tables = TABLES[2:3] if which == "one" else TABLES
            made = (by_dask if engine == "dask" else by_threads)(int(many), tables)
    print(json.dumps(made))
