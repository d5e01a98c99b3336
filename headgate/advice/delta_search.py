"""How δ is searched for one (k, ε). Each try groups the whole table, so the search makes few, and none twice. For a large table, a sample
of rows is tried first: (ε, δ) is a property of each group, so a sample reaches about what the table does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from headgate.advice.result import Tried, TriedDelta

Attempt = Callable[[Fraction], Tried]
Scout = Callable[[Fraction], float | None]  # the loss of a sample of rows at that δ; None: not reached

PRICE = 2.0  # times the loss of k alone: the whole table is not tried where it is likely to lose more
BEGIN = Fraction(9, 10)  # where the sample begins if nothing is known; below it little changes
BELOW = (Fraction(1, 10), Fraction(1, 4))  # how far below the largest δ the frontier is tried; there the loss is often a fraction


@dataclass(frozen=True)
class Ahead:
    """What a sample of rows shows before the whole table is tried."""

    largest: Fraction | None  # δ that it reached
    worth: Fraction | None  # the largest δ at which the table is likely to lose no more than PRICE times what it loses at δ = 0


def look_ahead(rungs: Sequence[Fraction], scout: Scout, base: float, near: Fraction | None = None) -> Ahead:
    """`rungs` fall to 0, and the loss is assumed to fall with them. A sample loses more from the start, but what δ adds is about the
    same; `base` is what the table loses at δ = 0."""
    losses: dict[int, float | None] = {}

    def lost(place: int) -> float | None:
        if place not in losses:
            losses[place] = scout(rungs[place])
        return losses[place]

    last = len(rungs) - 1
    least = lost(last)
    if least is None:
        return Ahead(None, None)
    first = first_that(len(rungs), lambda place: lost(place) is not None, _place(rungs, BEGIN if near is None else near))

    def is_worth(place: int) -> bool:
        loss = lost(first + place)
        return loss is not None and base + loss - least <= PRICE * base

    return Ahead(rungs[first], rungs[min(last, first + first_that(len(rungs) - first, is_worth, 0))])


def search(
    rungs: Sequence[Fraction], attempt: Attempt, near: Fraction | None = None, below: Sequence[Fraction] = BELOW
) -> tuple[TriedDelta, ...]:
    """`rungs` fall. To find the largest δ quickly, a lower δ is assumed to be easier, which is not always so: every try is
    reported, and the largest δ reached counts. `near` is where a similar setting ended; the search begins there."""
    outcomes: dict[Fraction, Tried] = {}

    def reached(place: int) -> bool:
        delta = rungs[place]
        if delta not in outcomes:
            outcomes[delta] = attempt(delta)
        return outcomes[delta].reached

    first = first_that(len(rungs), reached, _place(rungs, near))
    if first < len(rungs):
        best = max(delta for delta, tried in outcomes.items() if tried.reached)
        for gap in below:
            lower = next((place for place, delta in enumerate(rungs) if delta <= best - gap), None)
            if lower is not None:
                reached(lower)
    return tuple(TriedDelta(delta, outcomes[delta]) for delta in sorted(outcomes, reverse=True))


def first_that(count: int, holds: Callable[[int], bool], start: int | None = None) -> int:
    """The first of 0 … count−1 that holds, if all later ones hold; `count` if none does. Steps away from `start` double, then halve."""
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
