"""The text of a published cell and its parser."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.cells import (
    Cell,
    Everything,
    Interval,
    Members,
    Missing,
    Single,
    format_interval,
    format_label,
    format_members,
    format_number,
    interval_of_node,
    parse_cell,
)
from headgate.core.errors import InputRejected

LABELS = st.text(alphabet=st.sampled_from("ab|{}[]\\*.-0 é\n"), min_size=1, max_size=6)


CELLS = st.one_of(
    st.just(Everything()),
    st.just(Missing()),
    LABELS.map(Single),
    st.builds(Interval, LABELS, LABELS),
    st.lists(LABELS, min_size=2, max_size=4).map(lambda labels: Members(tuple(labels))),
    st.lists(LABELS, min_size=1, max_size=3).map(lambda labels: Members((None, *labels))),
)


def format_cell(cell: Cell) -> str:
    """Each cell by the function that writes its kind."""
    match cell:
        case Everything():
            return "*"
        case Missing():
            return ""
        case Single(label):
            return format_label(label)
        case Interval(low, high):
            return format_interval(low, high)
        case Members(labels):
            return format_members(labels)


@settings(max_examples=60, deadline=None)
@given(CELLS)
def test_reading_a_cell_gives_back_what_was_written(cell: Cell) -> None:
    assert parse_cell(format_cell(cell)) == cell


@settings(max_examples=60, deadline=None)
@given(CELLS, CELLS)
def test_two_different_cells_never_have_one_text(one: Cell, other: Cell) -> None:
    assert (format_cell(one) == format_cell(other)) == (one == other)


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab|{}[]\\*."), max_size=8))
def test_whatever_can_be_read_is_written_the_same_way(text: str) -> None:
    try:
        cell = parse_cell(text)
    except InputRejected:
        return
    assert format_cell(cell) == text


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("[20..29]", Interval("20", "29")),
        ("[-5..3]", Interval("-5", "3")),
        ("[0.5..1e-05]", Interval("0.5", "1e-05")),
        ("[primary..tertiary]", Interval("primary", "tertiary")),
        ("{blue|red}", Members(("blue", "red"))),
        ("{|red}", Members((None, "red"))),
        ("a\\|b", Single("a|b")),
        ("\\[1..2]", Single("[1..2]")),
        ("\\*", Single("*")),
        ("*", Everything()),
        ("", Missing()),
        ("2025-Q1", Single("2025-Q1")),
    ],
)
def test_the_notation_is_the_one_that_the_design_documents(text: str, cell: Cell) -> None:
    assert parse_cell(text) == cell
    assert format_cell(cell) == text


@pytest.mark.parametrize("text", ["[1..2", "[1]", "[1..2..3]", "{a}", "{a|}", "{a|b", "a|b", "a\\", "\\a", "{}", "[..]", "{|}", "{a|b\\}"])
def test_a_malformed_cell_is_refused_without_showing_it(text: str) -> None:
    with pytest.raises(InputRejected) as refusal:
        parse_cell(text)
    assert text not in str(refusal.value).replace("{a|b}", "")


def test_numbers_are_written_without_needless_decimals_and_read_back_exactly() -> None:
    assert [format_number(value) for value in (20, 20.0, -0.0, 0.1, 1e22, np.int64(7))] == ["20", "20", "0", "0.1", str(10**22), "7"]


@settings(max_examples=60, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_survives_its_text(value: float) -> None:
    assert float(format_number(value)) == value


@pytest.mark.parametrize(
    ("label", "ends"),
    [
        ("[10..20]", (10.0, 20.0)),
        ("[-1.5..-1]", (-1.5, -1.0)),
        ("[7..7]", (7.0, 7.0)),
        *(
            (label, None)
            for label in ("[20..10]", "[10, 20[", "[10..20[", "[10..x]", "[10..nan]", "[10...5]", "[1..2..3]", "10..20", "[", "")
        ),
    ],
)
def test_only_two_numbers_in_order_between_brackets_are_an_interval(label: str, ends: tuple[float, float] | None) -> None:
    assert interval_of_node(label) == ends
