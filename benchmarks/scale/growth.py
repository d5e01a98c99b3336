"""What `blocks` and a whole release take as a table grows: seconds and memory, each size in a process of its own.

The people are drawn anew, so that distinct cells and values grow with the rows; a table that repeats the same people would be a kinder one.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.end_well import Case, release, run
from benchmarks.measures import resident
from headgate.core.columns import Column, Kind, Table
from headgate.grouping.limits import dissimilarity
from headgate.methods.anonymize import anonymize
from headgate.methods.blocks.blocks_method import Blocks
from headgate.methods.settings import Settings

SEED, K = 4, 10
EPSILON, DELTA = "0.1", "0.6"
ROWS = (100_000, 1_000_000, 10_000_000)
RELEASED = (100_000, 1_000_000, 5_000_000)
QUASI = {"age": 111, "sex": 2, "region": 1_000, "size": 12}
SENSITIVE = {"income": 10_000, "occupation": 500}
CATEGORIES = ("sex", "occupation")


def drawn(rows: int) -> Table:
    """Encoded: nothing is left of what reading takes."""
    draw = np.random.default_rng(SEED)
    columns = {name: _column(name, draw.integers(0, values, rows, dtype=np.int32), values) for name, values in (QUASI | SENSITIVE).items()}
    return Table(columns, tuple(QUASI), tuple(SENSITIVE))


def _column(name: str, codes: np.ndarray, values: int) -> Column:
    every = np.ones(values + 1, dtype=bool)
    if name in CATEGORIES:
        return Column(name, Kind.CATEGORY, codes, np.array([f"{value:04}" for value in range(values)], dtype=object), every, None)
    return Column(name, Kind.NUMBER, codes, np.arange(values, dtype=float), every, (0.0, values - 1.0))


def grouped(rows: int) -> dict[str, Any]:
    """Of this process: seconds, and the memory above the columns at the peak."""
    _group(drawn(2_000))  # loads the compiled loops
    table = drawn(rows)
    size = sum(column.codes.nbytes for column in table.columns.values())
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = resident("VmRSS")
    start, busy = time.perf_counter(), time.process_time()
    loss = _group(table)
    took = {"seconds": time.perf_counter() - start, "busy_seconds": time.process_time() - busy}
    return {"rows": rows, **took, "column_bytes": size, "extra_bytes": resident("VmHWM") - before, "loss": loss}


def _group(table: Table) -> float:
    limits = (dissimilarity(table.select(table.sensitive), EPSILON, DELTA),)
    return float(anonymize(Blocks(), table, table.sensitive, Settings(K, limits), 0).require().loss)


def in_a_process_of_its_own(rows: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.scale.growth", str(rows)]
    ended = subprocess.run(command, capture_output=True, text=True, env={**os.environ})
    if ended.returncode:
        raise SystemExit(f"{rows:,} rows ended with {ended.returncode}:\n{ended.stderr}")
    return dict(json.loads(ended.stdout.splitlines()[-1]))


def released(rows: int) -> dict[str, Any]:
    """A whole release of these people from Parquet, with all its processes."""
    case = Case(f"release-{rows}", f"{rows:,} rows", lambda folder, _scale: _release(folder, rows))
    ended = run(case, 1.0, None, 900.0)
    if ended.problem:
        raise SystemExit(f"The release of {rows:,} rows: {ended.problem}")
    return {"rows": rows, "seconds": ended.seconds, "busy_seconds": ended.busy_seconds, "peak_mib": ended.peak_mib, "steps": ended.steps}


def _release(folder: Path, rows: int) -> list[str]:
    table = drawn(rows)
    frame = pd.DataFrame({"id": np.arange(rows)} | {name: column.values[column.codes] for name, column in table.columns.items()})
    attributes: dict[str, Any] = {"id": {"role": "identifier"}}
    for name, column in table.columns.items():
        role = "quasi" if name in QUASI else "sensitive"
        domain = {} if column.domain is None else {"domain": list(column.domain)}
        attributes[name] = {"role": role, "kind": column.kind.value, **domain}
    command = release(folder, frame, attributes, K)
    path = folder / "policy.yaml"
    policy = json.loads(path.read_text(encoding="utf-8"))
    policy["anonymize"] |= {"epsilon": float(EPSILON), "delta": float(DELTA)}
    path.write_text(json.dumps(policy), encoding="utf-8")
    return command


if __name__ == "__main__":
    print(json.dumps(grouped(int(sys.argv[1]))))
