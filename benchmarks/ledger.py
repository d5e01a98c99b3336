"""What a ledger costs when it is long: 100,000 events, most of them of scheduled runs that ended as nothing new, every decision signed; and
what it costs to verify a published release of a million rows.

Commands are timed as a person waits for them, interpreter and imports included. The filling is not timed."""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import numpy as np

from benchmarks.census import adults
from benchmarks.ledger_filling import APPROVERS, Filling, new_home
from policies.ledger.events import RunStarted
from policies.sealed.manifest import Signer
from tasks.ledger.event_log import Ledger
from tasks.ledger.history import read_whole
from tasks.ledger.open_ledger import open_ledger
from tasks.runtime.home import Home
from tasks.stores.seal import Candidate, load_sealed

EVENTS, ROWS = 100_000, 1_000_000
APPENDS = 300
# A command, and what it held at most, in MiB, at the end of stderr.
MEASURED = """
import resource, runpy, sys
try:
    runpy.run_module("flows.cli", run_name="__main__", alter_sys=True)
finally:
    of = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    print(max(resource.getrusage(each).ru_maxrss for each in of) // 1024, file=sys.stderr)
"""
POLICY = files("policies.shipped") / "hospital-patients.yaml"
CENSUS = """
schema: 1
dataset: census
title: Census adults, repeated
source: {kind: parquet, path: people.parquet}
attributes:
  record: {role: identifier}
  age: {role: quasi, kind: integer, domain: [18, 90]}
  sex: {role: quasi, kind: category}
  race: {role: quasi, kind: category}
  citizenship: {role: quasi, kind: category}
  marital: {role: quasi, kind: category}
  education: {role: sensitive, kind: category}
  worker_class: {role: sensitive, kind: category, nonsensitive: [Not in universe]}
  weeks: {role: sensitive, kind: integer, domain: [0, 52]}
projection: {method: single}
anonymize: {method: xcolor, k: 10, epsilon: 0.1, delta: 0.6}
gates: {linkability: 0.8}
approval: {required: 2}
publish: {to: census, formats: [csv, parquet]}
"""


def milliseconds(work: Callable[[int], object], times: int) -> list[float]:
    taken = []
    for number in range(times):
        start = time.perf_counter()
        work(number)
        taken.append(1000 * (time.perf_counter() - start))
    return sorted(taken)


def appends(ledger: Ledger, prefix: str) -> str:
    def append(number: int) -> None:
        name = f"{prefix}-{number}"
        at = ledger.now().isoformat()
        runner = Signer(principal="steward", fingerprint="none")
        started = RunStarted(release_id=name, at=at, dataset="appended", policy_digest="a" * 64, runner=runner, product="headgate")
        ledger.append(name, [started], 0, "steward")

    taken = milliseconds(append, APPENDS)
    return f"median {statistics.median(taken):.1f} ms, p99 {taken[int(0.99 * APPENDS)]:.1f} ms"


def synced() -> str:
    """What this disk takes for one small write that stays."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:

        def write(number: int) -> None:
            with open(Path(folder) / "synced", "wb") as file:
                file.write(b"x" * 500)
                file.flush()
                os.fsync(file.fileno())

        taken = milliseconds(write, APPENDS)
    return f"median {statistics.median(taken):.1f} ms, p99 {taken[int(0.99 * APPENDS)]:.1f} ms"


def command(home: Home, *arguments: str) -> str:
    """What a command costs: seconds, those of a processor, and the most memory that it or a process of its own held."""
    environment = {**os.environ, "HEADGATE_HOME": str(home.root), "DO_NOT_TRACK": "true"}
    start, before = time.perf_counter(), os.times()
    done = subprocess.run([sys.executable, "-c", MEASURED, *arguments], env=environment, capture_output=True, text=True)
    seconds, after = time.perf_counter() - start, os.times()
    processor = after.children_user + after.children_system - before.children_user - before.children_system
    if done.returncode:
        raise SystemExit(f"headgate {arguments[0]} ended with {done.returncode}: {done.stderr[-2000:]}")
    return f"{seconds:.2f} s, {processor:.2f} s of a processor, {done.stderr.split()[-1]} MiB"


def signed(home: Home, person: str) -> tuple[str, str, str, str]:
    return "--key", str(home.root / "people" / person), "--reason", "read the report"


def released(home: Home, policy: Path) -> Candidate:
    command(home, "release", str(policy), *signed(home, "steward")[:2])
    candidate = read_whole(open_ledger(home)).releases()[-1].candidate
    return load_sealed(home.candidates, candidate)


def long_ledger(folder: Path, events: int) -> None:
    model = released(new_home(folder / "model")[0], Path(str(POLICY)))
    home, keys = new_home(folder / "home")
    ledger = open_ledger(home)
    filling = Filling(home, ledger, keys, model)
    filling.fill(100)
    print(f"append at 100 events: {appends(ledger, 'early')}")
    filling.fill(events)
    decisions = len(list((home.root / "decisions").glob("*/*.dsse.json")))
    print(f"filled: {events:,} events of {filling.made:,} releases, {decisions:,} signed decisions")
    print(f"append at {events:,} events: {appends(ledger, 'late')}")
    start, processor = time.perf_counter(), time.process_time()
    read_whole(ledger).releases()
    seconds, processor = time.perf_counter() - start, time.process_time() - processor
    print(f"every hash, link, event and state checked: {seconds:.2f} s, {processor:.2f} s of a processor")
    candidate = released(home, Path(str(POLICY))).id
    for name, arguments in (
        ("show", ("show", candidate)),
        ("approve", ("approve", candidate, *signed(home, "anna"))),
        ("audit verify", ("audit", "verify")),
        ("releases", ("releases",)),
    ):
        print(f"headgate {name}: {command(home, *arguments)}")


def large_release(folder: Path, rows: int) -> None:
    """Census adults, repeated, published as anybody would, in both formats."""
    home, _ = new_home(folder / "large")
    people = adults()
    people = people.iloc[np.arange(rows) % len(people)].drop(columns="occupation").assign(record=np.arange(rows))
    people.to_parquet(folder / "people.parquet", index=False)
    (folder / "people.yaml").write_text(CENSUS)
    candidate = released(home, folder / "people.yaml").id
    for person in APPROVERS:
        command(home, "approve", candidate, *signed(home, person))
    command(home, "publish", candidate)
    version = home.releases / "census" / "1"
    known = ("--signers", str(home.signers), "--ledger-key", str(home.keys / "ledger.pub"))
    size = sum(path.stat().st_size for path in version.rglob("*") if path.is_file()) / 1e6
    print(f"headgate verify of {rows:,} published rows, {size:.0f} MB: {command(home, 'verify', str(version), *known)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=EVENTS)
    parser.add_argument("--rows", type=int, default=ROWS)
    asked = parser.parse_args()
    print(f"one synced write of 500 bytes: {synced()}")
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        long_ledger(Path(folder).resolve(), asked.events)
        large_release(Path(folder).resolve(), asked.rows)


if __name__ == "__main__":
    main()
