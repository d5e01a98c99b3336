"""Cliques, chains and cycles of ε-neighbours: brute force over sets and sequences of rows, and graphs whose shapes are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Column, Kind, Role
from headgate.core.distance import Distance
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy
from headgate.principles.dissimilarity import dissimilarity
from headgate.principles.proximity_shapes import proximity_shapes
from tests.unit.headgate.counting.neighbour_graphs import by_definition, rows_of

TREE = [["a", "A", "*"], ["b", "A", "*"], ["c", "C", "*"], ["none", "C", "*"]]


SPECS = {
    "number": ColumnSpec("number", Kind.NUMBER, Role.SENSITIVE, domain=(0, 1), weight=2, nonsensitive=frozenset({"0", "0.2", "0.5"})),
    "category": ColumnSpec("category", Kind.CATEGORY, Role.SENSITIVE, nonsensitive=frozenset({"none"})),
    "tree": ColumnSpec(
        "tree", Kind.CATEGORY, Role.SENSITIVE, hierarchy=Hierarchy.from_rows(TREE, "tree"), nonsensitive=frozenset({"none"})
    ),
}


ORDER = list(SPECS)


HARMLESS = {0.0, 0.2, 0.5, "none"}


LETTERS = st.sampled_from([None, "a", "b", "c", "none"])


NUMBERS = st.sampled_from([None, 0.0, 0.1, 0.15, 0.2, 0.3, 0.45, 0.5, 0.8, 1.0])


ROWS = st.lists(st.tuples(NUMBERS, LETTERS, LETTERS), min_size=1, max_size=7)


EPSILON = st.sampled_from(["0", "0.1", "0.15", "0.3", "0.5", "1"])


def columns_of(rows: list[tuple[Any, ...]], which: list[str]) -> list[Column]:
    return [encode_column(pd.Series([row[ORDER.index(name)] for row in rows], dtype=object), SPECS[name]) for name in which]


def apart(one: Any, other: Any, name: str) -> float:
    if one is None or other is None or one == other:
        return 0.0 if one is other or one == other else 1.0
    if name == "number":
        return abs(one - other)
    if name == "tree":
        return 0.5 if {one, other} in ({"a", "b"}, {"c", "none"}) else 1.0
    return 1.0


@pytest.mark.slow
@pytest.mark.parametrize("combine", ["lp", "min"])
@pytest.mark.parametrize("which", [["number"], ["category"], ["tree"], ["number", "category"], ["number", "category", "tree"]])
@settings(max_examples=30, deadline=None)
@given(groups=st.lists(ROWS, min_size=1, max_size=2), epsilon=EPSILON)
def test_the_shapes_are_those_of_the_definitions(combine: str, which: list[str], groups: list[list[tuple[Any, ...]]], epsilon: str) -> None:
    weights = np.array([SPECS[name].weight for name in which])

    def neighbours(u: tuple[Any, ...], v: tuple[Any, ...]) -> bool:
        parts = np.array([apart(u[ORDER.index(name)], v[ORDER.index(name)], name) for name in which])
        far = float(parts.min()) if combine == "min" else float(weights @ parts / weights.sum())
        return far <= float(epsilon) + 1e-9

    rows = [row for one in groups for row in one]
    reading = np.repeat(np.arange(len(groups)), [len(one) for one in groups]).astype(np.int32)
    distance = Distance(combine="min" if combine == "min" else "lp")
    found = proximity_shapes(columns_of(rows, which), [reading], distance, epsilon)
    wanted = []
    for one in groups:
        near = [{v for v in range(len(one)) if v != u and neighbours(one[u], one[v])} for u in range(len(one))]
        centres = {u for u in range(len(one)) if not {one[u][ORDER.index(name)] for name in which} <= HARMLESS}
        wanted.append(by_definition(near, centres))
    assert rows_of(found) == wanted
    assert found.clique.exact
    assert found.chain.exact
    assert found.cycle.exact
    for place, shape in enumerate((found.clique, found.chain, found.cycle)):
        shares = [1.0 if len(one) == 1 else max(rows[place] - 1, 0) / (len(one) - 1) for one, rows in zip(groups, wanted, strict=True)]
        assert shape.figure.per_group.tolist() == pytest.approx(shares)
        assert shape.figure.value == pytest.approx(max(shares))


@settings(max_examples=60, deadline=None)
@given(st.lists(NUMBERS, min_size=1, max_size=16), EPSILON)
def test_a_line_has_the_shapes_that_the_search_over_any_distances_finds(cells: list[Any], epsilon: str) -> None:
    """Two programs that share nothing: runs on a line, and the search in the graph of a callable's neighbours."""
    columns = columns_of([(cell,) for cell in cells], ["number"])
    reading = np.zeros(len(cells), dtype=np.int32)
    line = proximity_shapes(columns, [reading], Distance(), epsilon)
    called = proximity_shapes(columns, [reading], Distance(function=lambda u, v: apart(u, v, "number")), epsilon)
    assert rows_of(line) == rows_of(called)


@settings(max_examples=40, deadline=None)
@given(ROWS, EPSILON, st.integers(0, 100))
def test_a_clique_is_no_larger_than_the_star_and_no_shape_than_the_chain(rows: list[tuple[Any, ...]], epsilon: str, seed: int) -> None:
    columns, reading = columns_of(rows, ["number", "category"]), np.zeros(len(rows), dtype=np.int32)
    found = proximity_shapes(columns, [reading], Distance(), epsilon)
    star = dissimilarity(columns, [reading], Distance(), epsilon)
    assert found.clique.figure.value <= star.risk + 1e-12
    assert found.clique.figure.value <= found.chain.figure.value
    assert found.cycle.figure.value <= found.chain.figure.value
    order = np.random.default_rng(seed).permutation(len(rows))
    assert rows_of(proximity_shapes([column.take(order) for column in columns], [reading], Distance(), epsilon)) == rows_of(found)
    twice = proximity_shapes([column.take(np.repeat(order, 2)) for column in columns], [np.repeat(reading, 2)], Distance(), epsilon)
    assert twice.clique.rows[0].tolist() == [2 * found.clique.rows[0][0]]
    assert twice.chain.rows[0][0] >= 2 * found.chain.rows[0][0]


def line(cells: list[float], epsilon: str) -> tuple[int, ...]:
    column = encode_column(pd.Series(cells), ColumnSpec("v", Kind.NUMBER, Role.SENSITIVE, domain=(0, 10)))
    return rows_of(proximity_shapes([column], [np.zeros(len(cells), dtype=np.int32)], Distance(), epsilon))[0]


def test_five_numbers_one_step_apart_are_a_chain_but_pairs_only_are_cliques() -> None:
    """With a reach of one step nothing closes; of two steps 0-2-4-3-1-0 does, and any three in a row are near each other."""
    assert line([0, 1, 2, 3, 4], "0.1") == (2, 5, 0)
    assert line([0, 1, 2, 3, 4], "0.2") == (3, 5, 5)


def test_two_triangles_that_share_one_row_make_no_cycle_of_five() -> None:
    """0, 0, 1, 2, 2 at one step: row 1 would be passed twice. With a second row at 1 the cycle closes."""
    assert line([0, 0, 1, 2, 2], "0.1") == (3, 5, 3)
    assert line([0, 0, 1, 1, 2, 2], "0.1") == (4, 6, 6)


def test_a_rounding_error_parts_no_neighbours() -> None:
    column = encode_column(pd.Series([0.7, 0.8, 0.9]), ColumnSpec("v", Kind.NUMBER, Role.SENSITIVE, domain=(0, 1)))
    found = proximity_shapes([column], [np.zeros(3, dtype=np.int32)], Distance(), "0.1")
    assert rows_of(found) == [(2, 3, 0)]


def test_a_lone_row_has_all_shapes_and_harmless_rows_have_none() -> None:
    column = encode_column(pd.Series(["none", "a", "none", "none", "none"]), SPECS["category"])
    reading = np.array([0, 1, 2, 2, 2], dtype=np.int32)
    found = proximity_shapes([column], [reading], Distance(), 0)
    for shape in (found.clique, found.chain, found.cycle):
        assert shape.figure.per_group.tolist() == [1, 1, 0]


def test_a_cycle_holds_the_sensitive_row_at_which_it_is_cut_off() -> None:
    """0, 1, 2, 2 at one step: 1-2-2 is the only cycle, and 1 its only sensitive row."""
    spec = ColumnSpec("v", Kind.NUMBER, Role.SENSITIVE, domain=(0, 10), nonsensitive=frozenset({"0", "2"}))
    column = encode_column(pd.Series([0, 1, 2, 2]), spec)
    assert rows_of(proximity_shapes([column], [np.zeros(4, dtype=np.int32)], Distance(), "0.1")) == [(3, 4, 3)]


def test_groups_over_a_required_share_are_named_in_the_worse_reading() -> None:
    """One pair of four rows each; put together, {0, 0, 1, 1} is four of eight."""
    cells = [0, 1, 5, 10, 0, 1, 6, 9]
    column = encode_column(pd.Series(cells), ColumnSpec("v", Kind.NUMBER, Role.SENSITIVE, domain=(0, 10)))
    groups, whole = np.repeat([0, 1], 4).astype(np.int32), np.zeros(8, dtype=np.int32)
    found = proximity_shapes([column], [groups], Distance(), "0.1")
    assert found.clique.figure.per_group.tolist() == pytest.approx([1 / 3, 1 / 3])
    assert found.clique.figure.short_of("0.4").met
    short = found.clique.figure.short_of("0.3")
    assert (short.groups.tolist(), short.people) == ([0, 1], 8)
    both = proximity_shapes([column], [groups, whole], Distance(), "0.1")
    assert both.clique.figure.value == both.chain.figure.value == both.cycle.figure.value == pytest.approx(3 / 7)
    assert both.clique.figure.short_of("0.4").by_values


@pytest.mark.parametrize("epsilon", [-1, "nan", "inf", "x"])
def test_impossible_settings_are_refused(epsilon: Any) -> None:
    column = encode_column(pd.Series(["a"]), SPECS["category"])
    with pytest.raises(InputRejected):
        proximity_shapes([column], [np.zeros(1, dtype=np.int32)], Distance(), epsilon)


def test_nothing_to_measure_is_refused() -> None:
    column = encode_column(pd.Series(["a"]), SPECS["category"])
    with pytest.raises(InputRejected, match="sensitive attribute"):
        proximity_shapes([], [np.zeros(1, dtype=np.int32)], Distance(), 0)
    with pytest.raises(InputRejected, match="no classes"):
        proximity_shapes([column], [], Distance(), 0)
