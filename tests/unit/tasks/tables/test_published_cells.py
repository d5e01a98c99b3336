"""What a published cell may be, by the declared domain alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Column, Kind, Role
from headgate.core.encode import ColumnSpec, encode_column, encode_table
from headgate.core.hierarchy import Hierarchy
from headgate.core.published_form.generalize import generalize
from tasks.reading.identifiers import IdentifierValues
from tasks.tables.published_cells import DeclaredCells, distinct_texts, identifiers_in, known_texts, strange_quasi_cells

TREE = Hierarchy.from_rows([["a", "x", "*"], ["b|", "x", "*"], ["{c", "y", "*"], ["[d..e]", "y", "*"]], "q")
FLOORS = Hierarchy.from_rows([["1", "low", "*"], ["2", "low", "*"], ["3", "[3..4]", "*"], ["4", "[3..4]", "*"]], "q")
COLUMNS = {
    "number": (ColumnSpec("q", Kind.NUMBER, Role.QUASI, domain=(-5, 20)), st.sampled_from([-5.0, -0.5, 0.1, 3.0, 20.0])),
    "integer": (ColumnSpec("q", Kind.INTEGER, Role.QUASI), st.integers(-3, 9)),
    "date": (
        ColumnSpec("q", Kind.DATE, Role.QUASI),
        st.dates(min_value=pd.Timestamp("2023-11-01").date(), max_value=pd.Timestamp("2024-03-01").date()).map(str),
    ),
    "ordinal": (ColumnSpec("q", Kind.ORDINAL, Role.QUASI, levels=("l.", "..m", "h")), st.sampled_from(["l.", "..m", "h"])),
    "flat": (ColumnSpec("q", Kind.CATEGORY, Role.QUASI), st.sampled_from(["*", "a|b", "{c}", "[d..e]", "\\", "f"])),
    "tree": (ColumnSpec("q", Kind.CATEGORY, Role.QUASI, hierarchy=TREE), st.sampled_from([str(leaf) for leaf in TREE.leaves])),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", COLUMNS)
@given(drawn=st.data())
@settings(max_examples=30, deadline=None)
def test_whatever_generalization_makes_is_a_declared_cell(kind, drawn):
    spec, values = COLUMNS[kind]
    cells = drawn.draw(st.lists(values | st.none(), min_size=4, max_size=12).filter(lambda cells: any(cell is not None for cell in cells)))
    column = encode_column(pd.Series(cells, dtype=object), spec)
    groups = np.arange(len(cells), dtype=np.int32) % 3
    declared = DeclaredCells(column)
    texts = generalize(column, groups, 3).texts
    assert all(declared.holds(text) for text in texts)
    assert not declared.holds("never seen")
    assert declared.holds("") is (None in cells)


def column_of(kind: Kind, cells: list[Any], **spec: Any) -> Column:
    return encode_column(pd.Series(cells, dtype=object), ColumnSpec("q", kind, Role.QUASI, **spec))


HELD = [
    ("number", column_of(Kind.NUMBER, [1.5, 3, 9], domain=(0, 10)), ["[0..10]", "[1.5..3]", "[2..2.5]", "3", "*"]),
    ("whole numbers", column_of(Kind.INTEGER, [1, 4], domain=(0, 9)), ["[0..9]", "4", "*"]),
    ("numbers in a hierarchy", column_of(Kind.INTEGER, [1, 2, 3, 4], hierarchy=FLOORS), ["low", "[3..4]", "1", "*"]),
    ("levels", column_of(Kind.ORDINAL, ["low", "high"], levels=("low", "middle", "high")), ["[low..high]", "[low..middle]", "middle"]),
    (
        "dates",
        column_of(Kind.DATE, ["2024-02-05", "2024-03-09"]),
        ["2024-02-05", "2024-02", "2024-Q1", "2024", "[2020..2024]", "[2020..2029]", "[2020..2039]", "*"],
    ),
    ("categories", column_of(Kind.CATEGORY, ["a", "b", "c"]), ["a", "{a|b}", "{a|b|c}", "*"]),
    ("categories with gaps", column_of(Kind.CATEGORY, ["a", "b", None]), ["", "{|a}", "{|a|b}", "{a|b}"]),
]
STRANGE = [
    ("number", column_of(Kind.NUMBER, [1.5, 3, 9], domain=(0, 10)), ["[-1..3]", "[3..11]", "[3..3]", "[9..3]", "2", "[a..b]", "{3|9}", ""]),
    ("numbers in a hierarchy", column_of(Kind.INTEGER, [1, 2, 3, 4], hierarchy=FLOORS), ["[1..2]", "[1..4]", "middle", "{1|2}"]),
    ("levels", column_of(Kind.ORDINAL, ["low", "high"], levels=("low", "middle", "high")), ["[high..low]", "[low..top]", "{low|high}"]),
    (
        "dates",
        column_of(Kind.DATE, ["2024-02-05", "2024-03-09"]),
        [
            *("2024-02-06", "2023", "2024-04", "2024-Q2", "[2024-02..2024-03]"),
            *("[2021..2025]", "[2024..2025]", "[2025..2029]", "[2024..2024]", "[ 2020..2024]", "[2000..2099]", "2020..2024"),
        ],
    ),
    ("categories", column_of(Kind.CATEGORY, ["a", "b", "c"]), ["d", "{b|a}", "{a|a}", "{a|d}", "{a", "{|a}", "[a..b]", ""]),
    ("categories in a hierarchy", column_of(Kind.CATEGORY, ["a", "b|"], hierarchy=TREE), ["{a|b}", "z", "[a..b]"]),
]


@pytest.mark.parametrize(("column", "texts"), [pytest.param(*rest, id=name) for name, *rest in HELD])
def test_a_cell_that_the_domain_explains_is_held(column: Column, texts: list[str]) -> None:
    assert [text for text in texts if not DeclaredCells(column).holds(text)] == []
    assert strange_quasi_cells(texts, column) == 0


@pytest.mark.parametrize(("column", "texts"), [pytest.param(*rest, id=name) for name, *rest in STRANGE])
def test_a_cell_that_the_domain_does_not_explain_is_counted(column: Column, texts: list[str]) -> None:
    assert [text for text in texts if DeclaredCells(column).holds(text)] == []
    assert strange_quasi_cells([*texts, "*"], column) == len(texts)


def test_a_missing_cell_is_one_only_where_the_source_lacks_some() -> None:
    whole, gaps = column_of(Kind.NUMBER, [1, 2]), column_of(Kind.NUMBER, [1, None])
    assert strange_quasi_cells([None, ""], whole) == 2
    assert strange_quasi_cells([None, ""], gaps) == 0
    assert known_texts(whole) == {"1", "2"}
    assert known_texts(gaps) == {"1", None}


def test_a_component_of_a_vector_has_the_values_of_its_own_place() -> None:
    spec = ColumnSpec("share", Kind.VECTOR, Role.SENSITIVE, metric="min", components=("p", "q"))
    column = encode_table(pd.DataFrame({"p": [0.25, 0.5], "q": [0.75, 0.5]}), {"share": spec})["share"]
    assert known_texts(column, 0) == {"0.25", "0.5"}
    assert known_texts(column, 1) == {"0.75", "0.5"}


def people(*names: str) -> IdentifierValues:
    return IdentifierValues({"person": pa.chunked_array([list(names)])})


@pytest.mark.parametrize(
    ("text", "leaks"),
    [
        ("p7", 1), ("[a..p7]", 1), ("{a|p7}", 1), ("a|p7", 1), ("{broken|p7", 1), ("{p7|p9}", 2),
        ("a", 0), ("{a|b}", 0), ("p71", 0), (None, 0), ("*", 0),
    ],
)  # fmt: skip
def test_an_identifier_is_found_in_every_part_of_a_cell(text: str | None, leaks: int) -> None:
    assert identifiers_in([text], column_of(Kind.CATEGORY, ["a", "b"]), people("p7", "p9")) == leaks


@pytest.mark.parametrize(
    ("column", "text"),
    [
        (column_of(Kind.INTEGER, [41, 42]), "42"),
        (column_of(Kind.CATEGORY, ["a", "b|"], hierarchy=TREE), "x"),
        (column_of(Kind.DATE, ["2024-02-05"]), "2024"),
        (encode_column(pd.Series(["flu|gout"], dtype=object), ColumnSpec("q", Kind.SET, Role.SENSITIVE)), "gout"),
    ],
)
def test_what_the_columns_own_values_explain_is_no_leak(column: Column, text: str) -> None:
    """An age of 42 tells nobody's number, though somebody's number is 42."""
    assert identifiers_in([text], column, people(text)) == 0
    assert identifiers_in(["somebody"], column, people("somebody")) == 1


def test_each_text_is_looked_at_once() -> None:
    assert distinct_texts(pa.chunked_array([["a", None, "a"], ["b", "a"]])) == ["a", None, "b"]
