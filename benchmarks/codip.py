"""CODIP* and full-domain generalization: what the associations, the plans and the lattice cost, and CODIP* as a whole, with XColor and
every gate on each table it tries, on the census table with its 15 sensitive columns. `make bench-codip` prints the table.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks import associations, lattice
from benchmarks.measures import Row
from headgate.projection.bitmap import bitmap_table
from policies.attackers.attacker import attackers_of
from policies.jobs.engine import LocalEngine
from policies.jobs.plan_search import TableCheck, search_plan
from policies.jobs.spool import MemorySpool
from policies.jobs.table_job import TableJob, Workplace
from policies.sealed.specs import promise_of
from policies.shipped import shipped_policy
from tasks.reading.ingest import ingest
from tasks.reading.references import load_policy


def whole() -> dict[str, float]:
    """From the encoded table to a plan, the second time, so that loops are loaded; and the peak of the process."""
    loaded = load_policy(Path(str(shipped_policy("census-income"))))
    ingested = ingest(loaded)
    table = bitmap_table(ingested.table, ingested.specs)
    promise = promise_of(loaded.policy, table)
    seconds = steps = tried = 0.0
    for _ in range(2):
        spool = MemorySpool()
        attackers = spool.put(attackers_of(loaded.policy.gates.attackers, table, {}))
        job = TableJob((), spool.put(table), promise, loaded.policy.anonymize, attackers, b"benchmark")
        check = TableCheck(job, LocalEngine(Workplace(spool)))
        start = time.perf_counter()
        steps = len(search_plan(loaded.policy, table, check, promise).steps)
        seconds, tried = time.perf_counter() - start, len(check.tried)
    return {"seconds": seconds, "steps": steps, "tried": tried, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def rows() -> Iterator[Row]:
    yield from lattice.rows()
    yield from associations.rows()
    output = subprocess.run([sys.executable, "-m", "benchmarks.codip", "--whole"], check=True, capture_output=True, text=True).stdout
    found = json.loads(output)
    yield Row("census, 99,762 rows, 15 sensitive columns: CODIP* with XColor", found["seconds"], "s", 10.0)
    yield Row("  plans looked at", found["steps"], "")
    yield Row("  tables anonymized and measured", found["tried"], "")
    yield Row("  peak memory of the process", found["peak"], "MiB", 1024.0)


def main() -> None:
    if sys.argv[1:] == ["--whole"]:
        print(json.dumps(whole()))
        return
    for row in rows():
        print(row, flush=True)


if __name__ == "__main__":
    main()
