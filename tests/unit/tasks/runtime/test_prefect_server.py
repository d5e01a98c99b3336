"""Without a Prefect server that answers, nothing begins."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from headgate.core.errors import StoreUnavailable
from tasks.runtime.prefect_server import PrefectServer, _require_answer


def test_a_home_of_prefect_that_cannot_be_made_is_named_before_anything_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "file" / "prefect"))
    with pytest.raises(StoreUnavailable, match="Prefect's home cannot be used"):
        PrefectServer.start()


def test_a_server_that_does_not_answer_is_named_without_its_password() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(StoreUnavailable, match=f"does not answer at 127.0.0.1:{port}") as refusal:
        _require_answer(f"http://user:secret@127.0.0.1:{port}/api")
    assert "secret" not in str(refusal.value)
