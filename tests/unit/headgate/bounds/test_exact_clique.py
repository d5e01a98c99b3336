"""The heaviest clique, against all sets of values."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.bounds.exact_clique import heaviest_clique
from headgate.core.distance import LINE, DistanceLayout

PLENTY = 10**6


def plane(points: list[tuple[int, int]]) -> tuple[DistanceLayout, np.ndarray]:
    """Two lines of 0 … 9, of which the distance takes the mean."""
    line = np.arange(10) / 10
    layout = DistanceLayout(np.array([LINE] * 2), np.array([0, 10]), np.array([10, 10]), np.tile(line, 2), np.array([0.5, 0.5]), 1.0, False)
    return layout, np.array(points, dtype=np.int32)


def near(one: tuple[int, int], other: tuple[int, int], tenths: int) -> bool:
    return abs(one[0] - other[0]) + abs(one[1] - other[1]) <= 2 * tenths


def heaviest(points: list[tuple[int, int]], weight: list[int], tenths: int) -> int:
    places = range(len(points))
    sets = chain.from_iterable(combinations(places, size) for size in range(1, len(points) + 1))
    return max(sum(weight[i] for i in some) for some in sets if all(near(points[i], points[j], tenths) for i, j in combinations(some, 2)))


point = st.tuples(st.integers(0, 9), st.integers(0, 9))
weighted = st.lists(st.tuples(point, st.integers(1, 9)), min_size=1, max_size=9, unique_by=lambda pair: pair[0])


@settings(max_examples=80, deadline=None)
@given(weighted, st.integers(0, 6))
def test_no_clique_is_heavier(drawn: list[tuple[tuple[int, int], int]], tenths: int) -> None:
    points, weight = [point for point, _ in drawn], [w for _, w in drawn]
    layout, codes = plane(points)
    chosen = heaviest_clique(layout, codes, np.array(weight), tenths / 10 + 1e-9, 0, np.array([PLENTY]))
    assert sum(weight[i] for i in chosen) == heaviest(points, weight, tenths)
    assert all(near(points[i], points[j], tenths) for i, j in combinations(chosen.tolist(), 2))


def test_a_clique_that_does_not_outweigh_the_least_is_not_given_and_neither_is_one_beyond_the_steps() -> None:
    layout, codes = plane([(0, 0), (1, 0), (9, 9)])
    weight = np.array([2, 3, 4])
    assert sorted(heaviest_clique(layout, codes, weight, 0.1, 4, np.array([PLENTY]))) == [0, 1]
    assert len(heaviest_clique(layout, codes, weight, 0.1, 5, np.array([PLENTY]))) == 0
    assert len(heaviest_clique(layout, codes, weight, 0.1, 0, np.array([0]))) == 0
