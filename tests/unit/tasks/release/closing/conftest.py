"""A finished release that may be ended: a home, a ledger and a folder of its own, in which the run has begun."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from policies.ledger.events import RunTracked
from tasks.ledger.open_ledger import open_ledger
from tasks.release.closing.end_release import append_events
from tasks.release.run import Happened, begun
from tasks.runtime.home import Home
from tasks.signing.keys import PrivateKey
from tests.unit.tasks.release.finished import Made


@pytest.fixture
def made(finished: Made, tmp_path: Path, keys: dict[str, PrivateKey]) -> Made:
    home = Home.open(tmp_path / "home")
    home.signers.write_text("".join(f"{name} {keys[name].public}\n" for name in ("ann", "bob")))
    stage = home.stage(finished.run.release_id)
    shutil.copytree(finished.run.stage, stage, dirs_exist_ok=True)
    run = replace(finished.run, home=home, ledger=open_ledger(home), stage=stage)
    append_events(run, 0, [begun(run)])
    return replace(finished, run=run)


@pytest.fixture
def tracked(made: Made) -> Made:
    """The same release when all has happened that comes before sealing."""
    steps = (made.read, *made.checked, made.planned, *made.written, made.judged)
    append_events(made.run, 1, [*(step.happened for step in steps), Happened(RunTracked, {"mlflow_run_id": "m-1"})])
    return made
