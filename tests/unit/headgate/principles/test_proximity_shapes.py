"""Cliques, chains and cycles of ε-neighbours: brute force over sets and sequences of rows, and graphs whose shapes are known."""

from __future__ import annotations

from itertools import combinations
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
from headgate.counting import shape_search
from headgate.counting.clique_search import largest_clique
from headgate.counting.path_search import longest_chain, longest_cycle
from headgate.principles.dissimilarity import dissimilarity
from headgate.principles.proximity_shapes import ProximityShapes, proximity_shapes

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


def longest(near: list[set[int]], wanted: set[int], closed: bool) -> int:
    """Every simple path from every row, by going on wherever one can."""
    best = 0

    def walk(path: list[int]) -> None:
        nonlocal best
        if wanted & set(path) and (not closed or (len(path) > 2 and path[0] in near[path[-1]])):
            best = max(best, len(path))
        for row in near[path[-1]] - set(path):
            walk([*path, row])

    for row in range(len(near)):
        walk([row])
    return best


def by_definition(near: list[set[int]], wanted: set[int]) -> tuple[int, int, int]:
    rows = range(len(near))
    cliques = [
        size
        for size in range(1, len(near) + 1)
        for one in combinations(rows, size)
        if wanted & set(one) and all(u in near[v] for u, v in combinations(one, 2))
    ]
    return max(cliques, default=0), longest(near, wanted, False), longest(near, wanted, True)


def rows_of(found: ProximityShapes) -> list[tuple[int, ...]]:
    return list(zip(found.clique.rows[0].tolist(), found.chain.rows[0].tolist(), found.cycle.rows[0].tolist(), strict=True))


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


def graph(size: int, edges: set[tuple[int, int]]) -> np.ndarray:
    near = np.zeros((size, size), dtype=bool)
    for u, v in edges:
        near[u, v] = near[v, u] = True
    return near


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 5), st.data())
def test_searches_in_small_graphs_are_exact(size: int, drawn: st.DataObject) -> None:
    pairs = list(combinations(range(size), 2))
    edges = set(drawn.draw(st.lists(st.sampled_from(pairs), unique=True))) if pairs else set()
    weights = np.array(drawn.draw(st.lists(st.integers(1, 2), min_size=size, max_size=size)))
    wanted = np.array(drawn.draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    if not wanted.any():
        wanted[0] = True
    near = graph(size, edges)
    value = np.repeat(np.arange(size), weights)
    reached, front = {0}, [0]
    while front:
        front = list(set(np.flatnonzero(near[front].any(axis=0)).tolist()) - reached)
        reached |= set(front)
    rows = [{j for j in range(len(value)) if j != i and (value[i] == value[j] or near[value[i], value[j]])} for i in range(len(value))]
    clique, chain, cycle = by_definition(rows, {i for i in range(len(value)) if wanted[value[i]]})
    assert largest_clique(near, weights, wanted) == (clique, True)
    assert longest_cycle(near, weights, wanted) == (cycle, True)
    if len(reached) == size:  # a component, which is all that the chain is asked of
        assert longest_chain(near, weights, wanted) == (chain, True)


def test_only_shapes_with_a_wanted_row_are_found() -> None:
    """A chain of five with one more row at its middle: with that, it has four rows. A ring of four and a triangle that share a row: with
    the triangle's tip, three. A row between two triangles is on no cycle, though both its neighbours are."""
    rows = np.ones(7, dtype=np.int64)
    last = np.arange(7)
    chain = graph(6, {(0, 1), (1, 2), (2, 3), (3, 4), (2, 5)})
    assert longest_chain(chain, rows[:6], last[:6] == 5) == (4, True)
    assert longest_chain(chain, rows[:6], last[:6] == 4) == (5, True)
    rings = graph(6, {(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (4, 5), (5, 0)})
    assert longest_cycle(rings, rows[:6], last[:6] == 5) == (3, True)
    assert longest_cycle(rings, rows[:6], last[:6] == 2) == (4, True)
    between = graph(7, {(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (2, 6), (6, 3)})
    assert longest_cycle(between, rows, last == 6) == (0, True)


def test_the_clique_of_a_large_graph_of_parts_is_one_value_of_each() -> None:
    """60 values in parts of three that are not near each other: beyond the exact search, but the colouring's bound is reached."""
    part = np.arange(60) // 3
    near = part[:, None] != part[None, :]
    weights = 1 + np.arange(60) % 3
    assert largest_clique(near, weights, np.ones(60, dtype=bool)) == (20 * 3, True)


def test_a_clique_that_is_not_found_is_a_bound_and_says_so() -> None:
    """30 rings of five values, each near all values of the others: two of a ring at most, but three colours are needed."""
    ring, place = np.arange(150) // 5, np.arange(150) % 5
    step = (place[:, None] - place[None, :]) % 5
    near = (ring[:, None] != ring[None, :]) | (step == 1) | (step == 4)
    rows, exact = largest_clique(near, np.ones(150, dtype=np.int64), np.ones(150, dtype=bool))
    assert 60 <= rows <= 90
    assert not exact
    few = near[:40, :40]
    assert largest_clique(few, np.ones(40, dtype=np.int64), np.ones(40, dtype=bool)) == (16, True)


def test_a_star_of_many_rows_has_a_short_chain_that_is_only_bounded() -> None:
    """A centre and 20 leaves: the longest chain is leaf, centre, leaf, and there is no cycle; up to 16 rows that is found."""
    for leaves, wanted in ((15, (3, True)), (20, (21, False))):
        near = graph(leaves + 1, {(0, i) for i in range(1, leaves + 1)})
        rows, everyone = np.ones(leaves + 1, dtype=np.int64), np.ones(leaves + 1, dtype=bool)
        assert longest_chain(near, rows, everyone) == wanted
        assert longest_cycle(near, rows, everyone) == (0, True)
        assert largest_clique(near, rows, everyone) == (2, True)


def test_a_ring_of_many_rows_is_a_bound_for_its_cycle() -> None:
    """16 rows in a ring are searched, and so are the parts of 40 in ten rings; 20 in one are bounded, and a row outside does not count."""
    for size, exact in ((16, True), (20, False)):
        ring = graph(size + 1, {(i, (i + 1) % size) for i in range(size)} | {(0, size)})
        rows = np.ones(size + 1, dtype=np.int64)
        assert longest_cycle(ring, rows, rows > 0) == (size, exact)
    rings = graph(40, {(i, i // 4 * 4 + (i + 1) % 4) for i in range(40)})
    rows = np.ones(40, dtype=np.int64)
    assert longest_cycle(rings, rows, rows > 0) == (4, True)


def test_a_bound_stands_beside_exact_groups_and_is_never_called_exact() -> None:
    """21 categories near one centre, and a pair: the pair's chain of two is exact, the star's of 21 is a bound."""
    cells = [f"leaf {i}" for i in range(20)] + ["centre"] + ["x", "x"]
    column = encode_column(pd.Series(cells), ColumnSpec("v", Kind.CATEGORY, Role.SENSITIVE))
    distance = Distance(function=lambda u, v: 0.0 if u == v else 0.1 if "centre" in (u, v) else 1.0)
    reading = np.array([0] * 21 + [1] * 2, dtype=np.int32)
    found = proximity_shapes([column], [reading], distance, "0.1")
    assert found.chain.rows[0].tolist() == [21, 2]
    assert found.chain.exact_groups[0].tolist() == [False, True]
    assert found.chain.exact  # the pair reaches 1 as well
    alone = proximity_shapes([column.take(np.arange(21))], [reading[:21]], distance, "0.1")
    assert not alone.chain.exact
    assert alone.clique.exact


def test_many_near_rows_have_a_chain_and_a_cycle_through_all_of_them() -> None:
    """By the degrees alone, without a search: 30 rows of which each is near all but one other."""
    near = ~np.eye(30, dtype=bool)
    near[np.arange(30), np.arange(30) ^ 1] = False
    rows = np.ones(30, dtype=np.int64)
    assert longest_chain(near, rows, rows > 0) == (30, True)
    assert longest_cycle(near, rows, rows > 0) == (30, True)


def long_line(size: int) -> ProximityShapes:
    """Numbers in even steps beside a constant: a composite, in which each is near the next ones only."""
    first = encode_column(pd.Series(np.arange(size)), ColumnSpec("v", Kind.NUMBER, Role.SENSITIVE, domain=(0, size)))
    second = encode_column(pd.Series(["a"] * size), ColumnSpec("w", Kind.CATEGORY, Role.SENSITIVE))
    return proximity_shapes([first, second], [np.zeros(size, dtype=np.int32)], Distance(), str(0.5 / size))


def test_a_component_too_large_to_keep_its_pairs_is_bounded_by_the_star_and_itself() -> None:
    size = shape_search.LARGEST_COMPONENT + 2
    found = long_line(size)
    assert rows_of(found) == [(3, size, size)]
    assert not any(shape.exact for shape in (found.clique, found.chain, found.cycle))


def test_a_group_too_large_to_be_compared_is_its_own_bound() -> None:
    size = shape_search.LARGEST_COMPARED + 1
    found = long_line(size)
    assert rows_of(found) == [(size, size, size)]
    assert not any(shape.exact for shape in (found.clique, found.chain, found.cycle))
    assert not found.clique.figure.short_of("0.99").met


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
