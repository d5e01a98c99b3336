"""Without a Prefect server that answers, nothing begins."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from headgate.core.errors import Defect, RequirementNotMet, StoreUnavailable
from tasks.runtime import prefect_server
from tasks.runtime.prefect_server import PrefectServer, _lost_server_named, _require_answer
from tasks.runtime.server_watch import answers
from tests.free_port import free_port


def test_a_home_of_prefect_that_cannot_be_made_is_named_before_anything_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "file" / "prefect"))
    with pytest.raises(StoreUnavailable, match="Prefect's home cannot be used"):
        PrefectServer.start()


def test_a_server_that_does_not_answer_is_named_without_its_password() -> None:
    port = free_port()
    with pytest.raises(StoreUnavailable, match=f"at 127.0.0.1:{port}/api does not answer") as refusal:
        _require_answer(f"http://user:secret@127.0.0.1:{port}/api")
    assert "secret" not in str(refusal.value)


def test_each_server_has_a_password_that_no_text_of_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[dict[str, str]] = []

    class Started:
        def __init__(self, command: list[str], env: dict[str, str], **_options: object) -> None:
            assert not any(env["PREFECT_SERVER_API_AUTH_STRING"] in word for word in command)  # others can read a command line
            started.append(env)

        def wait(self) -> int:
            return 0

    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "prefect"))
    monkeypatch.setattr(prefect_server.subprocess, "Popen", Started)
    servers = [PrefectServer.start(), PrefectServer.start()]
    passwords = [environment["PREFECT_SERVER_API_AUTH_STRING"] for environment in started]
    assert [server.password for server in servers] == passwords
    assert passwords[0] != passwords[1]
    assert all(len(password) > 40 for password in passwords)
    assert passwords[0] not in repr(servers[0])
    for server in servers:
        server.listener.close()


@pytest.fixture
def gone() -> Iterator[str]:
    """Where no server is."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # and nobody else's while it is open; nobody listens
        yield f"http://127.0.0.1:{free.getsockname()[1]}/api"


@pytest.mark.slow
@pytest.mark.parametrize("problem", [Defect("Step _release broke: ConnectError at http.py:1."), RuntimeError("Prefect's own")])
def test_what_breaks_because_the_server_is_gone_is_not_a_defect(problem: Exception, gone: str) -> None:
    with pytest.raises(StoreUnavailable, match="stopped answering"), _lost_server_named(gone):
        raise problem


@pytest.mark.slow
def test_a_refusal_stays_a_refusal_whatever_becomes_of_the_server(gone: str) -> None:
    with pytest.raises(RequirementNotMet), _lost_server_named(gone):
        raise RequirementNotMet("k is 2; at least 5 is required.", "Lower k.", "k")


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PrefectServer]:
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "prefect"))
    monkeypatch.setenv("DO_NOT_TRACK", "true")
    started = PrefectServer.start()
    yield started
    started.stop()


@pytest.mark.long
def test_nobody_without_the_password_is_told_anything_and_a_dead_servers_port_stays_ours(
    server: PrefectServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Prefect itself serves its documentation to anybody, at the cost of making it anew for each request; and whoever got the port of a
    server that has died would be sent its password, and could answer with runs of their own."""
    url = server.url()
    for page in ("/openapi.json", "/docs", "/ui-settings", "/api/health", "/api/ready", "/api/admin/version", "/"):
        for headers in ({}, {"Authorization": "Basic aGVhZGdhdGU6eA=="}):
            assert httpx.get(url.removesuffix("/api") + page, headers=headers, timeout=60).status_code == 401
    monkeypatch.setenv("PREFECT_API_AUTH_STRING", server.password)
    assert answers(url, 60)
    monkeypatch.setenv("PREFECT_API_AUTH_STRING", "headgate:wrong")
    assert not answers(url, 60)
    port = int(url.split(":")[2].removesuffix("/api"))
    server.process.kill()
    server.process.wait()
    began = time.monotonic()
    while time.monotonic() < began + 2:
        with socket.socket() as thief:
            thief.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with pytest.raises(OSError, match="in use"):
                thief.bind(("127.0.0.1", port))
        time.sleep(0.05)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=5)


@pytest.mark.parametrize(
    ("variable", "laid"), [("", True), ("PREFECT_API_DATABASE_CONNECTION_URL", False), ("PREFECT_SERVER_DATABASE_HOST", False)]
)
def test_a_new_database_has_its_tables_unless_the_operator_keeps_it_elsewhere(
    variable: str, laid: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Started:
        def __init__(self, *_command: object, **_options: object) -> None:
            pass

        def wait(self) -> int:
            return 0

    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "prefect"))
    if variable:
        monkeypatch.setenv(variable, "elsewhere")
    monkeypatch.setattr(prefect_server.subprocess, "Popen", Started)
    PrefectServer.start().listener.close()
    assert (tmp_path / "prefect" / "prefect.db").exists() == laid
