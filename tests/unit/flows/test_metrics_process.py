"""What `headgate serve --metrics-port` starts."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

import httpx
import pytest

from flows.metrics_process import TOKEN, metrics_answered
from headgate.core.errors import StoreUnavailable
from tasks.runtime.home import Home
from tests.free_port import free_port


@pytest.mark.long
def test_another_process_answers_with_the_token_that_runs_do_not_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, port = Home.open(tmp_path / "home"), free_port()
    monkeypatch.setattr(os, "environ", {**os.environ, "HEADGATE_HOME": str(home.root), TOKEN: "a long random text"})
    url = f"http://127.0.0.1:{port}/metrics"
    with metrics_answered(port):
        assert TOKEN not in os.environ
        deadline = time.monotonic() + 120
        while True:
            try:
                answer = httpx.get(url, headers={"Authorization": "Bearer a long random text"})
                break
            except httpx.TransportError:
                assert time.monotonic() < deadline
                time.sleep(0.2)
        assert "headgate_ledger_holds 1.0" in answer.text
        assert httpx.get(url).status_code == 401
    with pytest.raises(httpx.TransportError):
        httpx.get(url)


def test_nothing_is_started_where_no_port_is_named_and_a_port_that_is_taken_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with metrics_answered(None):
        pass
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(StoreUnavailable), metrics_answered(taken.getsockname()[1]):
        pass
