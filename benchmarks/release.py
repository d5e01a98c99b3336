"""What a release costs: census-income, cold process, warm home, beside an empty Prefect flow in the same run.

The empty flow imports prefect, mlflow and great_expectations and runs one task on Prefect's own ephemeral server: what anyone who
uses these three pays before doing anything. All that is not science in a release should cost at most 1.3 times that.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

SCIENCE = ("transform", "plan", "anonymize", "regroup", "gate", "attack")
EMPTY_FLOW = """
import prefect, mlflow, great_expectations
from prefect import flow, task

@task
def nothing():
    return 1

@flow
def empty():
    return nothing()

empty()
"""
QUIET = {
    "DO_NOT_TRACK": "true",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "PREFECT_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_TO_API_ENABLED": "false",
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
}


@dataclass
class Measured:
    seconds: float
    peak_mib: float  # of all its processes together, sampled
    output: str


def tree_memory(root: int) -> float:
    """Resident memory of a process and all its descendants, in MiB."""
    parents: dict[int, int] = {}
    resident: dict[int, float] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            pages = int((entry / "statm").read_text().split()[1])
        except (OSError, IndexError):
            continue
        parents[int(entry.name)] = int(fields[1])
        resident[int(entry.name)] = pages * os.sysconf("SC_PAGE_SIZE") / 2**20
    total, members = 0.0, {root}
    grew = True
    while grew:
        more = {pid for pid, parent in parents.items() if parent in members} - members
        members |= more
        grew = bool(more)
    for pid in members:
        total += resident.get(pid, 0.0)
    return total


def run(command: list[str], environment: dict[str, str]) -> Measured:
    start = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    peak = [0.0]

    def sample() -> None:
        while process.poll() is None:
            peak[0] = max(peak[0], tree_memory(process.pid))
            time.sleep(0.2)

    sampler = threading.Thread(target=sample)
    sampler.start()
    out, err = process.communicate()
    seconds = time.perf_counter() - start
    sampler.join()
    if process.returncode:
        raise SystemExit(f"{command[0]} ended with {process.returncode}:\n{out}\n{err}")
    return Measured(seconds, peak[0], out)


def make_signers(home: Path) -> None:
    """Two people who could approve, and one who runs releases."""
    from tasks.signing.home_keys import load_or_make

    home.mkdir(mode=0o700)
    keys = {name: load_or_make(home / "keys" / name) for name in ("alice", "bob", "steward")}
    (home / "signers").write_text("".join(f"{name} {key.public}\n" for name, key in keys.items()), encoding="utf-8")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--json", type=Path, help="write the figures here too")
    options.add_argument("--repeat", type=int, default=3)
    chosen = options.parse_args()
    policy = str(files("policies.shipped") / "census-income.yaml")
    headgate = str(Path(sys.executable).with_name("headgate"))
    with tempfile.TemporaryDirectory() as scratch:
        make_signers(Path(scratch) / "home")
        environment = {**os.environ, **QUIET}
        empty = {**environment, "PREFECT_HOME": f"{scratch}/prefect"}
        ours = {**os.environ, "HEADGATE_HOME": f"{scratch}/home", "HEADGATE_KEY": f"{scratch}/home/keys/steward"}
        flow = [sys.executable, "-c", EMPTY_FLOW]
        release = [headgate, "release", policy, "--json"]
        fresh_flow, fresh_release = run(flow, empty), run(release, ours)
        flows = [run(flow, empty) for _ in range(chosen.repeat)]
        releases = [run(release, ours) for _ in range(chosen.repeat)]
    best_flow = min(flows, key=lambda m: m.seconds)
    best = min(releases, key=lambda m: m.seconds)
    steps = json.loads(best.output)["seconds"]
    science = sum(steps.get(step, 0.0) for step in SCIENCE)
    figures = {
        "empty_flow_seconds": best_flow.seconds,
        "release_seconds": best.seconds,
        "science_seconds": science,
        "rest_seconds": best.seconds - science,
        "rest_over_empty_flow": (best.seconds - science) / best_flow.seconds,
        "peak_mib": max(m.peak_mib for m in releases),
        "fresh_home_empty_flow_seconds": fresh_flow.seconds,
        "fresh_home_release_seconds": fresh_release.seconds,
    }
    print(f"census-income, best of {chosen.repeat}, cold process, warm home")
    print(f"  empty Prefect flow (imports prefect, mlflow, great_expectations)  {figures['empty_flow_seconds']:6.2f} s")
    print(f"  release                                                           {figures['release_seconds']:6.2f} s")
    print(f"    science ({', '.join(SCIENCE)})                      {science:6.2f} s   (target ≤ 12)")
    print(f"    all the rest                                                    {figures['rest_seconds']:6.2f} s")
    print(f"    the rest / the empty flow                                       {figures['rest_over_empty_flow']:6.2f}     (target ≤ 1.3)")
    print(f"  peak memory of all processes                                      {figures['peak_mib']:6.0f} MiB (target ≤ 1536)")
    print(f"fresh home: empty flow {fresh_flow.seconds:.2f} s, release {fresh_release.seconds:.2f} s")
    for step, taken in steps.items():
        print(f"  {step:<18}{taken:7.3f} s")
    if chosen.json:
        chosen.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
