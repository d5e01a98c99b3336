"""How δ is searched for one (k, ε): each try groups the whole table, so few are made, and none twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from headgate.advice.result import Point, Tried

Attempt = Callable[[Fraction], Tried]

BELOW = (Fraction(1, 10), Fraction(1, 4))  # how far under the largest δ the frontier is looked at: there loss is often a fraction


def search(rungs: Sequence[Fraction], attempt: Attempt, near: Fraction | None = None) -> tuple[Point, ...]:
    """`rungs` fall. Success is taken to fall with δ to find the largest quickly, though it does not always: whatever was tried is
    reported, and the largest that was reached counts. `near`: where a similar setting came out; the search begins there."""
    found: dict[Fraction, Tried] = {}

    def reached(place: int) -> bool:
        delta = rungs[place]
        if delta not in found:
            found[delta] = attempt(delta)
        return found[delta].reached

    first = first_that(len(rungs), reached, _place(rungs, near))
    if first < len(rungs):
        best = max(delta for delta, tried in found.items() if tried.reached)
        for gap in BELOW:
            below = next((place for place, delta in enumerate(rungs) if delta <= best - gap), None)
            if below is not None:
                reached(below)
    return tuple(Point(delta, found[delta]) for delta in sorted(found, reverse=True))


def first_that(count: int, holds: Callable[[int], bool], start: int | None = None) -> int:
    """The first of 0 … count−1 that holds, if all after it do; count if none. Steps away from `start` double, then are halved."""
    low, high = -1, count  # `low` does not hold, `high` does
    place = count // 2 if start is None else min(max(start, 0), count - 1)
    step, up, down = 1, False, False
    while high - low > 1:
        if holds(place):
            high, up = place, True
        else:
            low, down = place, True
        if up and down:
            place = (low + high) // 2
        else:
            place = max(low + 1, high - step) if up else min(high - 1, low + step)
            step *= 2
    return high


def _place(rungs: Sequence[Fraction], near: Fraction | None) -> int | None:
    return None if near is None else next((place for place, delta in enumerate(rungs) if delta <= near), len(rungs) - 1)
