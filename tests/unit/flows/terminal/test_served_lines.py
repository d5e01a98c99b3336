"""What a service says of its runs."""

from __future__ import annotations

import re

import pytest

from flows.terminal.served_lines import SaidOnce, followed, in_a_line, what_broke
from headgate.core.errors import HeadgateError, InputRejected, RequirementNotMet

STAMP = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  "


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    shown = capsys.readouterr()
    assert shown.out == ""
    assert all(re.match(STAMP, line) for line in shown.err.splitlines())
    return [re.sub(STAMP, "", line) for line in shown.err.splitlines()]


def test_a_run_has_a_line_at_its_beginning_and_one_with_what_it_came_to(capsys: pytest.CaptureFixture[str]) -> None:
    with followed("people", "run-1") as say:
        assert lines(capsys) == ["people: run run-1 began."]
        say("nothing new.")
    assert lines(capsys) == ["people: run run-1: nothing new."]


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (RequirementNotMet("No plan passes.", "Raise k.", "k"), "Refused: No plan passes. Raise k."),
        (KeyboardInterrupt(), "stopped before its end."),
        (ValueError("Jane Doe"), "stopped before its end."),
    ],
)
def test_a_run_that_is_stopped_says_why_in_one_line(problem: BaseException, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(type(problem)), followed("people", "run-1"):
        raise problem
    assert lines(capsys) == ["people: run run-1 began.", f"people: run run-1: {said}"]


def test_a_line_holds_what_prefect_may_be_told_and_nothing_more() -> None:
    """Journals keep it; what is wrong with a file or a column is told to whoever runs the release themselves."""
    problem = InputRejected("Column 'jane.doe' is missing.", "Add it.")
    problem.told = "InputRejected in step ingest."
    assert in_a_line(problem) == "Not accepted: InputRejected in step ingest."
    assert in_a_line(HeadgateError("One line.\nAnother.")) == "Defect: One line. Another."


def test_of_a_run_that_somebody_started_by_hand_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with followed(None, "run-1") as say:
        say("candidate")
    assert lines(capsys) == []


def test_what_is_seen_again_and_again_is_said_once_until_it_was_over(capsys: pytest.CaptureFixture[str]) -> None:
    said = SaidOnce()
    for text in ("away.", "away.", "", "", "away.", "back soon."):
        said.say("people", text)
    said.say("others", "away.")
    assert lines(capsys) == ["people: away.", "people: away.", "people: back soon.", "others: away."]


def test_of_a_foreign_exception_class_and_place_are_said() -> None:
    assert what_broke(HeadgateError("It is away.", "Start it."), "look").endswith("It is away. Start it.")
    assert "Jane Doe" not in what_broke(ValueError("Jane Doe"), "look")
