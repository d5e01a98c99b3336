"""What a whole release of a large table takes, step by step: four quasi-identifiers and six sensitive attributes, from Parquet to the
sealed candidate.

Peak memory is that of all processes of a release together, Prefect's server among them, as it was seen while each step ran; seconds are by
the clock and of the processor: the machine may do other things too. `make bench-whole` prints the steps of 1,000,000 rows from Parquet and
from CSV; `python -m benchmarks.whole_releases ROWS … --steps` those of other sizes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as parquet

from benchmarks.release import make_signers
from benchmarks.watched_process import watched

AT_ONCE = 1_000_000  # rows that are drawn together
SENSITIVE = {"job": 14, "income": 5000, "class": 7, "hours": 99, "place": 50, "score": 1000}
NUMBERS = {"income": 100.0, "hours": 1.0, "score": 0.25}  # the step between two values
CSV = arrow_csv.WriteOptions(quoting_style="needed")


def drawn(rows: int, seed: int) -> pa.Table:
    """Nobody is like another in all that is drawn."""
    draw = np.random.default_rng(seed)
    columns = {
        "age": pa.array(draw.integers(0, 111, rows)),
        "sex": _texts(draw, ("f", "m"), rows),
        "region": pa.array(draw.integers(0, 1000, rows)),
        "race": _texts(draw, tuple(f"race {each}" for each in range(5)), rows),
    }
    for name, values in SENSITIVE.items():
        step = NUMBERS.get(name)
        own = None if step is None else pa.array(draw.integers(0, values, rows) * step)
        columns[name] = _texts(draw, tuple(f"{name} number {each:04}" for each in range(values)), rows) if own is None else own
    return pa.table(columns)


def _texts(draw: np.random.Generator, values: tuple[str, ...], rows: int) -> pa.Array:
    return pa.array(values).take(pa.array(draw.integers(0, len(values), rows)))


def make_source(path: Path, rows: int) -> None:
    pieces = [min(AT_ONCE, rows - start) for start in range(0, rows, AT_ONCE)]
    schema = drawn(1, 0).schema
    with parquet.ParquetWriter(path, schema) if path.suffix == ".parquet" else arrow_csv.CSVWriter(path, schema, write_options=CSV) as file:
        for place, size in enumerate(pieces):
            file.write_table(drawn(size, place))


def make_policy(folder: Path, source: Path) -> Path:
    quasi = {
        "age": {"role": "quasi", "kind": "integer", "domain": [0, 110]},
        "sex": {"role": "quasi", "kind": "category"},
        "region": {"role": "quasi", "kind": "integer", "domain": [0, 999]},
        "race": {"role": "quasi", "kind": "category"},
    }
    sensitive = {
        name: {"role": "sensitive", "kind": "category"}
        if name not in NUMBERS
        else {"role": "sensitive", "kind": "number", "domain": [0, values * NUMBERS[name]]}
        for name, values in SENSITIVE.items()
    }
    policy = {
        "schema": 1,
        "dataset": "whole-releases",
        "title": "A large table",
        "source": {"kind": source.suffix.removeprefix("."), "path": source.name},
        "attributes": {**quasi, **sensitive},
        "projection": {"method": "single", "association_loss": 1, "join_threat": 1},
        "anonymize": {"method": "xcolor", "variant": "blocks", "k": 10},
        "gates": {"linkability": 1, "reidentification": {"max": 0.5}},
        "approval": {"required": 2},
        "publish": {"to": "whole-releases", "formats": ["csv", "parquet"]},
    }
    path = folder / "policy.yaml"
    path.write_text(json.dumps(policy), encoding="utf-8")
    return path


def inside(notes: Path, arguments: list[str]) -> None:
    """The command itself, which notes when its steps begin and end."""
    from flows.cli import main as command
    from tasks.release.stopwatch import Stopwatch

    timed = Stopwatch.timed

    @contextmanager
    def noted(self: Stopwatch, step: str, table: str = "") -> Iterator[None]:
        begun, busy = time.monotonic(), time.process_time()
        with timed(self, step, table):
            yield
        with notes.open("a") as file:
            file.write(json.dumps([step, begun, time.monotonic(), time.process_time() - busy]) + "\n")

    Stopwatch.timed = noted  # type: ignore[method-assign]
    sys.argv = ["headgate", *arguments]
    command()


def between(seen: list[tuple[float, float]], begun: float, done: float) -> tuple[float, float, float]:
    """Memory before, at most, and after, in GiB."""
    within = [memory for moment, memory in seen if begun <= moment <= done]
    before, after = ([memory for moment, memory in seen if moment <= end][-1] for end in (begun, done))
    return before / 1024, max(within, default=after) / 1024, after / 1024


def measure(rows: int, kind: str, steps: bool, most_gib: float) -> None:
    with tempfile.TemporaryDirectory(prefix="headgate-whole-") as scratch:
        folder, notes = Path(scratch), Path(scratch) / "notes"
        source, module = folder / f"table.{kind}", [sys.executable, "-m", "benchmarks.whole_releases"]
        subprocess.run([*module, "--make", str(source), str(rows)], check=True)
        make_signers(folder / "home")
        asked = ["release", str(make_policy(folder, source)), "--key", str(folder / "home" / "keys" / "steward"), "--json"]
        limits = {"HEADGATE_MAX_CELLS": str(10**10), "HEADGATE_MAX_BYTES": str(10**12)}
        environment = {**os.environ, **limits, "HEADGATE_HOME": str(folder / "home")}
        ended = watched([*module, "--inside", str(notes), *asked], environment, most_gib * 1024)
        took = f"{ended.seconds:8.1f} s {ended.busy_seconds:8.1f} s busy {ended.peak_mib / 1024:6.2f} GiB"
        print(f"{rows:>12,} rows from {kind:<8}{took}  {ended.problem}", flush=True)
        for line in notes.read_text().splitlines() if steps and notes.exists() else ():
            step, begun, done, busy = json.loads(line)
            before, peak, after = between(ended.seen, begun, done)
            if busy >= 0.5:
                print(f"    {step:<18}{done - begun:7.1f} s {busy:7.1f} s busy  {before:5.2f} → {peak:5.2f} → {after:5.2f} GiB", flush=True)


def main() -> None:
    if sys.argv[1:2] == ["--inside"]:
        inside(Path(sys.argv[2]), sys.argv[3:])
        return
    if sys.argv[1:2] == ["--make"]:
        make_source(Path(sys.argv[2]), int(sys.argv[3]))
        return
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("rows", type=int, nargs="*", default=[1_000_000])
    options.add_argument("--kind", choices=("parquet", "csv"), default="parquet")
    options.add_argument("--steps", action="store_true", help="seconds and memory of each step too")
    options.add_argument("--stop-at", type=float, default=12.0, help="GiB at which a release is stopped")
    chosen = options.parse_args()
    for rows in chosen.rows:
        measure(rows, chosen.kind, chosen.steps, chosen.stop_at)


if __name__ == "__main__":
    main()
