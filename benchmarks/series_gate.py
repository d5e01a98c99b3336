"""What the gate on series adds to a release of the shipped hospital patients, and of five times as many.

A first version is published in a new home. Then the same people are released with `gates.series: {linkability: 1}`, which measures, attacks
and passes, and with `{unmeasured: …}`, which looks at no other version: in turn, so that what else runs on the machine slows both.
`make bench-series` prints the table.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from benchmarks.measures import Row

HEADGATE = str(Path(sys.executable).with_name("headgate"))
GATE = "series: {linkability: 0.4}"
WITH, WITHOUT = "series: {linkability: 1}", "series: {unmeasured: for a comparison}"
ROUNDS = 3
TARGET = 1.25


def run(home: Path, *arguments: str) -> tuple[str, float, float]:
    """What it prints, and its seconds by the clock and of the processor, its children's among them."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([HEADGATE, *arguments], env={**os.environ, "HEADGATE_HOME": str(home)}, capture_output=True, text=True)
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"headgate {' '.join(arguments)}: {done.stderr}")
    return done.stdout, seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def release(home: Path, policy: Path, gate: str, source: Path) -> tuple[str, float, float]:
    """The candidate, and what it took."""
    changed = policy.with_name("changed.yaml")
    text = policy.read_text(encoding="utf-8")
    if text.count(GATE) != 1:
        sys.exit("The shipped policy has another gate on series than this comparison replaces.")
    changed.write_text(text.replace(GATE, gate), encoding="utf-8")
    out, seconds, busy = run(home, "release", str(changed), "--source", str(source), "--key", str(home / "keys" / "steward"), "--json")
    return json.loads(out)["candidate"], seconds, busy


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="headgate-series-") as folder:
        home = Path(folder) / "home"
        run(home, "demo", "--home", str(home))
        policy = home / "work" / "hospital-patients.yaml"
        patients = pd.read_csv(policy.parent / "hospital_patients" / "data" / "patients.csv.gz", dtype=str)
        for times in (1, 5):
            yield from _compared(home, policy, pd.concat([_numbered(patients, part) for part in range(times)]))


def _numbered(patients: pd.DataFrame, part: int) -> pd.DataFrame:
    numbers = ("patient_id", "insurance_number")
    return patients if part == 0 else patients.assign(**{name: f"{part}-" + patients[name] for name in numbers})


def _compared(home: Path, policy: Path, people: pd.DataFrame) -> Iterator[Row]:
    source = policy.with_name(f"people-{len(people)}.csv.gz")
    people.to_csv(source, index=False)
    first = release(home, policy, WITHOUT, source)[0]
    for approver in ("alice", "bob"):
        run(home, "approve", first, "--key", str(home / "keys" / approver), "--reason", "a comparison")
    run(home, "publish", first)
    taken: dict[str, list[tuple[float, float]]] = {WITH: [], WITHOUT: []}
    for _ in range(ROUNDS):
        for gate, took in taken.items():
            took.append(release(home, policy, gate, source)[1:])
    for place, what in enumerate(("by the clock", "of the processor")):
        one, other = (min(took[place] for took in taken[gate]) for gate in (WITH, WITHOUT))
        yield Row(f"release of {len(people):,} people with the gate, {what}", one, "s")
        yield Row(f"  without, {what}", other, "s")
        yield Row(f"  as many times as much {what}", one / other, "×", TARGET)


if __name__ == "__main__":
    for row in rows():
        print(row, flush=True)
