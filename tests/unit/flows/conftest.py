"""The command line in this process, on a small world of releases: no server, no run of a release."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.unit.tasks.clinic import clinic
from tests.unit.tasks.world import World, key_folder, keys, made, world

__all__ = ["clinic", "key_folder", "keys", "made", "world"]


@dataclass(frozen=True)
class Outcome:
    """How a command ended, and what it wrote where."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one object on stdout."""
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        error: dict[str, Any] = self.json["error"]
        assert error["code"] == self.code
        assert error["message"]
        assert error["cure"]
        return error


@pytest.fixture(autouse=True)
def _one_time(request: pytest.FixtureRequest) -> None:
    """Commands go by the machine's clock, so the world does too: a clock far behind the ledger records nothing."""
    if "world" in request.fixturenames:
        request.getfixturevalue("world").clock.moment = datetime.now(UTC).replace(microsecond=0)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Callable[..., Outcome]:
    from flows.cli import app
    from flows.terminal.exit_codes import run_application

    monkeypatch.setenv("HEADGATE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("HEADGATE_KEY", "HEADGATE_STORE", "HEADGATE_DATABASE_URL", "HEADGATE_SOCKET"):
        monkeypatch.delenv(name, raising=False)

    def command(*arguments: str | Path) -> Outcome:
        capsys.readouterr()
        code = run_application(app, [str(argument) for argument in arguments])
        seen = capsys.readouterr()
        return Outcome(code, seen.out, seen.err)

    return command


@pytest.fixture
def key_file(world: World, key_folder: Path, tmp_path: Path) -> Callable[[str], Path]:
    """The private key of one of the world's people, as they would have it."""
    return lambda name: Path(shutil.copy2(key_folder / name, tmp_path / f"key of {name}"))


@pytest.fixture
def without_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that start a Prefect server for their flow start none."""
    from tasks.runtime import prefect_server, quiet

    @contextmanager
    def no_server(scheduling: bool = False, meanwhile: Callable[[], object] | None = None) -> Iterator[None]:
        yield

    monkeypatch.setattr(prefect_server, "prefect_api", no_server)
    monkeypatch.setattr(quiet, "quieten", lambda _home, _verbose=False: None)


@pytest.fixture
def plain_publication(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The publish flow and its steps as plain functions on the world's home."""
    from flows import publish as flow
    from tasks.publication import publish_steps

    steps = SimpleNamespace(
        decide=publish_steps.decide.fn,
        put_in_place=publish_steps.put_in_place.fn,
        audit=publish_steps.audit.fn,
        candidates_due=publish_steps.candidates_due,
        dataset_of=publish_steps.dataset_of,
        purge_kept_too_long=publish_steps.purge_kept_too_long,
    )
    monkeypatch.setenv("HEADGATE_HOME", str(world.home.root))
    monkeypatch.delenv("HEADGATE_STORE", raising=False)
    monkeypatch.setattr(flow, "steps", steps)
    monkeypatch.setattr(flow, "publish_approved", flow.publish_approved.fn)
    monkeypatch.setattr(flow, "publish", flow.publish.fn)
