"""Prefect's server as a child process that cannot outlive its parent, and that nobody else can speak to.

Prefect's own ephemeral server is left behind as an orphan when a flow is killed, and keeps the parent's stdout open. This one holds a
pipe to its parent and exits when the pipe closes, however the parent ended: nobody has to ask whether the parent is alive. The parent
holds its port, so that nobody else can answer there when the server has died, while clients still send their password.

Whoever speaks to it can run code as the operator (a deployment's `pull_steps` are shell commands), and a port of loopback is open to every
user of the machine and to every page in a browser. So each server has a password, which only its environment and its clients' hold, and
says nothing to anybody else (server_guard.py), and connections of other accounts are closed at once (own_connections.py). A Unix socket
would keep them out before that, but Prefect's clients speak to a host and a port only.
"""

from __future__ import annotations

import gc
import os
import secrets
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from headgate.core.errors import Defect, HeadgateError, StoreUnavailable
from tasks.runtime.boundary import reason_of
from tasks.runtime.first_tables import lay_first_tables
from tasks.runtime.full_disk import prefect_has_no_room
from tasks.runtime.own_connections import own_connections_only, require_accounts_known, take_all_descriptors
from tasks.runtime.server_guard import guarded
from tasks.runtime.server_watch import answers, cure_of, trouble_with, watched

LOOPBACK = "127.0.0.1"
PORTS = range(20_000, 32_768)  # below those that the system gives to whoever connects
PORTS_TRIED = 100
READY = b"ready\n"
OTHER_DATABASE = ("PREFECT_SERVER_DATABASE_", "PREFECT_API_DATABASE_")  # what the operator has said of it
STARTUP_SECONDS = 120
EVENTS_SECONDS = 10
LAST_SECONDS = 5  # for a server that may be gone
REMEDY = "Check the permissions and the free space of the home, or set PREFECT_API_URL to a running server."


@dataclass
class PrefectServer:
    """A starting or running server. `url()` waits until it answers."""

    process: subprocess.Popen[bytes]
    password: str = field(repr=False)
    listener: socket.socket = field(repr=False)

    @classmethod
    def start(cls, scheduling: bool = False) -> PrefectServer:
        """Returns at once; the server starts while the caller works. Only a `scheduling` server creates runs from schedules."""
        environment = {**os.environ, "PREFECT_UI_ENABLED": "0", "PREFECT__SERVER_FINAL": "1", "PYTHONSAFEPATH": "1"}
        environment.pop("PREFECT_API_URL", None)
        if not scheduling:
            environment["PREFECT__SERVER_EPHEMERAL"] = "1"
        password = f"headgate:{secrets.token_urlsafe(32)}"
        environment["PREFECT_SERVER_API_AUTH_STRING"] = password
        problem = _unusable(Path(environment["PREFECT_HOME"]))
        if problem is not None:
            raise StoreUnavailable(f"Prefect's home cannot be used ({problem}).", REMEDY)
        require_accounts_known()
        if not any(name.startswith(OTHER_DATABASE) for name in environment):
            lay_first_tables("prefect", Path(environment["PREFECT_HOME"]) / "prefect.db")
        listener = _own_port()
        process = subprocess.Popen(
            [sys.executable, "-P", __file__, str(listener.fileno())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if os.environ.get("HEADGATE_VERBOSE") else subprocess.DEVNULL,
            env=environment,
            pass_fds=[listener.fileno()],
            start_new_session=True,  # Ctrl-C is for the flow; the server exits after the flow has written its last state
        )
        threading.Thread(target=_refuse_once_ended, args=(process, listener), name="prefect-port", daemon=True).start()
        return cls(process, password, listener)

    def url(self) -> str:
        timer = threading.Timer(STARTUP_SECONDS, self.process.kill)
        timer.daemon = True
        timer.start()
        try:
            line = _pipe(self.process.stdout).readline()
        finally:
            timer.cancel()  # so that Ctrl-C during the start does not wait for the timer
        if line != READY:
            raise StoreUnavailable("The embedded Prefect server did not start.", REMEDY)
        return f"http://{LOOPBACK}:{self.listener.getsockname()[1]}/api"

    def environment(self) -> dict[str, str]:
        """What a process needs in its environment to speak to this server; waits until it answers."""
        return {"PREFECT_API_URL": self.url(), "PREFECT_API_AUTH_STRING": self.password}

    def stop(self) -> None:
        _pipe(self.process.stdin).close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        _pipe(self.process.stdout).close()
        self.listener.close()


def _own_port() -> socket.socket:
    """A port that was asked for by its number stays ours while the socket is open, also when nobody listens on it any more."""
    for _ in range(PORTS_TRIED):
        listener = socket.socket()
        try:
            listener.bind((LOOPBACK, PORTS.start + secrets.randbelow(len(PORTS))))
            listener.listen(128)
        except OSError:
            listener.close()
            continue
        return listener
    raise StoreUnavailable("No port of loopback is free for Prefect's server.", "End processes that listen, or set PREFECT_API_URL.")


def _refuse_once_ended(process: subprocess.Popen[bytes], listener: socket.socket) -> None:
    """Whoever asks a server that has died is told so at once."""
    process.wait()
    with suppress(OSError):  # it was closed in the ordinary way
        listener.shutdown(socket.SHUT_RDWR)


def _pipe(end: IO[bytes] | None) -> IO[bytes]:
    if end is None:
        raise StoreUnavailable("The embedded Prefect server has no pipe to its parent.", REMEDY)
    return end


def _unusable(folder: Path) -> str | None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as problem:
        return reason_of(problem)
    return None


@contextmanager
def prefect_api(scheduling: bool = False, meanwhile: Callable[[], object] | None = None) -> Iterator[None]:
    """Within this context, flows talk to the server that PREFECT_API_URL names, or else to an embedded one, which stops at the end.
    `meanwhile` is called while that one starts."""
    server = None if os.environ.get("PREFECT_API_URL") else PrefectServer.start(scheduling)
    try:
        from prefect.settings import PREFECT_API_AUTH_STRING, PREFECT_API_URL, PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings

        if meanwhile is not None:
            meanwhile()
        url = os.environ["PREFECT_API_URL"] if server is None else server.url()
        password = {}
        if server is not None:
            password = {PREFECT_API_AUTH_STRING: server.password}
            os.environ["PREFECT_API_AUTH_STRING"] = server.password  # runs that Prefect starts inherit no secret setting but this way
        _require_answer(url)
        # A heartbeat's thread costs a second at the end of a flow.
        settings = temporary_settings({PREFECT_API_URL: url, PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None, **password})
        with settings, watched(url, (lambda: None) if server is None else server.process.kill), _lost_server_named(url):
            yield
    finally:
        if server is not None:
            os.environ.pop("PREFECT_API_AUTH_STRING", None)
            server.stop()


def _require_answer(url: str) -> None:
    trouble = trouble_with(url, 10)
    if trouble:
        raise StoreUnavailable(f"Prefect's server at {url.split('@')[-1]} {trouble}.", cure_of(trouble))


@contextmanager
def _lost_server_named(url: str) -> Iterator[None]:
    """Where the server is gone, what broke because of that is not a defect of headgate."""
    lost = False
    try:
        yield
    except Exception as problem:
        refused = isinstance(problem, HeadgateError) and not isinstance(problem, Defect)
        lost = not refused and not answers(url, LAST_SECONDS)
        if not lost:
            raise
    finally:
        if not lost:
            _send_last_events()
    if lost:
        full = prefect_has_no_room()
        raise StoreUnavailable(
            f"Prefect's server stopped answering before the end{': the disk of its home is full' if full else ''}.",
            f"{'Free space, see' if full else 'See'} with `headgate releases` what came of it, then run the command again.",
        )


def _send_last_events() -> None:
    """States of task runs travel as events. Unsent events would be lost when the server stops, and the process would retry for ever."""
    from prefect.events.worker import EventsWorker

    EventsWorker.drain_all(timeout=EVENTS_SECONDS, at_exit=False)


def serve_until_parent_leaves(listener: socket.socket) -> None:
    """The child's main: serve on its parent's port, say when, and exit with the parent. What it imports stays: Python's garbage collector
    need not search it."""
    gc.disable()
    import uvicorn
    from prefect.server.api.server import create_app

    from tasks.runtime.prefect_deployments import name_time_zones_once

    class Announcing(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets=sockets)
            gc.freeze()
            gc.enable()
            os.write(1, READY)

    name_time_zones_once()
    application = guarded(create_app(), os.environ["PREFECT_SERVER_API_AUTH_STRING"])
    take_all_descriptors()
    protocol = own_connections_only()
    server = Announcing(uvicorn.Config(application, http=protocol, log_level="critical", lifespan="on", timeout_graceful_shutdown=2))

    def watch() -> None:
        os.read(0, 1)
        server.should_exit = True
        threading.Timer(5, os._exit, (0,)).start()

    threading.Thread(target=watch, daemon=True).start()
    server.run(sockets=[listener])


if __name__ == "__main__":
    serve_until_parent_leaves(socket.socket(fileno=int(sys.argv[1])))
