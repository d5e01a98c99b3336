"""A bar in Prefect that follows a run; the functional tests have a real server."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from flows import shown_progress as shown
from tasks.release import kept_progress as kept
from tasks.release.kept_progress import kept_progress
from tasks.release.listener import Listener
from tasks.release.run import Run
from tasks.runtime.home import Home

EVERY = 0.01


class Bars:
    """What Prefect was told. The first `failing` calls are not answered."""

    def __init__(self, failing: int = 0) -> None:
        self.failing, self.said = failing, list[tuple[str, float, str]]()

    def make(self, progress: float, key: str, description: str) -> str:
        if self.failing:
            self.failing -= 1
            raise ConnectionError
        self.said.append((key, progress, description))
        return "bar"

    def update(self, bar: str, progress: float, description: str) -> None:
        self.said.append((bar, progress, description))


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr(kept, "EVERY_SECONDS", 0.0)
    return cast(Run, SimpleNamespace(home=Home(tmp_path / "home"), release_id="r1"))


@pytest.fixture
def followed(monkeypatch: pytest.MonkeyPatch) -> Callable[[Bars], Bars]:
    def follow(bars: Bars) -> Bars:
        monkeypatch.setattr(shown, "create_progress_artifact", bars.make)
        monkeypatch.setattr(shown, "update_progress_artifact", bars.update)
        return bars

    return follow


def until(holds: Callable[[], Any]) -> None:
    ends = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < ends
        time.sleep(EVERY)


def test_a_bar_is_made_once_and_says_how_far_the_step_is_that_goes_on(run: Run, followed: Callable[[Bars], Bars]) -> None:
    bars = followed(Bars())
    with kept_progress(run.home, run.release_id, Listener()) as listener, shown.shown_progress(run, EVERY):
        listener.began("plan")
        listener.ended("plan", "", 1.0, True)
        listener.began("anonymize", "table-2")
        time.sleep(5 * EVERY)
        assert bars.said == []  # nothing goes on that says how far it is
        listener.working("anonymize", 500, 1000, "rows grouped")
        until(lambda: bars.said)
        listener.working("anonymize", 1000, 1000, "rows grouped")
        until(lambda: len(bars.said) == 2)
    assert bars.said == [
        ("progress-r1", 50.0, "Anonymizing table-2: 500 of 1,000 rows grouped"),
        ("bar", 100.0, "Anonymizing table-2: 1,000 rows grouped, finishing"),
    ]


def test_a_server_that_does_not_answer_stops_no_run_and_is_told_at_the_next_look(run: Run, followed: Callable[[Bars], Bars]) -> None:
    bars = followed(Bars(failing=2))
    with kept_progress(run.home, run.release_id, Listener()) as listener, shown.shown_progress(run, EVERY):
        listener.began("plan")
        listener.working("plan", 1, 4, "rows grouped")
        until(lambda: bars.said)
    assert bars.said == [("progress-r1", 25.0, "Choosing the projected tables: 1 of 4 rows grouped")]


def test_a_run_that_ends_before_the_first_look_has_no_bar_and_does_not_wait(run: Run, followed: Callable[[Bars], Bars]) -> None:
    bars, began = followed(Bars()), time.monotonic()
    with kept_progress(run.home, run.release_id, Listener()) as listener, shown.shown_progress(run, 60.0):
        listener.began("plan")
    assert (bars.said, time.monotonic() - began < 5) == ([], True)
