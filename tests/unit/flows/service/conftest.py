"""A home that is served at a socket, by processes of their own."""

from __future__ import annotations

import grp
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tasks.service.request_listener import RequestListener, answered_by, answering
from tasks.service.socket_place import bound_socket
from tasks.signing.home_keys import home_fingerprint

GROUP = (grp.getgrgid(os.getegid()).gr_name, os.getegid())


def knows(folder: Path, home: str, path: Path) -> None:
    """Whoever asks in a test has met this home there before."""
    (folder / "config" / "headgate").mkdir(parents=True)
    (folder / "config" / "headgate" / "known_homes").write_text(f"{home} {path}\n")


@pytest.fixture
def service(run: Callable[..., Any], world: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The socket of the world's home. `run` asks there from now on, and has no home."""
    folder = tmp_path / "run"
    folder.mkdir()
    folder.chmod(0o755)
    environment = {**os.environ, "HEADGATE_HOME": str(world.home.root), "PYTHONPATH": os.pathsep.join(sys.path)}
    knows(tmp_path, home_fingerprint(world.home.keys), folder / "s")
    with bound_socket(folder / "s", GROUP) as bound:
        listener = RequestListener(bound, GROUP, world.home.staging, answered_by("flows.service.answer"), environment)
        with answering(listener):
            monkeypatch.setenv("HEADGATE_SOCKET", str(folder / "s"))
            monkeypatch.setenv("HEADGATE_HOME", str(tmp_path / "no home of the caller"))
            yield folder / "s"
    assert list(world.home.staging.iterdir()) == []
    assert not (tmp_path / "no home of the caller").exists()
