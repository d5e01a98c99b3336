"""The largest clique, longest chain and longest cycle in the graph of ε-neighbours of a group: the searches behind `proximity_shapes`.

A group is searched component by component, on its distinct values; a value weighs as many rows as have it. If a search is not exact, it
returns an upper bound: every function returns the number of rows, which is never too small, and whether it is exact.

The searches themselves are `clique_search` and `path_search`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import inner, loop, making
from headgate.core.distance import DistanceLayout, pair_distance
from headgate.counting.clique_search import largest_clique
from headgate.counting.path_search import longest_chain, longest_cycle

LARGEST_COMPARED = 20_000  # distinct values of a group: 2·10^8 pairs, some seconds; a larger one is a bound for its own shapes
LARGEST_COMPONENT = 4_096  # distinct values; a larger one's pairs are not kept, and its bounds are the star and the component


@loop
def shapes_in_groups(
    layout: DistanceLayout,
    values: NDArray[np.int32],
    starts: NDArray[np.int64],
    counts: NDArray[np.int64],
    flags: NDArray[np.bool_],
    reach: float,
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The rows of the largest clique, chain and cycle that contain a flagged value (3 × groups; 0 if there is none), and which of them
    are exact."""
    groups = len(starts) - 1
    rows, exact = np.zeros((3, groups), np.int64), np.ones((3, groups), np.bool_)
    for group in range(groups):
        start, size = starts[group], starts[group + 1] - starts[group]
        if size > LARGEST_COMPARED:
            if flags[start : start + size].any():
                rows[:, group], exact[:, group] = counts[start : start + size].sum(), False
            continue
        component, star = _components(layout, values, counts, start, size, reach)
        sure = np.zeros(3, np.int64)
        for root in range(size):
            if component[root] != root:
                continue
            members = np.flatnonzero(component == root)
            weights, wanted = counts[start + members], flags[start + members]
            if not wanted.any():
                continue
            if len(members) > LARGEST_COMPONENT:
                total = weights.sum()
                rows[0, group] = max(rows[0, group], star[members][wanted].max())
                rows[1, group], rows[2, group] = max(rows[1, group], total), max(rows[2, group], total)
                continue
            near = _neighbour_matrix(layout, values, start + members, reach)
            for shape in range(3):
                if shape == 0:
                    largest, is_exact = largest_clique(near, weights, wanted)
                elif shape == 1:
                    largest, is_exact = longest_chain(near, weights, wanted)
                else:
                    largest, is_exact = longest_cycle(near, weights, wanted)
                rows[shape, group] = max(rows[shape, group], largest)
                if is_exact:
                    sure[shape] = max(sure[shape], largest)
        for shape in range(3):
            exact[shape, group] = sure[shape] == rows[shape, group]
    return rows, exact


@making
def _components(
    layout: DistanceLayout, values: NDArray[np.int32], counts: NDArray[np.int64], start: int, size: int, reach: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each value of a group, the first value of its component, and the number of rows within reach of it, its own included."""
    parent, star = np.arange(size), counts[start : start + size].copy()
    for i in range(size):
        for j in range(i + 1, size):
            if pair_distance(layout, values[start + i], values[start + j]) <= reach:
                star[i] += counts[start + j]
                star[j] += counts[start + i]
                a, b = _root(parent, i), _root(parent, j)
                parent[max(a, b)] = min(a, b)
    for i in range(size):
        parent[i] = parent[parent[i]]  # a parent comes first, and has its root already
    return parent, star


@inner
def _root(parent: NDArray[np.int64], i: int) -> int:
    """The first value of the component so far. The path to it is halved on the way."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@making
def _neighbour_matrix(layout: DistanceLayout, values: NDArray[np.int32], places: NDArray[np.int64], reach: float) -> NDArray[np.bool_]:
    near = np.zeros((len(places), len(places)), np.bool_)
    for i in range(len(places)):
        for j in range(i):
            near[i, j] = near[j, i] = pair_distance(layout, values[places[i]], values[places[j]]) <= reach
    return near
