"""Nothing that a policy or a table names can steer the terminal."""

from __future__ import annotations

import json

import pytest

from flows.terminal.output import plain, print_error, print_json, results, tell
from headgate.core.errors import InputRejected


def test_control_characters_are_made_visible() -> None:
    assert plain("title\x1b[2K\rpassed\n") == "title�[2K�passed�"


def test_markup_in_a_name_is_shown_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    tell(results(), "the column [bold]age[/bold] :smile:")
    assert capsys.readouterr().out == "the column [bold]age[/bold] :smile:\n"


def test_a_sentence_in_a_file_stays_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    tell(results(), "word " * 100)
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_an_error_has_its_title_and_its_cure_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    print_error(InputRejected("The reason is empty.", "Say why."))
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "Not accepted: The reason is empty.\nCure: Say why.\n")


def test_an_error_holds_no_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    print_error(InputRejected("The column a\x1b[31mge is missing.", "First line.\nSecond\x1b[0m line."))
    assert capsys.readouterr().err == "Not accepted: The column a�[31mge is missing.\nCure: First line.\nSecond�[0m line.\n"


def test_numbers_in_json_are_exact(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"figure": 0.1 + 0.2})
    assert json.loads(capsys.readouterr().out)["figure"] == 0.1 + 0.2
    with pytest.raises(ValueError, match="JSON"):
        print_json({"figure": float("nan")})
