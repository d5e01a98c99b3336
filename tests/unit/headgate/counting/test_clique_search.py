"""The largest clique, or a bound."""

from __future__ import annotations

import numpy as np

from headgate.counting.clique_search import largest_clique


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
