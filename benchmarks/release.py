"""What a release costs: census-income, cold process, warm home, beside an empty Prefect flow in the same run.

The empty flow imports prefect, mlflow and great_expectations and runs one task on Prefect's own ephemeral server: what anyone who
uses these three pays before doing anything. All that is not science in a release should cost at most 1.3 times that.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

from benchmarks.watched_process import Watched, watched

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


def run(command: list[str], environment: dict[str, str]) -> Watched:
    ended = watched(command, environment)
    if ended.problem:
        raise SystemExit(f"{command[0]} {ended.problem}")
    return ended


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
