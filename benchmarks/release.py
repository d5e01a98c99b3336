"""What a release costs beside an empty Prefect flow in a new home and in one that is used, and what `headgate serve` costs while nothing
is due, with the shipped policies and with a thousand. Each figure has a limit; with one above it, the end is 1.

The empty flow imports prefect, mlflow and great_expectations and runs one task on Prefect's own ephemeral server: what anyone who
uses these three pays before doing anything. Releases and flows take turns, and only ratios within a turn are compared.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from statistics import median
from unittest.mock import patch

from benchmarks.served import HEADGATE, Idle, begun_late, idle, in_minutes, name_of, serving, write_policies
from benchmarks.watched_process import Watched, watched
from tasks.runtime.prefect_server import PrefectServer

MOST_MIB = 1.2 * 1024
SETTLE_SECONDS = 20.0
DUE_MINUTES = 7  # until then there is time for all but the slowest of machines
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


@dataclass(frozen=True)
class Figure:
    """`most`: its limit, if it has one."""

    name: str
    value: float
    unit: str
    most: float | None = None

    @property
    def holds(self) -> bool:
        return self.most is None or self.value <= self.most

    @property
    def line(self) -> str:
        limit = "" if self.most is None else f"≤ {self.most:g}"
        return f"{self.name:<74}{self.value:9.2f} {self.unit:<11}{limit:<8}{'' if self.holds else ' MISSED'}".rstrip()


@dataclass(frozen=True)
class Turn:
    """An empty flow and a release, one after the other. `science`: the seconds of the steps that are science."""

    flow: Watched
    release: Watched
    science: float

    @property
    def ratio(self) -> float:
        return (self.release.seconds - self.science) / self.flow.seconds


def turn(home: Path, prefect_home: Path) -> Turn:
    policy = str(files("policies.shipped") / "census-income.yaml")
    flow = run([sys.executable, "-c", EMPTY_FLOW], {**os.environ, **QUIET, "PREFECT_HOME": str(prefect_home)})
    ours = {**os.environ, "HEADGATE_HOME": str(home), "HEADGATE_KEY": str(home / "keys" / "steward")}
    release = run([HEADGATE, "release", policy, "--json"], ours)
    steps = json.loads(release.output)["seconds"]
    return Turn(flow, release, sum(steps.get(step, 0.0) for step in SCIENCE))


def turns(times: int, cold: bool) -> list[Turn]:
    """Cold: each in a home of its own. Else all in one, after a first that does not count."""
    with tempfile.TemporaryDirectory() as scratch:
        homes = [Path(scratch, f"home-{number}") for number in range(times if cold else 1)]
        for home in homes:
            make_signers(home)
        if cold:
            return [turn(home, home.with_name(f"{home.name}-prefect")) for home in homes]
        return [turn(homes[0], Path(scratch, "prefect")) for _ in range(times + 1)][1:]


def of_turns(called: str, made: list[Turn], most: float) -> list[Figure]:
    def middle(of: Callable[[Turn], float]) -> float:
        return median(of(each) for each in made)

    return [
        Figure(f"{called}: empty flow", middle(lambda each: each.flow.seconds), "s"),
        Figure(f"{called}: release", middle(lambda each: each.release.seconds), "s"),
        Figure(f"{called}: of it, science ({', '.join(SCIENCE)})", middle(lambda each: each.science), "s"),
        Figure(f"{called}: all the rest / empty flow", middle(lambda each: each.ratio), "", most),
        Figure(f"{called}: of the processor, empty flow", middle(lambda each: each.flow.busy_seconds), "s"),
        Figure(f"{called}: of the processor, release", middle(lambda each: each.release.busy_seconds), "s"),
        Figure(f"{called}: memory of all processes", max(each.release.peak_mib for each in made), "MiB", MOST_MIB),
    ]


def of_idle(called: str, found: Idle) -> list[Figure]:
    return [
        Figure(f"{called}: until it serves", found.started_seconds, "s"),
        Figure(f"{called}: idle", found.share, "% of a core", 1),
        Figure(f"{called}: memory", found.mib, "MiB", 400),
        Figure(f"{called}: Prefect's own server, idle", found.server_share, "% of a core"),
        Figure(f"{called}: Prefect's own server, memory", found.server_mib, "MiB"),
    ]


def of_shipped(scratch: Path, seconds: float) -> list[Figure]:
    home = scratch / "shipped"
    make_signers(home)
    policies = ["shipped:hospital-patients"]
    run([HEADGATE, "serve", *policies, "--register", "--key", str(home / "keys" / "steward")], {**os.environ, "HEADGATE_HOME": str(home)})
    with serving(home, policies, scratch / "shipped.log") as (process, started):
        return of_idle("serve, shipped policies", idle(process, started, SETTLE_SECONDS, seconds))


def of_many(scratch: Path, number: int, seconds: float, minutes: int) -> list[Figure]:
    home, folder, called = scratch / "many", scratch / "policies", f"{number:,} datasets"
    make_signers(home)
    environment = {**os.environ, "HEADGATE_HOME": str(home)}
    write_policies(folder, number, due := in_minutes(minutes))
    registered = run([HEADGATE, "serve", str(folder), "--register", "--key", str(home / "keys" / "steward")], environment)
    figures = [Figure(f"{called}: registering all, of the processor", registered.busy_seconds, "s")]
    with serving(home, [str(folder)], scratch / "many.log") as (process, started):
        figures += of_idle(f"serve, {called}", idle(process, started, SETTLE_SECONDS, seconds, due))
        asked = [("releases --calendar", ["releases", "--calendar"]), ("metrics", ["metrics"]), ("doctor", ["doctor"])]
        for name, command in asked:
            taken = watched([HEADGATE, *command], environment)  # `doctor` ends with 3: nothing has been backed up
            figures.append(Figure(f"{called}: headgate {name}, of the processor", taken.busy_seconds, "s", 10))
        figures += of_deploy(called, folder, environment, scratch)
        late = begun_late(home, name_of(number - 1), due, 120)
        figures.append(Figure(f"{called}: a run begins after its moment", math.inf if late is None else late, "s", 30))
    return figures


def of_deploy(called: str, folder: Path, environment: dict[str, str], scratch: Path) -> list[Figure]:
    with patch.dict(os.environ, {**QUIET, "PREFECT_HOME": str(scratch / "server")}):
        server = PrefectServer.start(scheduling=True)
        try:
            there = {**environment, **server.environment()}
            first, again = (run([HEADGATE, "deploy", str(folder)], there) for _ in range(2))
        finally:
            server.stop()
    return [
        Figure(f"{called}: headgate deploy", first.seconds, "s", 120),
        Figure(f"{called}: headgate deploy again, nothing changed", again.seconds, "s", 60),
    ]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--json", type=Path, help="write the figures here too")
    options.add_argument("--repeat", type=int, default=3)
    options.add_argument("--seconds", type=float, default=45.0, help="of looking at a server that has nothing to do")
    options.add_argument("--datasets", type=int, default=1000)
    options.add_argument("--minutes", type=int, default=DUE_MINUTES, help="until one of many datasets is due; more on a busy machine")
    options.add_argument("--only", choices=("release", "serve", "datasets"))
    chosen = options.parse_args()
    figures: list[Figure] = []
    if chosen.only in (None, "release"):
        figures += of_turns("new home", turns(chosen.repeat, cold=True), 0.9)
        figures += of_turns("used home", turns(max(chosen.repeat - 2, 1), cold=False), 1.3)
    with tempfile.TemporaryDirectory() as scratch:
        if chosen.only in (None, "serve"):
            figures += of_shipped(Path(scratch), chosen.seconds)
        if chosen.only in (None, "datasets"):
            figures += of_many(Path(scratch), chosen.datasets, chosen.seconds, chosen.minutes)
    print(f"census-income, medians of {chosen.repeat} turns in new homes; serve looked at for {chosen.seconds:g} s")
    for figure in figures:
        print(f"  {figure.line}")
    if chosen.json:
        chosen.json.write_text(json.dumps({figure.name: figure.value for figure in figures}, indent=2) + "\n", encoding="utf-8")
    if not all(figure.holds for figure in figures):
        sys.exit(1)


if __name__ == "__main__":
    main()
