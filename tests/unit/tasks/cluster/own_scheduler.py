"""A scheduler and workers as an operator starts them, with certificates in files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dask
from distributed import Security

from tests.free_port import free_port

ROOT = Path(__file__).resolve().parents[4]


class OwnScheduler:
    def __init__(self, folder: Path) -> None:
        made = Security.temporary()
        self.folder, self.certificate, self.key = folder, folder / "node.pem", folder / "key.pem"
        self.certificate.write_text(str(made.tls_ca_file))
        self.key.write_text(str(made.tls_client_key))
        self.address = f"tls://127.0.0.1:{free_port()}"
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self, workers: int = 1) -> None:
        port = self.address.rpartition(":")[2]
        self._run("scheduler", "--host", "tls://127.0.0.1", "--port", port)
        self._run("worker", self.address, "--nworkers", str(workers), "--nthreads", "1")

    def _run(self, *arguments: str) -> None:
        tls = ("--tls-ca-file", str(self.certificate), "--tls-cert", str(self.certificate), "--tls-key", str(self.key))
        command = [sys.executable, "-m", "dask", *arguments, *tls, "--no-dashboard"]
        log = (self.folder / "log").open("ab")
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        self.processes.append(subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder, start_new_session=True, env=environment))

    def kill(self) -> None:
        """All of it, workers and who watches over them."""
        for process in self.processes:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self.processes.clear()


@contextmanager
def own_scheduler(folder: Path) -> Iterator[OwnScheduler]:
    scheduler = OwnScheduler(folder)
    certificates = {
        "distributed.comm.tls.ca-file": str(scheduler.certificate),
        "distributed.comm.tls.client.cert": str(scheduler.certificate),
        "distributed.comm.tls.client.key": str(scheduler.key),
    }
    with dask.config.set(certificates):
        try:
            yield scheduler
        finally:
            scheduler.kill()
