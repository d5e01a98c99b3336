"""What `headgate serve` costs while nothing is due, with the shipped policies and with a thousand, and what a thousand cost elsewhere.

Seconds of the processor and memory of `serve` and all that it starts, but without Prefect's own server, which is named apart."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil

HEADGATE = str(Path(sys.executable).with_name("headgate"))
SERVER = "prefect_server.py"
START_SECONDS = 900.0
MOST_SETTLING_SECONDS = 240.0
BUSY_SHARE = 0.15  # of a core, by Prefect's server
EARLY_SECONDS = 15.0  # Prefect takes a run some seconds before its moment
LEAST_SECONDS = 10.0
POLICY = """schema: 1
dataset: {name}
source: {{kind: csv, path: people.csv}}
attributes:
  age: {{role: quasi, kind: integer, domain: [0, 110]}}
  job: {{role: sensitive, kind: category}}
anonymize: {{method: xcolor, k: 5, epsilon: 0.1, delta: 1}}
gates: {{linkability: 1, series: {{unmeasured: a benchmark publishes nothing}}}}
approval: {{required: 2}}
publish: {{to: {name}}}
schedule: {{cron: "{cron}", timezone: UTC}}
"""
ONCE_A_YEAR = "0 3 1 1 *"


@dataclass(frozen=True)
class Usage:
    """Seconds of the processor, and memory in MiB: what is a process's own, with its share of what several use."""

    own_seconds: float
    server_seconds: float
    own_mib: float
    server_mib: float


@dataclass(frozen=True)
class Idle:
    """`share` and `server_share`: of one core, in percent. `mib`: at its highest."""

    started_seconds: float
    share: float
    server_share: float
    mib: float
    server_mib: float


def usage(serving: psutil.Process) -> Usage:
    """Of processes that have ended meanwhile too: who waited for them has their seconds."""
    seconds, memory = {True: 0.0, False: 0.0}, {True: 0.0, False: 0.0}
    for process in (serving, *serving.children(recursive=True)):
        try:
            of_server = any(SERVER in word for word in process.cmdline())
            times = process.cpu_times()
            seconds[of_server] += times.user + times.system + times.children_user + times.children_system
            memory[of_server] += process.memory_full_info().pss / 2**20
        except psutil.Error:
            continue
    return Usage(seconds[False], seconds[True], memory[False], memory[True])


@contextmanager
def serving(home: Path, policies: Sequence[str], log: Path) -> Iterator[tuple[psutil.Process, float]]:
    """From when it says that it serves; gives the seconds until then."""
    began = time.monotonic()
    with log.open("w") as errors:
        process = subprocess.Popen(
            [HEADGATE, "serve", *policies], env={**os.environ, "HEADGATE_HOME": str(home)}, stderr=errors, start_new_session=True
        )
    try:
        while "Prefect API" not in log.read_text():
            if process.poll() is not None or time.monotonic() - began > START_SECONDS:
                raise SystemExit(f"serve did not start: {log.read_text()[-600:]}")
            time.sleep(0.2)
        yield psutil.Process(process.pid), time.monotonic() - began
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)


def idle(one: psutil.Process, started: float, settle_seconds: float, seconds: float, due: datetime | None = None) -> Idle:
    """After it has settled: what it does first it does once, in runs of its own. It is looked at no longer than until a run is `due`."""
    time.sleep(settle_seconds)
    ending = time.monotonic() + MOST_SETTLING_SECONDS
    while _busy(one) and time.monotonic() < ending:
        continue
    if due is not None:
        seconds = min(seconds, (due - datetime.now(UTC)).total_seconds() - EARLY_SECONDS)
    if seconds < LEAST_SECONDS:
        raise SystemExit("This machine is too busy: a run is due before anything was measured. Give more --minutes.")
    before, begun, highest = usage(one), time.monotonic(), 0.0
    after = before
    while time.monotonic() - begun < seconds:
        time.sleep(2)
        after = usage(one)
        highest = max(highest, after.own_mib)
    lasted = time.monotonic() - begun
    return Idle(
        started,
        100 * (after.own_seconds - before.own_seconds) / lasted,
        100 * (after.server_seconds - before.server_seconds) / lasted,
        highest,
        after.server_mib,
    )


def _busy(one: psutil.Process) -> bool:
    """Whether runs go on, or Prefect is still told of deployments."""
    before = usage(one)
    time.sleep(10)
    after = usage(one)
    server = after.server_seconds - before.server_seconds
    return len(one.children(recursive=True)) > 1 or server > BUSY_SHARE * 10


def write_policies(folder: Path, number: int, due: datetime) -> None:
    """Small ones, all due once a year, but the last at a moment of today."""
    folder.mkdir()
    (folder / "people.csv").write_text("age,job\n" + "".join(f"{20 + row % 40},{'abc'[row % 3]}\n" for row in range(60)), encoding="utf-8")
    for place in range(number):
        cron = f"{due.minute} {due.hour} {due.day} {due.month} *" if place == number - 1 else ONCE_A_YEAR
        (folder / f"p{place:04}.yaml").write_text(POLICY.format(name=name_of(place), cron=cron), encoding="utf-8")


def name_of(place: int) -> str:
    return f"people-{place:04}"


def in_minutes(minutes: int) -> datetime:
    return (datetime.now(UTC) + timedelta(minutes=minutes)).replace(second=0, microsecond=0)


def begun_late(home: Path, dataset: str, due: datetime, most_seconds: float) -> float | None:
    """How many seconds after its moment the first run of a dataset began; None if it did not in time."""
    from policies.ledger.events import moment
    from tasks.ledger.open_ledger import read_ledger
    from tasks.runtime.home import Home

    ledger = read_ledger(Home.open(home))
    while True:
        for entry in ledger.about("run_started", dataset):
            return (moment(entry.at) - due).total_seconds()
        if (datetime.now(UTC) - due).total_seconds() > most_seconds:
            return None
        time.sleep(0.5)
