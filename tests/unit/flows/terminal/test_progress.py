"""How far a run is: bars on a terminal, lines of text in a file."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from flows.terminal import progress


@pytest.fixture
def stderr(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """Not a terminal; a long run's texts follow each other without waiting."""
    file = io.StringIO()
    monkeypatch.setattr(progress, "console", lambda: Console(file=file, width=200))
    monkeypatch.setattr(progress, "MOMENT", 0.0)
    monkeypatch.setattr(progress, "EVERY", 0.0)
    return file


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    file = io.StringIO()
    monkeypatch.setattr(progress, "console", lambda: Console(file=file, width=200, force_terminal=True, color_system=None))
    return file


def test_a_run_without_a_terminal_says_in_text_how_far_it_is(stderr: io.StringIO) -> None:
    with progress.step_progress(quiet=False) as listener:
        listener.began("anonymize", "table-1")
        listener.working("anonymize", 2_500, 10_000, "rows grouped")
        listener.working("anonymize", 10_000, 10_000, "rows grouped")
        listener.ended("anonymize", "table-1", 1.26, True)
    lines = stderr.getvalue().splitlines()
    assert lines[0].startswith("Anonymizing table-1: 2,500 of 10,000 rows grouped")
    assert lines[1] == "Anonymizing table-1: 10,000 rows grouped, finishing"
    assert "1.3 s" in lines[-1]


def test_the_first_text_waits_a_moment(stderr: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "MOMENT", 60.0)
    with progress.settings_progress() as advance:
        advance(0, 4, (10, 100))
    assert stderr.getvalue() == ""


def test_a_step_that_goes_on_to_another_table_starts_its_bar_again(stderr: io.StringIO) -> None:
    with progress.step_progress(quiet=False) as listener:
        listener.began("plan")
        for done in (50, 100, 10, 20):
            listener.working("plan", done, 100, "rows grouped")
    assert [line.split(": ")[1].split(" ")[0] for line in stderr.getvalue().splitlines()[:4]] == ["50", "100", "10", "20"]
    assert "about -" not in stderr.getvalue()


def test_a_terminal_shows_a_line_per_step_and_marks_how_it_ended(screen: io.StringIO) -> None:
    with progress.step_progress(quiet=False) as listener:
        listener.began("ingest")
        listener.ended("ingest", "", 0.5, True)
        listener.began("gate", "table-2")
        listener.working("gate", 100, 100, "rows grouped")
        listener.ended("gate", "table-2", 0.5, False)
    last = [line for line in screen.getvalue().splitlines() if "table-2" in line][-1]
    assert "✗ Measuring the published form table-2" in last
    assert "✓ Reading the source" in screen.getvalue()
    assert "✓ Measuring" not in screen.getvalue()  # all its rows were done before it failed


def test_settings_are_counted_with_the_rows_of_the_one_being_tried(stderr: io.StringIO) -> None:
    with progress.settings_progress() as advance:
        advance(1, 4, None)
        advance(1, 4, (300, 1_000))
    assert stderr.getvalue().splitlines()[0] == "Trying settings: 1 of 4 settings"
    assert stderr.getvalue().splitlines()[1].startswith("Trying settings: 1 of 4 settings, 300 of 1,000 rows grouped")


def test_with_json_nothing_is_shown(screen: io.StringIO) -> None:
    with progress.step_progress(quiet=True) as listener:
        listener.began("ingest")
        listener.ended("ingest", "", 0.5, True)
    assert screen.getvalue() == ""
