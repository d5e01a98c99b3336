"""A run that was opened nowhere: a home, keys and a ledger of its own, and a spool, for steps that are called as plain functions."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from policies.jobs.engine import LocalEngine
from policies.jobs.spool import MemorySpool
from policies.jobs.table_job import Workplace
from policies.sealed.manifest import Signer
from tasks.ledger.open_ledger import open_ledger
from tasks.reading.references import LoadedPolicy
from tasks.release.listener import Listener
from tasks.release.run import Run
from tasks.release.stopwatch import Stopwatch
from tasks.runtime.callables import callable_distance
from tasks.runtime.home import Home
from tasks.signing.keys import make_key


@pytest.fixture
def run_of(tmp_path: Path) -> Callable[..., Run]:
    """`workers`: threads that try tables; `listener` hears of its steps."""

    def make(loaded: LoadedPolicy, workers: int = 1, seed: bytes = b"seed", listener: Listener | None = None, name: str = "run") -> Run:
        home = Home.open(tmp_path / "home")
        key = tmp_path / "runner"
        private = make_key(key) if not key.exists() else _loaded(key)
        spool, stopping, clock = MemorySpool(), threading.Event(), Stopwatch(listener or Listener())
        return Run(
            release_id=name,
            started="2025-06-01T12:00:00+00:00",
            loaded=loaded,
            source=None,
            stage=home.stage(name),
            home=home,
            ledger=open_ledger(home),
            key=private,
            runner=Signer(principal="runner", fingerprint=private.fingerprint),
            seed=seed,
            spool=spool,
            engine=LocalEngine(Workplace(spool, callable_distance, stopping=stopping), workers),
            clock=clock,
            stopping=stopping,
        )

    return make


def _loaded(key: Path) -> Any:
    from tasks.signing.keys import load_key

    return load_key(key)
