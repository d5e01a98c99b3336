"""Cells are shown on a person's own terminal and nowhere else."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from flows.terminal.shown_cells import list_cells, show_cells, write_cells
from headgate.core.errors import LINE, CellsRejected, HeadgateError, InputRejected

REFUSAL = CellsRejected("age", ("is not a number", "are not numbers"), "Correct them.", [3, 5, 8, 9], ["a\x07", "b" * 50, "c", "d"]).at(
    LINE, [5, 7, 1010]
)
ASK = """
import sys
from flows.terminal.exit_codes import attempt
from headgate.core.errors import CellsRejected
def act():
    raise CellsRejected("age", ("is not a number", "are not numbers"), "Correct them.", [3], ["canary"])
sys.exit(attempt(act, lambda: "--json" in sys.argv))
"""


def test_the_first_cells_are_shown_with_their_lines(capsys: pytest.CaptureFixture[str]) -> None:
    write_cells(REFUSAL)
    said = capsys.readouterr().err
    assert said == f"in the file: line 5 'a\ufffd', line 7 '{'b' * 40}…', line 1010 'c'\n"
    write_cells(InputRejected("One.", "Two.", list("abcdefg")))
    assert capsys.readouterr().err == "in the file: 'a', 'b', 'c', 'd', 'e' and 2 more\n"
    write_cells(InputRejected("One.", "Two."))
    assert capsys.readouterr().err == ""


def test_a_list_holds_every_cell_whole(capsys: pytest.CaptureFixture[str]) -> None:
    list_cells(REFUSAL.at(LINE, [5, 7, 1010, 1011]))
    assert capsys.readouterr().out == f"line 5  a\ufffd\nline 7  {'b' * 50}\nline 1010  c\nline 1011  d\n"


def test_what_is_no_terminal_is_shown_no_cell(capsys: pytest.CaptureFixture[str]) -> None:
    for refusal in (REFUSAL, HeadgateError("One.")):
        show_cells(refusal)
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_a_command_shows_cells_on_a_terminal_but_in_no_document_and_no_log() -> None:
    def ask(*options: str) -> tuple[str, str]:
        ours, theirs = pty.openpty()
        root = Path(__file__).parents[4]
        done = subprocess.run(
            [sys.executable, "-c", ASK, *options], stderr=theirs, stdout=subprocess.PIPE, text=True, check=False, cwd=root
        )
        os.close(theirs)
        seen = os.read(ours, 10_000).decode()
        os.close(ours)
        assert done.returncode == 2
        return seen, done.stdout

    assert "row 4 'canary'" in ask()[0]
    assert "canary" not in "".join(ask("--json"))
