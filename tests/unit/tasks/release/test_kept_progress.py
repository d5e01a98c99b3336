from __future__ import annotations

from pathlib import Path
from typing import Any

from tasks.release.kept_progress import KeptProgress, kept_progress, progress_of
from tasks.release.listener import Listener
from tasks.runtime.home import Home


class Heard(Listener):
    def __init__(self) -> None:
        self.all: list[tuple[Any, ...]] = []

    def began(self, step: str, table: str = "") -> None:
        self.all.append(("began", step, table))

    def ended(self, step: str, table: str, seconds: float, well: bool) -> None:
        self.all.append(("ended", step, table))

    def working(self, step: str, done: int, total: int, what: str) -> None:
        self.all.append(("working", step, done))


def test_another_process_sees_the_steps_of_a_run_while_it_goes_on_and_nothing_after(tmp_path: Path) -> None:
    home, heard = Home.open(tmp_path / "home"), Heard()
    assert progress_of(home, "r1").steps == ()
    with kept_progress(home, "r1", heard) as listener:
        listener.began("ingest")
        listener.ended("ingest", "", 1.5, True)
        listener.began("anonymize", "table-1")
        ingest, anonymize = progress_of(home, "r1").steps
        assert (ingest.seconds, anonymize.table, anonymize.seconds) == (1.5, "table-1", None)
        assert progress_of(home, "r2").steps == ()
    assert progress_of(home, "r1").steps == ()
    assert [call[0] for call in heard.all] == ["began", "ended", "began"]


def test_counts_are_written_now_and_then_and_belong_to_the_table_at_work(tmp_path: Path) -> None:
    home = Home.open(tmp_path / "home")
    with kept_progress(home, "r1", Listener()) as listener:
        assert isinstance(listener, KeptProgress)
        listener.began("anonymize", "table-2")
        listener.working("anonymize", 5, 10, "rows grouped")
        assert progress_of(home, "r1").steps[0].done == 0
        listener._written = 0.0
        listener.working("anonymize", 7, 10, "rows grouped")
        (step,) = progress_of(home, "r1").steps
        assert (step.table, step.done, step.total, step.what) == ("table-2", 7, 10, "rows grouped")


def test_a_file_that_cannot_be_written_or_read_stops_nothing(tmp_path: Path) -> None:
    home = Home.open(tmp_path / "home")
    (home.state).mkdir()
    (home.state / "progress").write_text("in the way")
    with kept_progress(home, "r1", Listener()) as listener:
        listener.began("ingest")
    assert progress_of(home, "r1").steps == ()
