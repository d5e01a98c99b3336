"""Where the tables of a release are worked on: in this process, on worker processes of its own, or on somebody's Dask scheduler. Nothing
here imports Dask."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from headgate.core.errors import InputRejected

LOCAL, DASK = "local", "dask"
ENGINE, SCHEDULER, SPOOL = "HEADGATE_ENGINE", "HEADGATE_SCHEDULER", "HEADGATE_SPOOL"


@dataclass(frozen=True)
class EngineChoice:
    """`scheduler`: the address of one that runs already; None for a cluster that is started for the release and ends with it."""

    engine: str = LOCAL
    scheduler: str | None = None

    @property
    def is_local(self) -> bool:
        return self.engine == LOCAL

    def require_usable(self) -> None:
        if self.is_local:
            return
        if find_spec("distributed") is None:
            raise InputRejected("Dask is not installed.", 'Install it: pip install "headgate[dask]".')
        if self.scheduler is not None and not self.scheduler.startswith("tls://"):
            raise InputRejected(
                "The scheduler's address does not begin with tls://: without TLS anybody on its network could read and change the data.",
                "Start the scheduler and its workers with certificates, and give tls://HOST:PORT.",
            )

    def hand_down(self) -> None:
        """To the processes that this one starts, such as scheduled runs."""
        os.environ[ENGINE] = self.engine
        os.environ.pop(SCHEDULER, None)
        if self.scheduler is not None:
            os.environ[SCHEDULER] = self.scheduler


def chosen_engine(engine: str | None = None, scheduler: str | None = None) -> EngineChoice:
    """What was asked for; else what the environment says; else this process. A scheduler means Dask."""
    if engine is None and scheduler is None:
        engine, scheduler = os.environ.get(ENGINE) or None, os.environ.get(SCHEDULER) or None
    elif engine is None or (engine == DASK and scheduler is None):
        engine, scheduler = DASK, scheduler or os.environ.get(SCHEDULER) or None
    choice = EngineChoice(engine or (LOCAL if scheduler is None else DASK), scheduler)
    if choice.engine not in (LOCAL, DASK):
        raise InputRejected("There is no such engine.", f"Use {LOCAL} or {DASK}.")
    if choice.is_local and scheduler is not None:
        raise InputRejected(f"A scheduler was named, and the engine is {LOCAL}.", f"Leave the scheduler out, or use --engine {DASK}.")
    choice.require_usable()
    return choice


def clear_shared(scratch: Path) -> None:
    """What a release that was killed has left in the folder that workers share: encrypted, with a key that nobody has any more."""
    named = Path(os.environ.get(SPOOL, ""))
    if named.is_absolute():
        shutil.rmtree(named / scratch.name, ignore_errors=True)


_chosen: ContextVar[EngineChoice | None] = ContextVar("engine", default=None)


@contextmanager
def working_with(choice: EngineChoice) -> Iterator[None]:
    """A release that is started inside the block works there. Prefect stores a flow's parameters, and the address of somebody's scheduler
    is none of its business."""
    before = _chosen.set(choice)
    try:
        yield
    finally:
        _chosen.reset(before)


def engine_here() -> EngineChoice:
    return _chosen.get() or chosen_engine()
