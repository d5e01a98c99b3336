"""Shapes of whole groups, and where they are only bounded."""

from __future__ import annotations

import numpy as np
import pandas as pd

from headgate.core.columns import Kind, Role
from headgate.core.distance import Distance
from headgate.core.encode import ColumnSpec, encode_column
from headgate.counting import shape_search
from headgate.counting.path_search import longest_chain, longest_cycle
from headgate.principles.proximity_shapes import ProximityShapes, proximity_shapes
from tests.unit.headgate.counting.neighbour_graphs import rows_of


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


def test_a_group_too_large_to_be_compared_is_bounded_by_the_star_and_itself() -> None:
    """Its clique was said to be the whole group, so that a requirement was refused which even the star meets."""
    size = shape_search.LARGEST_COMPARED + 1
    found = long_line(size)
    assert rows_of(found) == [(3, size, size)]
    assert not any(shape.exact for shape in (found.clique, found.chain, found.cycle))
    assert found.clique.figure.short_of("0.5").met
    assert not found.chain.figure.short_of("0.99").met
