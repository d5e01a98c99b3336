"""What a published cell covers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from headgate.core.calendar_parts import format_day
from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy
from headgate.core.published_form.cell_reader import CellReader


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


def test_stretches_say_the_same_as_flags() -> None:
    flat = column(["a", "b", "c", "d", None], Kind.CATEGORY)
    reader = CellReader(flat)
    assert reader.ends("{a|b|d}").tolist() == [0, 2, 3, 4]
    assert reader.ends("{|c|d}").tolist() == [2, 5]  # missing is the last value
    assert reader.ends("*").tolist() == [0, 5]
    assert reader.ends("elsewhere").tolist() == []


def test_the_values_under_all_nodes_are_as_many_as_values_times_levels() -> None:
    """Not values times nodes: a list of postal codes has a node for each."""
    many = 1000
    codes = Hierarchy.from_rows([[f"{i:04}", f"{i:04}"[:2], "*"] for i in range(many)], "a")
    reader = CellReader(column(["0001"], Kind.CATEGORY, hierarchy=codes))
    assert sum(np.asarray(under).size for under in reader.nodes.values()) == 3 * many
    assert reader.leaves_under("07") == 100
