"""From cells to codes: every value once, in domain order, by position, and refusals that name no value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.calendar_parts import format_day
from headgate.core.columns import Column, Kind, Role
from headgate.core.encode import ColumnSpec, encode_column, encode_table
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy


def encode(cells: Any, kind: Kind, **more: Any) -> Column:
    cells = cells if isinstance(cells, pd.Series | pd.DataFrame) else pd.Series(cells, dtype=object)
    return encode_column(cells, ColumnSpec("c", kind, Role.SENSITIVE, **more))


def decoded(column: Column) -> list[Any]:
    return [None if code < 0 else column.values.tolist()[code] for code in column.codes]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(st.none(), st.integers(-50, 50), st.sampled_from([0.5, -1.25])), max_size=20), st.booleans())
def test_numbers_keep_their_order_whether_they_come_as_text_or_not(cells: list[Any], as_text: bool) -> None:
    given_cells = [None if cell is None else str(cell) if as_text else cell for cell in cells]
    column = encode(given_cells, Kind.NUMBER)
    assert decoded(column) == cells
    assert column.values.tolist() == sorted({cell for cell in cells if cell is not None})
    assert column.counts().tolist() == [*[cells.count(value) for value in column.values], cells.count(None)]


def test_two_spellings_of_one_number_are_one_value() -> None:
    assert encode(["1", "1.0", " 1", "1e0"], Kind.NUMBER).values.tolist() == [1.0]
    assert encode([1, 1.0, "1"], Kind.CATEGORY).values.tolist() == ["1"]


def test_cells_are_taken_by_position_and_unused_categories_are_dropped() -> None:
    cells = pd.Series(pd.Categorical(["b", "a", None], categories=["z", "b", "a"]), index=[2, 2, 0])
    column = encode(cells, Kind.CATEGORY)
    assert (column.values.tolist(), column.codes.tolist()) == (["a", "b"], [1, 0, -1])


def test_declared_levels_and_leaves_are_all_there_in_their_order() -> None:
    ordinal = encode(["high", None, "low"], Kind.ORDINAL, levels=("low", "middle", "high"))
    assert (ordinal.values.tolist(), ordinal.codes.tolist(), ordinal.domain) == (["low", "middle", "high"], [2, -1, 0], (0.0, 2.0))
    tree = Hierarchy.from_rows([["b", "x", "*"], ["a", "x", "*"], ["c", "y", "*"]], "c")
    town = encode(["a", "c"], Kind.CATEGORY, hierarchy=tree)
    assert (town.values.tolist(), town.codes.tolist()) == (["b", "a", "c"], [1, 2])
    both = encode(["a"], Kind.CATEGORY, hierarchy=tree, declared=("a", "b"))
    assert both.hierarchy is not None
    assert both.hierarchy.leaves[both.codes[0]] == "a"
    with pytest.raises(InputRejected, match="outside its declared values"):
        encode(["c"], Kind.CATEGORY, hierarchy=tree, declared=("a", "b"))


def test_a_hierarchy_of_numbers_is_aligned_with_them_whatever_the_order_of_its_lines() -> None:
    lines = [["10", "[10..19]", "*"], ["2", "[0..9]", "*"], ["7", "[0..9]", "*"]]
    column = encode(["7", "10", None], Kind.INTEGER, hierarchy=Hierarchy.from_rows(lines, "c"))
    assert column.hierarchy is not None
    assert column.values.tolist() == [2, 7, 10]
    assert [column.hierarchy.labels[code, 1] for code in column.codes[:2]] == ["[0..9]", "[10..19]"]
    levels = encode(["hi"], Kind.ORDINAL, levels=("lo", "hi"), hierarchy=Hierarchy.from_rows([["hi", "*"], ["lo", "*"]], "c"))
    assert levels.hierarchy is not None
    assert levels.hierarchy.leaves.tolist() == ["lo", "hi"]
    for cells, rows, reason in (([3], lines, "outside the leaves"), ([2], [["2", "*"], ["two", "*"]], "not distinct numbers: leaf 2")):
        with pytest.raises(InputRejected, match=reason):
            encode(cells, Kind.INTEGER, hierarchy=Hierarchy.from_rows(rows, "c"))
    with pytest.raises(InputRejected, match="not distinct numbers: leaf 3"):
        encode([2], Kind.INTEGER, hierarchy=Hierarchy.from_rows([["2", "*"], ["1", "*"], ["2.0", "*"]], "c"))
    with pytest.raises(InputRejected, match="by calendar"):
        encode(["2025-01-01"], Kind.DATE, hierarchy=Hierarchy.from_rows([["2025-01-01", "*"]], "c"))


@pytest.mark.parametrize(("kind", "cells"), [(Kind.CATEGORY, ["a", "c"]), (Kind.INTEGER, [1, 3]), (Kind.ORDINAL, ["a", "c"])])
def test_a_value_that_is_no_leaf_is_cured_by_a_line_in_the_file_that_lists_them(kind, cells):
    rows = [["1", "*"], ["2", "*"]] if kind is Kind.INTEGER else [["a", "*"], ["b", "*"]]
    levels = ("a", "c") if kind is Kind.ORDINAL else ()
    for file, cure in (("towns.csv", "add a line for each to towns.csv."), ("", "add a line for each.")):
        with pytest.raises(InputRejected) as refusal:
            encode(cells, kind, levels=levels, hierarchy=Hierarchy.from_rows(rows, "c", file=file))
        assert refusal.value.cure.endswith(cure)


def test_days_are_counted_from_1970_and_may_come_as_stamps() -> None:
    for cells in (["2025-01-02", None, "1969-12-31"], pd.to_datetime(pd.Series(["2025-01-02", None, "1969-12-31"]))):
        column = encode(cells, Kind.DATE)
        assert column.values.tolist() == [-1, 20090]
        assert [format_day(day) for day in column.values] == ["1969-12-31", "2025-01-02"]
        assert column.codes.tolist() == [1, -1, 0]


def test_a_missing_set_is_not_the_empty_set() -> None:
    for cells in ([["b", "a"], [], None, {"a"}], ["b|a", "|", None, "a"], [" b | a ", "|", "", "a|"]):
        column = encode(cells, Kind.SET)
        assert decoded(column) == [("a", "b"), (), None, ("a",)]
    flags = encode(["a|none", "none", "|", None], Kind.SET, nonsensitive=frozenset({"none"}))
    assert flags.sensitive[flags.codes].tolist() == [True, False, False, True]
    papers = encode(["a|none", "none", "|", None], Kind.SET, nonsensitive=frozenset({"none"}), absent_sensitive=True)
    assert papers.sensitive[papers.codes].tolist() == [True] * 4


def test_a_vector_with_a_gap_is_missing() -> None:
    frame = pd.DataFrame({"p": [0.5, None, 0.5], "q": [0.5, 0.3, 0.5]})
    column = encode(frame, Kind.VECTOR, components=("p", "q"), metric="total-variation")
    assert column.codes.tolist() == [0, -1, 0]
    assert column.components == ("p", "q")


def test_what_is_declared_harmless_is_not_sensitive() -> None:
    column = encode(["none", "flu", None], Kind.CATEGORY, nonsensitive=frozenset({"none", None}))
    assert column.sensitive[column.codes].tolist() == [False, True, False]
    number = encode([0, 0.5], Kind.NUMBER, nonsensitive=frozenset({"0"}))
    assert number.sensitive[number.codes].tolist() == [False, True]


SECRET = "canary-7f3a"


@pytest.mark.parametrize(
    ("cells", "kind", "more", "reason"),
    [
        ([SECRET], Kind.NUMBER, {}, "not numbers"),
        ([1.5], Kind.INTEGER, {}, "fraction"),
        ([float("inf")], Kind.NUMBER, {}, "infinite"),
        ([" "], Kind.NUMBER, {}, "blank"),
        ([SECRET], Kind.DATE, {}, "not dates"),
        (["2025-01-01T10:00"], Kind.DATE, {}, "times of day"),
        (["-0044-03-15"], Kind.DATE, {}, "before the year 1"),
        (["2025-01-01+01:00", "2025-01-01+02:00"], Kind.DATE, {}, "not dates|times of day"),
        ([SECRET, "a"], Kind.CATEGORY, {"declared": ("a",)}, "1 distinct values \\(1 rows\\) outside"),
        ([SECRET], Kind.ORDINAL, {"levels": ("a",)}, "outside its declared"),
        (["a"], Kind.ORDINAL, {"levels": ("a", "a")}, "twice"),
        ([f"a|{SECRET}"], Kind.SET, {"declared": ("a",)}, "outside its declared"),
        ([5, 200], Kind.NUMBER, {"domain": (0, 100)}, "1 rows outside its domain"),
        (pd.DataFrame({"p": [0.5], "q": [0.6]}), Kind.VECTOR, {"metric": "total-variation"}, "do not sum to 1"),
        (pd.DataFrame({"p": [SECRET]}), Kind.VECTOR, {"metric": "lp"}, "not finite numbers"),
    ],
)
def test_a_cell_that_the_kind_cannot_hold_is_refused_without_showing_it(cells: Any, kind: Kind, more: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputRejected, match=reason) as refusal:
        encode(cells, kind, **more)
    assert SECRET not in str(refusal.value)
    assert refusal.value.cure


def test_a_column_with_nothing_in_it_is_legal() -> None:
    for kind in (Kind.NUMBER, Kind.INTEGER, Kind.DATE, Kind.CATEGORY, Kind.SET):
        column = encode([None, None], kind)
        assert (len(column.values), column.codes.tolist(), column.width) == (0, [-1, -1], 0.0)


def test_a_table_keeps_the_roles_apart_and_names_what_is_absent() -> None:
    specs = {
        name: ColumnSpec(name, Kind.CATEGORY, role)
        for name, role in [("id", Role.IDENTIFIER), ("q", Role.QUASI), ("s", Role.SENSITIVE), ("i", Role.INSENSITIVE), ("d", Role.DROPPED)]
    }
    frame = pd.DataFrame({name: ["x", "y"] for name in specs})
    table = encode_table(frame, specs)
    assert (list(table.columns), table.quasi, table.sensitive, table.insensitive) == (["q", "s", "i"], ("q",), ("s",), ("i",))
    assert table.codes(["s", "q"]).tolist() == [[0, 0], [1, 1]]
    assert table.take(np.array([1])).rows == 1
    with pytest.raises(InputRejected, match="'s' is not in the data"):
        encode_table(frame.drop(columns="s"), specs)


def test_a_declared_value_with_blanks_around_it_is_found_as_it_is_written() -> None:
    """Cells were stripped before they were compared with the declared values, which were not: " lead" could never be met, not even by
    itself. Exactly equal comes first; blanks are overlooked only where that fails."""
    assert decoded(encode([" lead", "lead ", "lead"], Kind.CATEGORY, declared=(" lead", "lead"))) == [" lead", "lead", "lead"]
    assert decoded(encode([" low", "high"], Kind.ORDINAL, levels=(" low", "high"))) == [" low", "high"]


@pytest.mark.parametrize("kind", [Kind.NUMBER, Kind.INTEGER])
def test_whole_numbers_that_would_become_one_float_are_refused(kind: Kind) -> None:
    for cells in ([2**53, 2**53 + 1], ["9007199254740993"], pd.Series([2**60 + 1, None], dtype="Int64"), [2**64 - 1, 0]):
        with pytest.raises(InputRejected, match="whole numbers beyond 2\\^53"):
            encode(cells, kind)
    assert encode([2**53, -(2**53), 2**53 - 1], kind).values.tolist() == [-(2**53), 2**53 - 1, 2**53]
    assert encode([1e300, 2**60, "1e20"], Kind.NUMBER).values.tolist() == [2.0**60, 1e20, 1e300]


@pytest.mark.parametrize("dtype", ["float32", "Float32", "float[pyarrow]"])
def test_a_narrow_float_is_the_decimal_that_was_written(dtype: str) -> None:
    cells = pd.Series([0.7, 0.8, None, 0.7, 3]).astype(dtype)
    assert decoded(encode(cells, Kind.NUMBER)) == [0.7, 0.8, None, 0.7, 3]
    assert decoded(encode(cells, Kind.CATEGORY)) == ["0.7", "0.8", None, "0.7", "3"]


def test_a_nan_that_arrow_holds_beside_nulls_is_missing_as_they_are() -> None:
    cells = pd.Series(pd.arrays.ArrowExtensionArray(pa.array([2.0, float("nan"), None, 1.0])))
    assert decoded(encode(cells, Kind.NUMBER)) == [2, None, None, 1]


def test_lists_are_refused_where_no_set_is_declared() -> None:
    with pytest.raises(InputRejected, match="lists or the like"):
        encode([["a"], ["b"]], Kind.CATEGORY)
