"""Tables at any width: nothing that a cell holds is ever lost."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from flows.terminal.fitted_table import LEAST, fitted, print_table
from flows.terminal.output import results
from flows.views.shown_figures import plain_table

DATASET = "a-dataset-with-a-name-that-is-as-long-as-a-policy-allows-it-to-b"
WORDS = ("dataset", "state")
ROWS = (
    (DATASET, "2026-11-19 20:39", "awaiting approval", "1,234,567.5"),
    ("short", "2026-11-19 20:40", "refused", "2"),
)


def shown(width: int, rows: tuple[tuple[str | Text, ...], ...] = ROWS, terminal: bool = True) -> list[str]:
    table = plain_table(("dataset", "started", "state", "loss of rows"), words=(*WORDS, "started"), unbroken=("started",))
    for row in rows:
        table.add_row(*row)
    written = io.StringIO()
    print_table(Console(file=written, force_terminal=terminal, width=width, color_system=None, highlight=False, markup=False), table)
    return written.getvalue().splitlines()


@pytest.mark.parametrize("width", [20, 40, 60, 80, 100, 200])
def test_every_cell_is_there_at_every_width_of_a_terminal(width: int) -> None:
    """`releases` lost the dataset at 60 columns."""
    lines = shown(width)
    assert all(len(line) <= width for line in lines)
    together = re.sub(r"\s", "", "".join(lines))
    for row in ROWS:
        for place in (1, 3):
            assert row[place].replace(" ", "") in together
    letters = sorted(re.sub(r"\s", "", "".join(cell for row in ROWS for cell in row)))
    assert [sign for sign in letters if together.count(sign) < letters.count(sign)] == []


def test_a_row_that_does_not_fit_is_a_block_with_a_heading_per_line() -> None:
    assert shown(40)[-5:] == [
        "",
        "dataset       short",
        "started       2026-11-19 20:40",
        "state         refused",
        "loss of rows  2",
    ]


def test_figures_and_ids_are_never_broken_while_words_are() -> None:
    lines = shown(80)
    assert any("2026-11-19 20:39" in line and line.rstrip().endswith("1,234,567.5") for line in lines)
    assert not any(DATASET in line for line in lines)


def test_in_a_pipe_each_row_is_one_line_however_long() -> None:
    lines = shown(80, terminal=False)
    assert [line.split()[0] for line in lines] == ["dataset", DATASET, "short"]
    assert lines[1].split()[-1] == "1,234,567.5"


def test_what_marks_a_cell_stays_in_a_block_and_an_empty_cell_has_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(24, ((Text("passed", style="green"), "", "x", "1"),))
    assert lines == ["dataset       passed", "state         x", "loss of rows  1"]
    table = plain_table(("a", "b"), words=("a",))
    print_table(results(), table)
    assert capsys.readouterr().out.split() == ["a", "b"]


@given(st.lists(st.tuples(st.integers(1, 80), st.integers(1, 80)), min_size=1, max_size=6), st.integers(0, 300))
def test_widths_add_up_and_none_is_below_its_least(pairs: list[tuple[int, int]], more: int) -> None:
    least = [min(pair) for pair in pairs]
    natural = [max(pair) for pair in pairs]
    room = sum(least) + more
    widths = fitted(natural, least, room)
    assert sum(widths) == min(room, sum(natural))
    assert all(low <= width <= high for low, width, high in zip(least, widths, natural, strict=True))
    assert LEAST < 20
