"""(n, t)-closeness: by hand, and every superset's distance as a transport problem solved by a linear program."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from headgate.core.columns import Column, Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy
from headgate.counting.class_counts import count
from headgate.principles.closeness import closeness
from headgate.principles.n_t_closeness import n_t_closeness

TREE = [["a1", "a", "A", "*"], ["a2", "a", "A", "*"], ["b1", "b", "A", "*"], ["c1", "c", "C", "*"]]
LEVELS = ("l1", "l2", "l3", "l4", "l5")
VALUES: dict[str, list[Any]] = {
    "number": [-3.5, 0, 1, 2, 10],
    "ordinal": ["l1", "l2", "l4", "l5"],
    "category": ["x", "y", "z"],
    "tree": [row[0] for row in TREE],
}


def encoded(what: str, cells: list[Any], harmless: frozenset[str | None] = frozenset()) -> Column:
    levels = LEVELS if what == "ordinal" else ()
    hierarchy = Hierarchy.from_rows(TREE, "v") if what == "tree" else None
    kind = Kind.CATEGORY if what == "tree" else Kind(what)
    spec = ColumnSpec("v", kind, Role.SENSITIVE, levels=levels, hierarchy=hierarchy, nonsensitive=harmless)
    return encode_column(pd.Series(cells, dtype=object), spec)


def transport(what: str, one: list[Any], other: list[Any], table: list[Any]) -> float:
    """Least cost, with the ground distance of the whole table."""
    line = (
        list(LEVELS) if what == "ordinal" else sorted({cell for cell in table if cell is not None}, key=str if what != "number" else None)
    )
    depth = {row[0]: row for row in TREE}

    def ground(u: Any, v: Any) -> float:
        if u == v:
            return 0.0
        if u is None or v is None or what == "category":
            return 1.0
        if what == "tree":
            return min(level for level in range(4) if depth[u][level] == depth[v][level]) / 3
        return abs(line.index(u) - line.index(v)) / (len(line) - 1)

    points = sorted(set(one) | set(other), key=repr)
    size = len(points)
    rows = np.zeros((2 * size, size * size))
    for i in range(size):
        rows[i, i * size : (i + 1) * size] = 1
        rows[size + i, i::size] = 1
    shares = [side.count(v) / len(side) for side in (one, other) for v in points]
    return float(linprog([ground(u, v) for u in points for v in points], A_eq=rows, b_eq=shares, method="highs").fun)


@pytest.mark.parametrize("what", list(VALUES))
@settings(max_examples=30, deadline=None)
@given(drawn=st.data())
def test_the_figure_is_the_least_distance_to_a_superset_of_n_rows(what: str, drawn: st.DataObject) -> None:
    table = drawn.draw(st.lists(st.tuples(st.integers(0, 4), st.sampled_from([*VALUES[what], None])), min_size=1, max_size=20))
    maps = drawn.draw(st.lists(st.lists(st.integers(0, 3), min_size=5, max_size=5), max_size=2))
    n = drawn.draw(st.integers(1, 22))
    cells = [cell for _, cell in table]
    numbers = [number for number, _ in table]
    reading = np.unique(numbers, return_inverse=True)[1].astype(np.int32)
    coarser = [np.array([one[number] for number in numbers], dtype=np.int32) for one in maps]  # with gaps in the numbers
    found = n_t_closeness(count(encoded(what, cells), [reading]), [reading], coarser, n).t
    for group, number in enumerate(sorted(set(numbers))):
        inside = [cell for one, cell in table if one == number]
        supersets = [inside, cells] + [[cell for one, cell in table if blocks[one] == blocks[number]] for blocks in maps]
        wanted = min((transport(what, inside, one, cells) for one in supersets if len(one) >= n), default=math.inf)
        assert found.per_group[group] == pytest.approx(wanted, abs=1e-9)


def test_two_small_classes_of_like_values_hide_in_their_union_and_a_large_one_in_itself() -> None:
    """{c, f} and {c, f} make four rows of the same shares; {c, f×9} has ten rows. Against the table, 3 of 14 c: 1/2 − 3/14."""
    cells = ["c", "f", "c", "f", "c"] + ["f"] * 9
    reading = np.array([0, 0, 1, 1] + [2] * 10, dtype=np.int32)
    union = np.array([0] * 4 + [1] * 10, dtype=np.int32)
    counted = count(encoded("category", cells), [reading])
    assert n_t_closeness(counted, [reading], [union], 4).t.value == 0
    assert n_t_closeness(counted, [reading], [], 4).t.per_group.tolist() == pytest.approx([2 / 7, 2 / 7, 0])
    larger = n_t_closeness(counted, [reading], [union], 5)
    assert larger.t.per_group.tolist() == pytest.approx([2 / 7, 2 / 7, 0])
    assert larger.t.short_of("0.2").groups.tolist() == [0, 1]
    assert larger.t.short_of("0.2").people == 4
    assert n_t_closeness(counted, [reading], [union], 15).t.value == math.inf


def test_numbers_keep_the_line_of_the_whole_table_within_a_small_superset() -> None:
    """0 and 1 are one of nine steps apart in the table, though they are all that the superset of the first two classes holds."""
    cells = [0, 1, *range(2, 10)]
    reading = np.array([0, 1] + [2] * 8, dtype=np.int32)
    union = np.array([0, 0] + [1] * 8, dtype=np.int32)
    found = n_t_closeness(count(encoded("number", cells), [reading]), [reading], [union], 2).t
    assert found.per_group.tolist() == pytest.approx([1 / 18, 1 / 18, 0])


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["x", "y", None])), min_size=1, max_size=20), st.integers(0, 100))
def test_n_of_the_whole_table_is_t_closeness_and_a_smaller_n_asks_for_less(rows: list[tuple[int, Any]], seed: int) -> None:
    reading = np.unique([group for group, _ in rows], return_inverse=True)[1].astype(np.int32)
    column = encoded("category", [cell for _, cell in rows])
    counted = count(column, [reading])
    assert n_t_closeness(counted, [reading], [], len(rows)).t.per_group.tolist() == pytest.approx(
        closeness(counted).figure.per_group.tolist()
    )
    coarser = [(reading // 2).astype(np.int32)]
    values = [n_t_closeness(counted, [reading], coarser, n).t.value for n in range(1, len(rows) + 1)]
    assert values == sorted(values)
    order = np.random.default_rng(seed).permutation(len(rows))
    mixed = n_t_closeness(count(column.take(order), [reading[order]]), [reading[order]], [coarser[0][order]], 3)
    assert mixed.t.per_group.tolist() == n_t_closeness(counted, [reading], coarser, 3).t.per_group.tolist()


def test_a_class_without_sensitive_values_has_nothing_to_protect() -> None:
    reading = np.array([0, 0, 1], dtype=np.int32)
    found = n_t_closeness(count(encoded("category", ["x", "x", "y"], frozenset({"y"})), [reading]), [reading], [], 3)
    assert found.t.per_group.tolist() == pytest.approx([1 / 3, 0])
    assert found.t_all.per_group.tolist() == pytest.approx([1 / 3, 2 / 3])


def test_the_worse_reading_counts() -> None:
    one, two = np.zeros(2, dtype=np.int32), np.array([0, 1], dtype=np.int32)
    assert n_t_closeness(count(encoded("category", ["x", "y"]), [one, two]), [one, two], [], 2).t.value == 0.5


def test_partitions_that_are_no_supersets_are_refused() -> None:
    reading = np.array([0, 0, 1], dtype=np.int32)
    counted = count(encoded("category", ["x", "x", "y"]), [reading])
    for blocks in ([0, 1, 1], [0, 0], [-1, -1, 0]):
        with pytest.raises(InputRejected):
            n_t_closeness(counted, [reading], [np.array(blocks, dtype=np.int32)], 2)
    for n in (0, "1.5", -3, "nan"):
        with pytest.raises(InputRejected):
            n_t_closeness(counted, [reading], [], n)
