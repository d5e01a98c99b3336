"""Numbers and whole numbers."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Kind
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy
from tests.unit.headgate.core.encoded import decoded, encode


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


def test_a_hierarchy_of_numbers_is_aligned_with_them_whatever_the_order_of_its_lines() -> None:
    lines = [["10", "[10..19]", "*"], ["2", "[0..9]", "*"], ["7", "[0..9]", "*"]]
    column = encode(["7", "10", None], Kind.INTEGER, hierarchy=Hierarchy.from_rows(lines, "c"))
    assert column.hierarchy is not None
    assert column.values.tolist() == [2, 7, 10]
    assert [column.hierarchy.labels[code, 1] for code in column.codes[:2]] == ["[0..9]", "[10..19]"]
    levels = encode(["hi"], Kind.ORDINAL, levels=("lo", "hi"), hierarchy=Hierarchy.from_rows([["hi", "*"], ["lo", "*"]], "c"))
    assert levels.hierarchy is not None
    assert levels.hierarchy.leaves.tolist() == ["lo", "hi"]
    for cells, rows, reason in (
        ([3], lines, "1 cell of 'c' is not a leaf of its hierarchy"),
        ([2], [["2", "*"], ["two", "*"]], "not distinct numbers: leaf 2"),
    ):
        with pytest.raises(InputRejected, match=reason):
            encode(cells, Kind.INTEGER, hierarchy=Hierarchy.from_rows(rows, "c"))
    with pytest.raises(InputRejected, match="not distinct numbers: leaf 3"):
        encode([2], Kind.INTEGER, hierarchy=Hierarchy.from_rows([["2", "*"], ["1", "*"], ["2.0", "*"]], "c"))
    with pytest.raises(InputRejected, match="by the calendar"):
        encode(["2025-01-01"], Kind.DATE, hierarchy=Hierarchy.from_rows([["2025-01-01", "*"]], "c"))


@pytest.mark.parametrize("kind", [Kind.NUMBER, Kind.INTEGER])
def test_whole_numbers_that_would_become_one_float_are_refused(kind: Kind) -> None:
    for cells in ([2**53, 2**53 + 1], ["9007199254740993"], pd.Series([2**60 + 1, None], dtype="Int64"), [2**64 - 1, 0]):
        with pytest.raises(InputRejected, match="whole numbers? beyond 2\\^53"):
            encode(cells, kind)
    assert encode([2**53, -(2**53), 2**53 - 1], kind).values.tolist() == [-(2**53), 2**53 - 1, 2**53]
    assert encode([1e300, 2**60, "1e20"], Kind.NUMBER).values.tolist() == [2.0**60, 1e20, 1e300]
