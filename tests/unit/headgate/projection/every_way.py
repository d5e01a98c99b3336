"""Every way to divide attributes into tables, from the definition."""

from __future__ import annotations


def every_way(size: int) -> list[tuple[tuple[int, ...], ...]]:
    """All partitions, by putting the last attribute into a table of each smaller partition."""
    if size == 0:
        return [()]
    smaller = every_way(size - 1)
    return [
        tuple(
            sorted(tuple(sorted((*table, size - 1))) if i == place else table for i, table in enumerate((*plan, ())) if table or i == place)
        )
        for plan in smaller
        for place in range(len(plan) + 1)
    ]
