"""A run that `serve` has started ends when `serve` does, however it does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tasks.runtime.parent_watch import lives

SERVING = """\
import subprocess, sys, time
from tasks.runtime.parent_watch import serve_from_here
serve_from_here()
run = subprocess.Popen([sys.executable, "-c", sys.argv[1]])
print(run.pid, flush=True)
time.sleep(60)
"""
RUN = """\
import time, signal
from tasks.runtime import parent_watch
parent_watch.EACH_SECONDS = 0.05
parent_watch.MERCY_SECONDS = 0.2
{before}
parent_watch.end_with_server()
print("watching", flush=True)
time.sleep(60)
"""
HERE = Path(__file__).resolve().parents[4]


@pytest.mark.slow
@pytest.mark.parametrize("before", ["", "signal.signal(signal.SIGTERM, signal.SIG_IGN)"], ids=["at once", "though it does not listen"])
def test_a_run_ends_with_the_process_that_served_it(before: str) -> None:
    surroundings = {**os.environ, "PYTHONPATH": str(HERE)}
    command = [sys.executable, "-c", SERVING, RUN.format(before=before)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=surroundings) as serving:
        assert serving.stdout is not None
        run = psutil.Process(int(serving.stdout.readline()))
        assert serving.stdout.readline() == "watching\n"
        time.sleep(0.3)
        assert run.is_running()
        serving.send_signal(signal.SIGKILL)
        assert psutil.wait_procs([run], timeout=60)[1] == []


def test_a_process_is_known_by_its_number_and_its_beginning() -> None:
    born = psutil.Process().create_time()
    assert lives(f"{os.getpid()}:{born}")
    assert not lives(f"{os.getpid()}:{born - 1}")
    assert not lives(f"{2**22 + 1}:{born}")
    assert not lives("nobody")
