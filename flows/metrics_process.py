"""The process in which `headgate serve` has Prometheus answered: what holds connections open there takes nothing from schedules."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

LOOPBACK = "127.0.0.1"
TOKEN = "HEADGATE_METRICS_TOKEN"


@contextmanager
def metrics_answered(port: int | None) -> Iterator[None]:
    """Refused before anything is started if the port is taken. The token is that process's alone from here on."""
    environment = dict(os.environ)
    token = os.environ.pop(TOKEN, "")
    if port is None:
        yield
        return
    from tasks.metrics.metrics_server import bound

    bound(LOOPBACK, port, token).close()
    command = (sys.executable, "-m", "flows.cli", "metrics", "--port", str(port), "--listen", LOOPBACK)
    nothing = subprocess.DEVNULL
    with subprocess.Popen(command, env=environment, stdin=nothing, stdout=nothing, stderr=nothing) as process:
        try:
            yield
        finally:
            process.terminate()
