"""How far a run is, in a file of the home: for whoever looks from another process. Steps, tables and counts; no values.

Nobody decides by it. What has happened is in the ledger; a file that cannot be written stops no run.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pydantic import ValidationError

from policies.words.frozen import Frozen
from tasks.release.listener import Listener
from tasks.runtime.home import Home
from tasks.stores.files import replace_file

EVERY_SECONDS = 1.0


class StepProgress(Frozen):
    """`seconds` is None while it goes on. `done` of `total`, of `what`, where the step says so."""

    step: str
    table: str = ""
    seconds: float | None = None
    well: bool = True
    done: int = 0
    total: int = 0
    what: str = ""


class RunProgress(Frozen):
    """In the order in which the steps began."""

    steps: tuple[StepProgress, ...] = ()


class KeptProgress(Listener):
    """Tells another listener what it hears, and writes it down."""

    def __init__(self, inner: Listener, file: Path) -> None:
        self._inner, self._file, self._lock = inner, file, threading.Lock()
        self._steps: dict[tuple[str, str], StepProgress] = {}
        self._written = 0.0

    def began(self, step: str, table: str = "") -> None:
        self._inner.began(step, table)
        self._note(StepProgress(step=step, table=table))

    def ended(self, step: str, table: str, seconds: float, well: bool) -> None:
        self._inner.ended(step, table, seconds, well)
        self._note(StepProgress(step=step, table=table, seconds=seconds, well=well))

    def working(self, step: str, done: int, total: int, what: str) -> None:
        self._inner.working(step, done, total, what)
        going_on = [key for key, noted in self._steps.items() if key[0] == step and noted.seconds is None]
        table = going_on[-1][1] if going_on else ""
        self._note(StepProgress(step=step, table=table, done=done, total=total, what=what), at_once=False)

    def _note(self, noted: StepProgress, at_once: bool = True) -> None:
        with self._lock:
            self._steps[noted.step, noted.table] = noted
            if not at_once and time.monotonic() - self._written < EVERY_SECONDS:
                return
            self._written = time.monotonic()
            with suppress(OSError):
                replace_file(self._file, RunProgress(steps=tuple(self._steps.values())).model_dump_json().encode())


@contextmanager
def kept_progress(home: Home, release: str, inner: Listener) -> Iterator[Listener]:
    """The file is gone when the run ends; one that was killed leaves it to the ledger, which knows that nobody is at work any more."""
    file = _file(home, release)
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        yield KeptProgress(inner, file)
    finally:
        with suppress(OSError):
            file.unlink(missing_ok=True)


def progress_of(home: Home, release: str) -> RunProgress:
    """Nothing where the run says nothing."""
    try:
        return RunProgress.model_validate_json(_file(home, release).read_bytes())
    except (OSError, ValidationError):
        return RunProgress()


def _file(home: Home, release: str) -> Path:
    return home.state / "progress" / f"{release}.json"
