"""How far a long run is, on stderr: rich's bars on a terminal; elsewhere a line of text after a moment and then every few seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import RenderableType
from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, Task, TaskID, TextColumn
from rich.text import Text

from flows.terminal.output import console, tell
from tasks.release.listener import Listener

MOMENT = 2.0  # seconds before the first line of text
EVERY = 5.0  # seconds between two of them

STEP_TITLES = {
    "ingest": "Reading the source",
    "expect": "Checking the source against expectations",
    "dictionaries": "Reading what attackers may hold",
    "suppress-cells": "Suppressing the cells with the highest risk",
    "transform": "Turning sets into bitmaps",
    "plan": "Choosing the projected tables",
    "anonymize": "Anonymizing",
    "regroup": "Grouping the rows that are left",
    "expect-published": "Checking the published form against expectations",
    "gate": "Measuring the published form",
    "attack": "Attacking the finished tables",
    "former-groups": "Finding who was published together before",
    "leave-out": "Leaving out whom the versions together would give away",
    "compare-versions": "Comparing it with the versions before",
    "track": "Logging to MLflow",
    "candidate": "Sealing the candidate",
    "decide": "Counting the signatures",
    "publish": "Publishing",
}

Advance = Callable[[int, int, tuple[int, int] | None], None]


class MarkColumn(SpinnerColumn):
    """Turns while a task runs; then shows how it ended. All rows may be done before the task is."""

    def render(self, task: Task) -> RenderableType:
        return task.fields["mark"] or self.spinner.render(task.get_time())


class SaidColumn(ProgressColumn):
    max_refresh = 0.5

    def render(self, task: Task) -> Text:
        return Text(task.fields["said"] + time_left(task))


def time_left(task: Task) -> str:
    """At the pace of the last half minute; before anything is done nobody knows."""
    return "" if task.finished or not task.time_remaining else f", about {task.time_remaining:.0f} s left"


def so_far(done: int, total: int, what: str = "rows grouped") -> str:
    """Groups are made first; then the rows that are left over are placed, and rows move between groups."""
    return f"{done:,} of {total:,} {what}" if done < total else f"{total:,} {what}, finishing"


class Bars:
    """A line per task. rich draws nothing before the end where there is no terminal: text is written there instead."""

    def __init__(self, transient: bool = False) -> None:
        columns = (MarkColumn(), TextColumn("{task.description}"), BarColumn(bar_width=12), SaidColumn())
        out = console()
        self.progress = Progress(*columns, console=out, transient=transient, disable=transient and not out.is_terminal)
        self._next_text = time.monotonic() + MOMENT

    def add(self, title: str) -> TaskID:
        return self.progress.add_task(title, total=1, said="", mark=None)

    def advance(self, line: TaskID, done: float, total: float, said: str) -> None:
        task = self.progress.tasks[line]
        if done < task.completed:  # another table
            self.progress.reset(line, total=total)
        self.progress.update(line, completed=done, total=total, said=said)
        if not self.progress.console.is_terminal and time.monotonic() >= self._next_text:
            tell(self.progress.console, f"{task.description}: {said}{time_left(task)}")
            self._next_text = time.monotonic() + EVERY

    def end(self, line: TaskID, said: str, well: bool) -> None:
        if well:
            self.progress.update(line, completed=self.progress.tasks[line].total, said=said, mark=Text("✓", style="green"))
        else:
            self.progress.update(line, said=said, mark=Text("✗", style="bold red"))


class StepProgress(Listener):
    """A line per step, and one per table where a step works on tables."""

    def __init__(self, bars: Bars) -> None:
        self._bars = bars
        self._lines: dict[tuple[str, str], TaskID] = {}

    def began(self, step: str, table: str = "") -> None:
        if step in STEP_TITLES:
            self._lines[step, table] = self._bars.add(STEP_TITLES[step] + (f" {table}" if table else ""))

    def working(self, step: str, done: int, total: int, what: str) -> None:
        line = next((line for (name, _), line in reversed(self._lines.items()) if name == step), None)
        if line is not None:
            self._bars.advance(line, done, total, so_far(done, total, what))

    def ended(self, step: str, table: str, seconds: float, well: bool) -> None:
        line = self._lines.get((step, table))
        if line is not None:
            self._bars.end(line, f"{seconds:.1f} s", well)


@contextmanager
def step_progress(quiet: bool) -> Iterator[Listener]:
    if quiet:
        yield Listener()
        return
    bars = Bars()
    with bars.progress:
        yield StepProgress(bars)


@contextmanager
def settings_progress() -> Iterator[Advance]:
    """How many settings are done, and how many rows are grouped in the one being tried."""
    bars = Bars(transient=True)
    line = bars.add("Trying settings")

    def advance(done: int, expected: int, rows: tuple[int, int] | None) -> None:
        part = min(rows[0] / rows[1], 1.0) if rows is not None and rows[1] else 0.0
        grouped = f", {so_far(*rows)}" if rows is not None else ""
        bars.advance(line, done + part, expected, f"{done} of {expected} settings{grouped}")

    with bars.progress:
        yield advance
