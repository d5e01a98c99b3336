"""Nothing that a policy or a table names can steer the terminal."""

from __future__ import annotations

import io
import json
import os
import pty
import sys

import pytest

from flows.terminal.output import plain, print_error, print_json, results, tell, write_any_sign, write_document
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


def test_cells_of_a_strangers_table_steer_no_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """`headgate read` of a download wrote its cells to the terminal as they were: they could set its title, or hide what came before."""
    table = "region\n\x1b]0;owned\x07north\n"
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w", encoding="utf-8") as terminal, monkeypatch.context() as there:
        there.setattr(sys, "stdout", terminal)
        write_document(table)
        terminal.flush()
        assert os.read(ours, 1000).decode() == "region\r\n�]0;owned�north\r\n"
    os.close(ours)
    write_document(table)
    assert capsys.readouterr().out == table


def test_numbers_in_json_are_exact(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"figure": 0.1 + 0.2})
    assert json.loads(capsys.readouterr().out)["figure"] == 0.1 + 0.2
    with pytest.raises(ValueError, match="JSON"):
        print_json({"figure": float("nan")})


def stdout_in(encoding: str, monkeypatch: pytest.MonkeyPatch) -> io.BytesIO:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding, write_through=True))
    return written


@pytest.mark.parametrize(("encoding", "shown"), [("utf-8", "δ ≤ ü 例"), ("latin-1", "delta <= ü ?"), ("ascii", "delta <= ? ?")])
def test_signs_that_the_terminal_lacks_are_spelled_or_become_question_marks(
    encoding: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command ended as "a defect of headgate"."""
    written = stdout_in(encoding, monkeypatch)
    write_any_sign()
    results().print("δ ≤ ü 例")
    assert written.getvalue().decode(encoding) == f"{shown}\n"


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "ascii", "cp1252"])
def test_a_document_reads_the_same_whatever_the_terminal_can_show(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    document = {"Größe": "δ ≤ 0,5 – \U0001f600"}
    written = stdout_in(encoding, monkeypatch)
    write_any_sign()
    print_json(document)
    assert json.loads(written.getvalue().decode(encoding)) == document
