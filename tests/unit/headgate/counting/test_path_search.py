"""The longest chain and cycle, or a bound; with the cliques of the same small graphs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.counting.clique_search import largest_clique
from headgate.counting.path_search import longest_chain, longest_cycle
from tests.unit.headgate.counting.neighbour_graphs import by_definition


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
