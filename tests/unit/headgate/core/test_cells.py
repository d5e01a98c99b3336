"""The text of a published cell and its parser."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.calendar_parts import calendar_span, format_day
from headgate.core.cell_reader import CellReader
from headgate.core.cells import (
    Cell,
    Everything,
    Interval,
    Members,
    Missing,
    Single,
    format_cell,
    format_number,
    interval_of_node,
    parse_cell,
)
from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy

LABELS = st.text(alphabet=st.sampled_from("ab|{}[]\\*.-0 é\n"), min_size=1, max_size=6)
CELLS = st.one_of(
    st.just(Everything()),
    st.just(Missing()),
    LABELS.map(Single),
    st.builds(Interval, LABELS, LABELS),
    st.lists(LABELS, min_size=2, max_size=4).map(lambda labels: Members(tuple(labels))),
    st.lists(LABELS, min_size=1, max_size=3).map(lambda labels: Members((None, *labels))),
)


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


@pytest.mark.parametrize("label", ["2025", "2025-Q1", "2024-02", "2024-02-29"])
def test_a_calendar_part_spans_exactly_the_days_that_carry_its_name(label: str) -> None:
    span = calendar_span(label)
    assert span is not None
    days = [day for day in (datetime.date(2024, 1, 1) + datetime.timedelta(i) for i in range(800)) if _named(day, label)]
    assert [format_day(span[0]), format_day(span[1])] == [days[0].isoformat(), days[-1].isoformat()]


def _named(day: datetime.date, label: str) -> bool:
    quarter = f"{day.year}-Q{(day.month - 1) // 3 + 1}"
    return label in (str(day.year), day.isoformat()[:7], day.isoformat(), quarter)


@pytest.mark.parametrize("label", ["2025-13", "2025-00", "2025-02-30", "2025-Q5", "25", "0000", "2025-3"])
def test_what_is_no_calendar_part_spans_nothing(label: str) -> None:
    assert calendar_span(label) is None


def column(cells: list[object], kind: Kind, **more: object):
    return encode_column(pd.Series(cells, dtype=object), ColumnSpec("a", kind, Role.QUASI, **more))


def covered(text: str, of) -> list[object]:
    flags = CellReader(of).covers(text)
    return [value for value, flag in zip([*of.values.tolist(), None], flags, strict=True) if flag]


def test_a_cell_covers_the_values_it_names() -> None:
    numbers = column([20, 25, 29, 30.5, None], Kind.NUMBER)
    assert covered("[20..29]", numbers) == [20, 25, 29]
    assert covered("25", numbers) == [25]
    assert covered("[29.5..40]", numbers) == [30.5]
    assert covered("*", numbers) == [20, 25, 29, 30.5, None]
    assert covered("", numbers) == [None]
    levels = column(["low", "high"], Kind.ORDINAL, levels=("low", "middle", "high", "top"))
    assert covered("[low..high]", levels) == ["low", "middle", "high"]
    assert covered("top", levels) == ["top"]
    flat = column(["a|b", "c", "d", None], Kind.CATEGORY)
    assert covered("{|a\\|b|d}", flat) == ["a|b", "d", None]
    assert covered("unknown", flat) == []
    days = column(["2025-01-31", "2025-02-01", "2025-04-01", "2026-01-01"], Kind.DATE)
    assert [format_day(day) for day in covered("2025-Q1", days)] == ["2025-01-31", "2025-02-01"]
    assert [format_day(day) for day in covered("2025", days)] == ["2025-01-31", "2025-02-01", "2025-04-01"]
    assert [format_day(day) for day in covered("2025-04-01", days)] == ["2025-04-01"]


def test_a_hierarchy_node_covers_its_leaves() -> None:
    tree = Hierarchy.from_rows([["Rome", "Italy", "*"], ["Milan", "Italy", "*"], ["Lyon", "France", "*"]], "a")
    towns = column(["Rome", "Lyon"], Kind.CATEGORY, hierarchy=tree)
    assert covered("Italy", towns) == ["Rome", "Milan"]
    assert covered("Lyon", towns) == ["Lyon"]
    widths = Hierarchy.from_rows([[str(i), f"[{i // 5 * 5}..{i // 5 * 5 + 4}]", "*"] for i in range(12)], "a")
    ages = column([1, 7, 11], Kind.INTEGER, hierarchy=widths)
    assert covered("[5..9]", ages) == [5, 6, 7, 8, 9]
    assert CellReader(ages).interval("[5..9]") == (5.0, 9.0)
    named = Hierarchy.from_rows([[str(i), "young" if i < 6 else "old", "*"] for i in range(12)], "a")
    assert covered("old", column([1, 7], Kind.INTEGER, hierarchy=named)) == [6, 7, 8, 9, 10, 11]


@pytest.mark.parametrize(("text", "kind"), [("x", Kind.NUMBER), ("[a..b]", Kind.NUMBER), ("2025-13", Kind.DATE), ("[1..nan]", Kind.NUMBER)])
def test_a_cell_that_its_kind_cannot_hold_is_refused(text: str, kind: Kind) -> None:
    cells = ["2025-01-01"] if kind is Kind.DATE else [1.0]
    with pytest.raises(InputRejected):
        CellReader(column(cells, kind)).covers(text)


def test_a_node_whose_name_is_a_number_covers_its_leaves() -> None:
    """A hierarchy file of ages named its decades 2 and 3. The cell 2 was read as the age 2: it covered nobody, so NCP and the disclosure
    risk of that row were measured as 0."""
    tree = Hierarchy.from_rows([(str(age), str(age // 10), "*") for age in range(21, 40)], "age")
    age = encode_column(pd.Series([21, 35]), ColumnSpec("age", Kind.INTEGER, Role.QUASI, hierarchy=tree))
    assert CellReader(age).covers("2").sum() == 9
    assert CellReader(age).covers("21").sum() == 1
    level = ColumnSpec(
        "level",
        Kind.ORDINAL,
        Role.QUASI,
        levels=("a", "b", "c"),
        hierarchy=Hierarchy.from_rows([("a", "1", "*"), ("b", "1", "*"), ("c", "2", "*")], "level"),
    )
    assert CellReader(encode_column(pd.Series(["a", "c"]), level)).covers("1").tolist() == [True, True, False, False]


def test_a_leaf_and_a_node_are_never_published_under_one_number() -> None:
    """A leaf 02 is published as 2; a node named 2 beside it would have been the same text for other ages."""
    tree = Hierarchy.from_rows([("02", "1", "*"), ("21", "2", "*"), ("22", "2", "*")], "age")
    with pytest.raises(InputRejected, match="stands for different values"):
        encode_column(pd.Series([2, 21]), ColumnSpec("age", Kind.INTEGER, Role.QUASI, hierarchy=tree))


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
