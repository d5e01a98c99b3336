"""A bar on a run's page in Prefect, which says how far the step is that goes on. Prefect's own list says which steps are done."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from typing import cast
from uuid import UUID

from prefect.artifacts import create_progress_artifact, update_progress_artifact

from flows.terminal.progress import STEP_TITLES, so_far
from tasks.release.kept_progress import StepProgress, progress_of
from tasks.release.run import Run

EVERY_SECONDS = 10.0
SECONDS_TO_END = 5.0  # a server that hangs does not keep the run


@contextmanager
def shown_progress(run: Run, every: float = EVERY_SECONDS) -> Iterator[None]:
    """Runs that are shorter than a look have no bar. A server that does not answer shows none: it decides nothing."""
    ended, here = threading.Event(), copy_context()  # the context tells Prefect whose bar it is
    thread = threading.Thread(target=here.run, args=(_look, run, ended, every), name="shown-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(SECONDS_TO_END)


def _look(run: Run, ended: threading.Event, every: float) -> None:
    bar: UUID | None = None
    shown: StepProgress | None = None
    while not ended.wait(every):
        step = next((step for step in reversed(progress_of(run.home, run.release_id).steps) if step.total and step.seconds is None), shown)
        if step is None or step == shown:
            continue
        percent, said = min(100.0 * step.done / step.total, 100.0), _said(step)
        with suppress(Exception):
            if bar is None:
                bar = cast(UUID, create_progress_artifact(percent, key=f"progress-{run.release_id}", description=said))
            else:
                update_progress_artifact(bar, percent, description=said)
            shown = step


def _said(step: StepProgress) -> str:
    title = STEP_TITLES.get(step.step, step.step)
    return f"{title}{f' {step.table}' if step.table else ''}: {so_far(step.done, step.total, step.what)}"
