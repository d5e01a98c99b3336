"""Graphs of neighbours, and their shapes by definition."""

from __future__ import annotations

from itertools import combinations

from headgate.principles.proximity_shapes import ProximityShapes


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
