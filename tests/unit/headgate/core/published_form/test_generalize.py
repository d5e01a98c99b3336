"""Generalization of a partition, compared with an oracle that works on the plain cells, a group at a time."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Column, Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy
from headgate.core.published_form.cell_reader import CellReader
from headgate.core.published_form.generalize import generalize
from headgate.utility.loss import cell_loss

TREE = [["a1", "a", "*"], ["a2", "a", "*"], ["b1", "b", "*"], ["b2", "b", "*"], ["b3", "b", "*"]]
LEVELS = ("low", "middle", "high", "top")
CELLS: dict[str, list[Any]] = {
    "number": [0.5, 1, 2, 7.25, 10],
    "integer": [0, 1, 2, 7, 10],
    "ordinal": list(LEVELS),
    "category": ["red", "blue", "a|b", "{x}"],
    "tree": [row[0] for row in TREE],
    "date": ["2024-12-31", "2025-01-01", "2025-01-31", "2025-03-31", "2025-04-01"],
}


def encoded(what: str, cells: list[Any]) -> Column:
    kind = Kind.CATEGORY if what == "tree" else Kind(what)
    spec = ColumnSpec(
        "a",
        kind,
        Role.QUASI,
        domain=(0, 20) if what in ("number", "integer") else None,
        levels=LEVELS if what == "ordinal" else (),
        hierarchy=Hierarchy.from_rows(TREE, "a") if what == "tree" else None,
    )
    return encode_column(pd.Series(cells, dtype=object), spec)


def expected(what: str, cells: list[Any], everything: list[Any]) -> tuple[str, float]:
    """Text and loss from the definition, for cells free of signs to escape but for the flat category."""
    present = [cell for cell in cells if cell is not None]
    distinct = sorted(set(present))
    if what == "category":
        names = ["" if cell is None else str(cell).replace("|", "\\|").replace("{", "\\{").replace("}", "\\}") for cell in cells]
        names = sorted(set(names), key=lambda name: name.replace("\\", ""))
        if len(names) == 1:
            return names[0], 0.0
        values = {cell for cell in everything if cell is not None}
        whole = len(values) + (None in everything)
        loss = len(names) / (len(values) + ("" in names))
        return ("*", 1.0) if len(names) == whole else ("{" + "|".join(names) + "}", loss)
    if not present:
        return "", 0.0
    if len(present) < len(cells):
        return "*", 1.0
    if len(distinct) == 1:
        return str(distinct[0]), 0.0
    if what in ("number", "integer"):
        return f"[{distinct[0]}..{distinct[-1]}]", (distinct[-1] - distinct[0]) / 20
    if what == "ordinal":
        ranks = sorted(LEVELS.index(cell) for cell in distinct)
        return f"[{LEVELS[ranks[0]]}..{LEVELS[ranks[-1]]}]", (ranks[-1] - ranks[0]) / 3
    if what == "tree":
        nodes = {cell[0] for cell in distinct}
        return ("*", 1.0) if len(nodes) > 1 else (nodes.pop(), {"a": 2, "b": 3}[distinct[0][0]] / 5)
    days = [datetime.date.fromisoformat(cell) for cell in distinct]
    known = [datetime.date.fromisoformat(cell) for cell in everything if cell is not None]
    domain = [min(known) + datetime.timedelta(i) for i in range((max(known) - min(known)).days + 1)]
    for name in (lambda d: f"{d:%Y-%m}", lambda d: f"{d.year}-Q{(d.month + 2) // 3}", lambda d: f"{d.year}"):
        if len({name(day) for day in days}) == 1:
            return name(days[0]), sum(name(day) == name(days[0]) for day in domain) / len(domain)
    for width in (5, 10, 20):
        if len({day.year // width for day in days}) == 1:
            low = days[0].year - days[0].year % width
            return f"[{low}..{low + width - 1}]", sum(low <= day.year < low + width for day in domain) / len(domain)
    return "*", 1.0


@pytest.mark.parametrize("what", list(CELLS))
@settings(max_examples=40, deadline=None)
@given(rows=st.data())
def test_every_group_gets_the_text_and_loss_of_the_definition(what: str, rows: st.DataObject) -> None:
    table = rows.draw(st.lists(st.tuples(st.integers(-1, 3), st.sampled_from([*CELLS[what], None])), min_size=1, max_size=20))
    cells = [cell for _, cell in table]
    numbers = {group: i for i, group in enumerate(sorted({group for group, _ in table if group >= 0}))}
    groups = np.array([numbers.get(group, -1) for group, _ in table], dtype=np.int32)
    column = encoded(what, cells)
    found = generalize(column, groups, len(numbers))
    reader = CellReader(column)
    for group in range(len(numbers)):
        inside = [cell for cell, number in zip(cells, groups, strict=True) if number == group]
        text, loss = expected(what, inside, cells)
        assert found.texts[group] == text
        assert found.loss[group] == pytest.approx(loss, abs=1e-12)
        # measured again from the text alone, by code that shares nothing with the generalization
        assert cell_loss(text, reader) == pytest.approx(loss, abs=1e-12)
        assert CellReader(column).covers(text)[column.codes[groups == group]].all()


def test_numbers_with_a_hierarchy_get_its_smallest_common_node() -> None:
    rows = [[str(i), f"[{i // 5 * 5}..{i // 5 * 5 + 4}]", f"[{i // 10 * 10}..{i // 10 * 10 + 9}]", "*"] for i in range(20)]
    spec = ColumnSpec("age", Kind.INTEGER, Role.QUASI, domain=(0, 19), hierarchy=Hierarchy.from_rows(list(reversed(rows)), "age"))
    column = encode_column(pd.Series([3, 3, 1, 4, 4, 6, 9, 11, None, 12]), spec)
    found = generalize(column, np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4], dtype=np.int32), 5)
    assert found.texts.tolist() == ["3", "[0..4]", "[0..9]", "*", "*"]
    assert found.loss.tolist() == pytest.approx([0, 4 / 19, 9 / 19, 1, 1])


def test_a_group_with_every_category_is_everything_but_not_where_missing_is_left_out() -> None:
    groups = np.zeros(2, dtype=np.int32)
    assert generalize(encoded("category", ["red", "blue"]), groups, 1).texts.tolist() == ["*"]
    column = encoded("category", ["red", "blue", None])
    assert generalize(column, np.array([0, 0, 1], dtype=np.int32), 2).texts.tolist() == ["{blue|red}", ""]
    assert generalize(column, np.array([0, 1, 0], dtype=np.int32), 2).texts.tolist() == ["{|red}", "blue"]


@pytest.mark.parametrize("kind", [Kind.SET, Kind.VECTOR])
def test_sets_and_vectors_cannot_be_quasi_identifiers(kind: Kind) -> None:
    cells = pd.Series(["a|b"]) if kind is Kind.SET else pd.DataFrame({"x": [1.0]})
    column = encode_column(cells, ColumnSpec("a", kind, Role.QUASI))
    with pytest.raises(InputRejected, match="cannot be a quasi-identifier"):
        generalize(column, np.zeros(1, dtype=np.int32), 1)


def test_a_group_number_without_rows_is_refused() -> None:
    with pytest.raises(InputRejected, match="no rows"):
        generalize(encoded("integer", [1, 2]), np.array([0, 2], dtype=np.int32), 3)
