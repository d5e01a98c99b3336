"""Prefect's server dies, or only stands still, while a release runs: the command says so, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

SERVER = "prefect_server.py"


def children(pid: int) -> list[psutil.Process]:
    return psutil.Process(pid).children(recursive=True)


def command(process: psutil.Process) -> str:
    """Of one that has just ended, nothing."""
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def ended(process: psutil.Process) -> bool:
    """Also where nobody asks any more how it ended."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def started(project: Any) -> bool:
    """The ledger has heard of a run."""
    ledger = Path(project.home) / "ledger.db"
    if not ledger.exists():
        return False
    with sqlite3.connect(f"{ledger.as_uri()}?mode=ro", uri=True) as events:
        try:
            return bool(events.execute("SELECT count(*) FROM events").fetchone()[0])
        except sqlite3.OperationalError:
            return False


def until(true: Any, seconds: float) -> None:
    ends = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < ends, "it did not come to this"
        time.sleep(0.05)


@pytest.mark.long
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
def test_a_release_whose_server_is_lost_ends_with_the_reason(how: signal.Signals, project: Any) -> None:
    surroundings = {**os.environ, "PREFECT_API_URL": "", "PREFECT_HOME": "", "HEADGATE_PREFECT_SECONDS": "4"}
    process = project.in_background("release", project.policy, "--json", environment=surroundings)
    until(lambda: started(project) or process.poll() is not None, 120)
    server = next(child for child in children(process.pid) if SERVER in command(child))
    server.send_signal(how)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 6, err
    assert "Prefect's server stopped answering" in err
    assert "traceback" not in err.lower()
    until(lambda: ended(server), 60)
    again = project.spawned("release", project.policy, "--json", environment={"PREFECT_API_URL": "", "PREFECT_HOME": ""})
    assert again.code == 0, again.err


@pytest.mark.long
def test_a_serve_that_is_killed_leaves_no_process(project: Any) -> None:
    project.write_policy(more="person: person\nschedule: {cron: '* * * * *', timezone: Europe/Rome}\n")
    surroundings = {**os.environ, "PREFECT_API_URL": "", "PREFECT_HOME": "", "HEADGATE_PUBLISH_SECONDS": "1"}
    process = project.in_background("serve", project.policy, "--key", project.keys["steward"], environment=surroundings)
    until(lambda: process.poll() is not None or any("prefect.engine" in command(child) for child in children(process.pid)), 180)
    left = children(process.pid)
    assert len(left) >= 2, process.communicate()[1]
    process.kill()
    until(lambda: all(map(ended, left)), 60)
    process.communicate(timeout=60)
