"""The risk–utility frontier: the settings that no other setting beats on both."""

from __future__ import annotations

from collections.abc import Sequence


def frontier(points: Sequence[tuple[float, float]]) -> tuple[int, ...]:
    """Places of the points (risk, loss) to which no other is at most equal in both and smaller in one; of equal ones the first. By rising
    risk, so by falling loss."""
    order = sorted(range(len(points)), key=lambda place: (points[place], place))
    kept: list[int] = []
    for place in order:
        if not kept or points[place][1] < points[kept[-1]][1]:
            kept.append(place)
    return tuple(kept)
