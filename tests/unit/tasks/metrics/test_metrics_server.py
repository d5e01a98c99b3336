from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import suppress

import httpx
import pytest
from prometheus_client import CollectorRegistry, Gauge
from prometheus_client.parser import text_string_to_metric_families

from headgate.core.errors import InputRejected, StoreUnavailable
from tasks.metrics import metrics_server
from tasks.metrics.metrics_server import Server, answering, bound


def served(token: str = "") -> Iterator[Server]:
    registry = CollectorRegistry()
    Gauge("headgate_test", "A figure.", registry=registry).set(7)
    with answering(bound("127.0.0.1", 0, token), registry, token) as server:
        yield server


@pytest.fixture
def server() -> Iterator[Server]:
    yield from served()


@pytest.fixture
def locked() -> Iterator[Server]:
    yield from served("a long random text")


def url(server: Server, path: str = "/metrics") -> str:
    return f"http://127.0.0.1:{server.socket.getsockname()[1]}{path}"


def test_prometheus_is_answered(server: Server) -> None:
    answer = httpx.get(url(server))
    (family,) = text_string_to_metric_families(answer.text)
    assert (family.name, family.samples[0].value) == ("headgate_test", 7.0)
    assert answer.headers["content-type"].startswith("text/plain; version=")
    openmetrics = httpx.get(url(server), headers={"Accept": "application/openmetrics-text; version=1.0.0"})
    assert openmetrics.text.endswith("# EOF\n")


def test_there_is_nothing_else(server: Server) -> None:
    assert httpx.get(url(server, "/")).status_code == 404
    assert httpx.post(url(server)).status_code == 501
    assert httpx.get(url(server), headers={"Host": "evil.example"}).status_code == 400


def test_a_token_is_demanded_where_there_is_one(locked: Server) -> None:
    assert httpx.get(url(locked)).status_code == 401
    assert httpx.get(url(locked), headers={"Authorization": "Bearer a long random"}).status_code == 401
    assert httpx.get(url(locked), headers={"Authorization": "Bearer a long random text"}).status_code == 200


def test_only_this_machine_is_answered_without_a_token() -> None:
    with pytest.raises(InputRejected, match="Without a token"):
        bound("0.0.0.0", 0, "")
    with pytest.raises(InputRejected, match="not an IP address"):
        bound("localhost", 0, "")
    bound("0.0.0.0", 0, "token").close()


def test_a_port_that_is_taken_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(StoreUnavailable, match="Choose another --port"):
        bound("127.0.0.1", taken.getsockname()[1], "")


def test_who_holds_connections_open_is_closed_and_others_come_in_again(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics_server.Handler, "timeout", 0.3)
    held = [socket.create_connection(server.socket.getsockname()[:2]) for _ in range(metrics_server.AT_ONCE)]
    with pytest.raises(httpx.TransportError):
        httpx.get(url(server))
    for each in held:
        each.settimeout(5)
        assert each.recv(1) == b""
        each.close()
    assert httpx.get(url(server)).status_code == 200


def test_who_sends_a_byte_now_and_then_keeps_nobody_else_out(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Never silent for long, so that no time for the next byte ended them: eight such connections kept Prometheus away for ever."""
    monkeypatch.setattr(metrics_server, "LONGEST_SECONDS", 0.4)
    held = [socket.create_connection(server.socket.getsockname()[:2]) for _ in range(metrics_server.AT_ONCE)]
    until = time.monotonic() + 5
    while time.monotonic() < until:
        for each in held:
            with suppress(OSError):
                each.send(b"a")
        time.sleep(0.05)
        with suppress(httpx.TransportError):
            assert httpx.get(url(server)).status_code == 200
            break
    else:
        pytest.fail("Nobody else is answered.")
    for each in held:
        each.close()
