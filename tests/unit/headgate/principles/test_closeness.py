"""t-closeness: golden figures, and the transport problem solved as a linear program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.counting.class_counts import count
from headgate.principles.closeness import closeness
from tests.unit.headgate.principles.transport_by_definition import TREE, encoded, transport

VALUES: dict[str, list[Any]] = {
    "number": [-3.5, 0, 1, 2, 10, 50],
    "ordinal": ["l1", "l2", "l4", "l5"],
    "category": ["x", "y", "z"],
    "tree": [row[0] for row in TREE],
}


@pytest.mark.slow
@pytest.mark.parametrize("what", list(VALUES))
@settings(max_examples=40, deadline=None)
@given(rows=st.data())
def test_the_distance_is_the_least_cost_of_the_transport(what: str, rows: st.DataObject) -> None:
    table = rows.draw(st.lists(st.tuples(st.integers(0, 2), st.sampled_from([*VALUES[what], None])), min_size=1, max_size=30))
    cells = [cell for _, cell in table]
    groups = np.unique([group for group, _ in table], return_inverse=True)[1].astype(np.int32)
    found = closeness(count(encoded(what, cells), [groups]))
    for group in range(groups.max() + 1):
        inside = [cell for cell, number in zip(cells, groups, strict=True) if number == group]
        assert found.figure.per_group[group] == pytest.approx(transport(what, inside, cells), abs=1e-9)
    assert found.t == found.figure.per_group.max()


@pytest.mark.parametrize(
    ("groups", "wanted"),
    [([0, 0, 1, 1], (0.5, 0.25, 0.25)), ([0, 1, 0, 1], (0.25, 0.5, 0.25)), ([0, 1, 1, 0], (0.25, 0.25, 0.5))],
    ids=["b", "c", "d"],
)
def test_golden_codip_table_one(groups: list[int], wanted: tuple[float, ...]) -> None:
    """DEFINITIONS §6, equal distance."""
    table = {"diagnosis": ["HT", "HT", "DB", "AS"], "family": ["HT", "DB", "HT", "AS"], "job": ["teacher", "lawyer", "farmer", "teacher"]}
    found = [closeness(count(encoded("category", cells), [np.array(groups, dtype=np.int32)])).t for cells in table.values()]
    assert tuple(found) == pytest.approx(wanted)


def test_golden_ordered_distance_of_salaries() -> None:
    """DEFINITIONS §6: salaries 3…11 k, nine values: {3,4,5} 0.375, {6,8,11} 1/6."""
    groups = np.array([0, 0, 0, 1, 2, 1, 2, 2, 1], dtype=np.int32)
    found = closeness(count(encoded("number", list(range(3, 12))), [groups]))
    assert found.figure.per_group[:2].tolist() == pytest.approx([0.375, 1 / 6])


def test_one_value_or_nothing_but_missing_is_close_to_itself() -> None:
    groups = np.array([0, 0, 1], dtype=np.int32)
    for what in VALUES:
        assert closeness(count(encoded(what, [VALUES[what][0]] * 3), [groups])).t == 0
        assert closeness(count(encoded(what, [None] * 3), [groups])).t == 0
    assert closeness(count(encoded("number", [1, 1, None]), [groups])).figure.per_group.tolist() == pytest.approx([1 / 3, 2 / 3])
