"""Servers that answer, refuse, err, or are not there; nothing that they say is repeated."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from tasks.checks.connections import check_mlflow, check_prefect, check_provider, check_targets
from tasks.checks.finding import Situation, Status
from tests.unit.tls_server import TlsServer, tls_server

__all__ = ["tls_server"]

Serve = Callable[[int, object], str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """A server that answers everybody with this status and this object."""
    running: list[HTTPServer] = []

    def start(status: int, said: object) -> str:
        class Answers(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(status)
                self.end_headers()
                self.wfile.write(json.dumps(said).encode())

            def log_message(self, *_: Any) -> None:
                pass

        server = HTTPServer(("127.0.0.1", 0), Answers)
        running.append(server)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in running:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("status", "said", "told"),
    [(200, {"CANARY": 1}, Status.OK), (200, "CANARY", Status.FAILURE)]
    + [(status, {"CANARY": 1}, Status.FAILURE) for status in (404, 401, 500)],
)
def test_mlflow_is_asked_as_a_release_would_and_nothing_else_passes_for_it(
    situation: Situation, serve: Serve, status: int, said: object, told: Status, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", serve(status, said))
    (found,) = check_mlflow(situation)
    assert (found.status, bool(found.cure)) == (told, told is Status.FAILURE)
    assert "CANARY" not in found.message


def test_the_homes_own_mlflow_is_a_file(situation: Situation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    assert [found.status for found in check_mlflow(situation)] == [Status.OK]
    (situation.home.root / "mlflow.db").write_bytes(b"no database at all" * 100)
    assert [found.status for found in check_mlflow(situation)] == [Status.FAILURE]


def test_prefect_is_asked_for_its_version_and_must_have_a_password(
    situation: Situation, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    monkeypatch.delenv("PREFECT_API_AUTH_STRING", raising=False)
    assert [found.status for found in check_prefect(situation)] == [Status.OK]
    monkeypatch.setenv("PREFECT_API_URL", serve(200, version("prefect")))
    assert [found.status for found in check_prefect(situation)] == [Status.OK, Status.WARNING]
    monkeypatch.setenv("PREFECT_API_AUTH_STRING", "headgate:SECRET")
    assert [found.status for found in check_prefect(situation)] == [Status.OK]
    for status, said, told in ((200, "2.0.0", Status.WARNING), (401, "", Status.FAILURE), (503, "", Status.FAILURE)):
        monkeypatch.setenv("PREFECT_API_URL", serve(status, said))
        (found,) = check_prefect(situation)
        assert (found.status, "SECRET" in str(found)) == (told, False)


def test_a_provider_must_call_itself_as_it_is_called(situation: Situation, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADGATE_OIDC_ISSUER", raising=False)
    assert [found.status for found in check_provider(situation)] == [Status.OK]
    for status, said in ((200, {"issuer": "https://other.example"}), (200, ["CANARY"]), (500, {})):
        monkeypatch.setenv("HEADGATE_OIDC_ISSUER", serve(status, said))
        (found,) = check_provider(situation)
        assert (found.status, "CANARY" in str(found)) == (Status.FAILURE, False)


def test_targets_are_reached_and_can_be_written(situation: Situation, world: Any, tmp_path: Path) -> None:
    assert [found.message for found in check_targets(situation)] == ["No policy is registered, and operator.yaml names no target."]
    (world.home.root / "operator.yaml").write_text(f"targets: {{people: {tmp_path}/open, health: 'no-such-store://x/y'}}\n")
    unknown, people = check_targets(situation)
    assert (unknown.status, people.status) == (Status.FAILURE, Status.OK)
    assert people.message == "people can be reached and holds 0 versions."


def test_a_certificate_that_is_not_valid_has_its_own_cure(
    situation: Situation, tls_server: TlsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    url = tls_server.start("valid")
    for check, variable in (
        (check_mlflow, "MLFLOW_TRACKING_URI"),
        (check_prefect, "PREFECT_API_URL"),
        (check_provider, "HEADGATE_OIDC_ISSUER"),
    ):
        monkeypatch.setenv(variable, url)
        found, *_password = check(situation)
        assert ("is not trusted here" in found.message, "trust the authority" in found.cure) == (True, True)
