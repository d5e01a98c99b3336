from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from flows.service.listen import listening, requests_answered
from headgate.core.errors import InputRejected
from tasks.runtime.home import Home
from tests.unit.flows.service.conftest import GROUP


def test_without_a_socket_nothing_listens(tmp_path: Path) -> None:
    with listening(None) as listener, requests_answered(Home(tmp_path), listener):
        assert listener is None


def test_a_group_that_does_not_exist_is_refused_before_anything_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADGATE_SOCKET_GROUP", "no-such-group")
    with pytest.raises(InputRejected, match="The group no-such-group does not exist"), listening(tmp_path / "s"):
        pass
    assert not (tmp_path / "s").exists()


@pytest.mark.slow
def test_processes_that_answer_open_the_home_themselves(tmp_path: Path, run: Any, world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are told no socket: what they run would ask there again, for ever."""
    (tmp_path / "run").mkdir(mode=0o755)
    monkeypatch.setenv("HEADGATE_SOCKET", str(tmp_path / "run" / "s"))
    monkeypatch.setenv("HEADGATE_SOCKET_GROUP", GROUP[0])
    monkeypatch.setenv("HEADGATE_HOME", str(world.home.root))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    world.seal()
    with listening(tmp_path / "run" / "s") as listener, requests_answered(world.home, listener):
        assert len(run("releases", "--json").json["releases"]) == 1
