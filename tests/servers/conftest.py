"""A whole installation on servers of its own, as docs/guide-operator.md sets it up: PostgreSQL, Prefect with a worker, MLflow, an object
store and the console, each a process of this machine. `make servers-test` runs these tests; no other target does."""

from __future__ import annotations

import csv
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.browser.conftest import Site, chromium, new_site, operator_file, running_console, visit
from tests.free_port import free_port
from tests.functional.conftest import POLICY, REGIONS, people
from tests.servers.processes import (
    BIN,
    LOOPBACK,
    Postgresql,
    Server,
    mlflow_server,
    object_store,
    plain_environment,
    prefect_server,
)
from tests.unit.tasks.world import Made, made

__all__ = ["chromium", "made", "visit"]

SCHEDULE = 'person: person\nschedule: {{cron: "{moment:%M %H} * * *", timezone: UTC}}\n'
DATABASES = ("headgate", "prefect", "mlflow", "mlflow_users", "open_data")


@dataclass
class Installation:
    """`environment`: what the commands and the worker of the service account have, and all that they know of the servers."""

    folder: Path
    postgresql: Postgresql
    prefect: Server
    mlflow: Server
    s3: Server
    environment: dict[str, str]

    def run(self, *command: str | Path, **more: str) -> subprocess.CompletedProcess[str]:
        """`headgate …` as the service account runs it."""
        arguments = [sys.executable, "-m", "flows.cli", *map(str, command)]
        return subprocess.run(
            arguments, env={**self.environment, **more}, capture_output=True, text=True, check=False, timeout=300, cwd=self.folder
        )

    def worker(self) -> Server:
        command = (str(BIN / "prefect"), "worker", "start", "--pool", "headgate", "--type", "process", "--name", "night")
        log = self.folder / "worker.log"
        return Server(command, self.environment, log, lambda: "started!" in log.read_text(errors="replace"), self.folder)


@pytest.fixture(scope="session")
def installation() -> Iterator[Installation]:
    """PostgreSQL does not run as root and must reach its folder, so nothing lies among pytest's own folders."""
    folder = Path(tempfile.mkdtemp(prefix="headgate-servers-"))
    folder.chmod(0o755)
    running: list[Server] = []
    try:
        postgresql = Postgresql.start(folder / "postgresql")
        running.append(postgresql.server)
        for name in DATABASES:
            postgresql.new_database(name)
        ports = {name: free_port() for name in ("prefect", "mlflow", "s3")}
        store = {
            "AWS_ENDPOINT_URL": f"http://{LOOPBACK}:{ports['s3']}",
            "AWS_ALLOW_HTTP": "true",
            "AWS_ACCESS_KEY_ID": "headgate",
            "AWS_SECRET_ACCESS_KEY": secrets.token_hex(12),
            "AWS_REGION": "us-east-1",
            "AWS_DEFAULT_REGION": "us-east-1",
        }
        passwords = {name: secrets.token_hex(12) for name in ("prefect", "mlflow")}
        s3 = object_store(folder, ports["s3"])
        prefect = prefect_server(
            folder, postgresql.role_url("prefect", "postgresql+asyncpg"), f"headgate:{passwords['prefect']}", ports["prefect"]
        )
        mlflow = mlflow_server(
            folder,
            postgresql.role_url("mlflow", "postgresql+psycopg"),
            postgresql.role_url("mlflow_users", "postgresql+psycopg"),
            "s3://mlflow/runs",
            passwords["mlflow"],
            ports["mlflow"],
            store,
        )
        for server in (s3, prefect, mlflow):
            running.append(server)
            server.start(wait=False)
        for server in (s3, prefect, mlflow):
            server.wait()
        for bucket in ("mlflow", "open-data"):
            request = urllib.request.Request(f"{store['AWS_ENDPOINT_URL']}/{bucket}", method="PUT")
            assert urllib.request.urlopen(request, timeout=30).status == 200
        passes = folder / "pgpass"
        passes.write_text(f"{LOOPBACK}:{postgresql.port}:open_data:open_data:{postgresql.role_password('open_data')}\n")
        passes.chmod(0o600)
        environment = {
            **plain_environment(folder),
            **store,
            "HEADGATE_HOME": str(folder / "service" / "home"),
            "HEADGATE_DATABASE_URL": postgresql.role_url("headgate"),
            "HEADGATE_PUBLISH_SECONDS": "15",
            "PREFECT_API_URL": f"http://{LOOPBACK}:{ports['prefect']}/api",
            "PREFECT_API_AUTH_STRING": f"headgate:{passwords['prefect']}",
            "MLFLOW_TRACKING_URI": f"http://{LOOPBACK}:{ports['mlflow']}",
            "MLFLOW_TRACKING_USERNAME": "headgate",
            "MLFLOW_TRACKING_PASSWORD": passwords["mlflow"],
            "PGPASSFILE": str(passes),
        }
        yield Installation(folder, postgresql, prefect, mlflow, s3, environment)
    finally:
        for server in reversed(running):
            server.stop()
        if not os.environ.get("HEADGATE_KEEP_SERVERS"):
            shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def site(installation: Installation, made: Made) -> Iterator[Site]:
    """The home of the installation, with its console."""
    port = free_port()
    url = f"http://localhost:{port}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "environ", {**os.environ, **installation.environment})
        there = Site(new_site(installation.folder / "service", made, port), url, installation.folder / "console.log")
        database = f"postgresql://open_data@{LOOPBACK}:{installation.postgresql.port}/open_data/releases"
        targets = {"health": "s3://open-data/published", "work": database, "visits": "s3://open-data/more", "jobs": "s3://open-data/more"}
        (there.home.root / "operator.yaml").write_text(operator_file(url) + f"floor: {{approvals: 2}}\ntargets: {json.dumps(targets)}\n")
        with running_console(there, port):
            yield there


def write_policies(folder: Path, datasets: Sequence[str], due: timedelta) -> Path:
    """A policy for each, with data of its own, which is due once after this time."""
    folder.mkdir(exist_ok=True)
    (folder / "region.csv").write_text(REGIONS, encoding="utf-8")
    schedule = SCHEDULE.format(moment=datetime.now(UTC) + due)
    for number, dataset in enumerate(datasets, start=1):
        text = POLICY.format(dataset=dataset, k=5, delta=0.4, gates="", max_error=5, more=schedule)
        text = text.replace("path: patients.csv", f"path: {dataset}.csv").replace(", signers: signers", "")
        (folder / f"{dataset}.yaml").write_text(text, encoding="utf-8")
        write_people(folder / f"{dataset}.csv", number)
    return folder


def write_people(file: Path, seed: int) -> None:
    rows = people(seed=seed)
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture
def worker(installation: Installation) -> Iterator[Server]:
    running = installation.worker()
    running.start()
    yield running
    running.stop()
