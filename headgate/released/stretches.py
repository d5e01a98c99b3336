"""Sets of points of a line, as stretches whose ends are in or out: what a condition on numbers or days allows.

An end is a pair (x, side): side 0 lies just before x, side 1 just after it. So [a, b] runs from (a, 0) to (b, 1), and a < x from (a, 1).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import cycle, pairwise

End = tuple[float, int]
BEFORE_ALL: End = (-math.inf, 0)
AFTER_ALL: End = (math.inf, 1)


@dataclass(frozen=True)
class Stretches:
    """Disjoint, ascending, none of them empty."""

    parts: tuple[tuple[End, End], ...]

    @classmethod
    def of(cls, parts: Iterable[tuple[End, End]]) -> Stretches:
        merged: list[tuple[End, End]] = []
        for start, end in sorted(part for part in parts if part[0] < part[1]):
            if merged and start <= merged[-1][1]:
                merged[-1] = merged[-1][0], max(end, merged[-1][1])
            else:
                merged.append((start, end))
        return cls(tuple(merged))

    @classmethod
    def closed(cls, low: float, high: float) -> Stretches:
        return cls.of([((low, 0), (high, 1))])

    @classmethod
    def points(cls, numbers: Iterable[float]) -> Stretches:
        return cls.of(((number, 0), (number, 1)) for number in numbers)

    def within(self, other: Stretches) -> Stretches:
        pairs = ((max(a, c), min(b, d)) for a, b in self.parts for c, d in other.parts)
        return Stretches.of(pairs)

    def outside(self) -> Stretches:
        """The rest of the line."""
        ends = [BEFORE_ALL, *(end for part in self.parts for end in part), AFTER_ALL]
        return Stretches.of(pair for pair, inside in zip(pairwise(ends), cycle((False, True)), strict=False) if not inside)

    def holds(self, number: float) -> bool:
        return any(start <= (number, 0) and (number, 1) <= end for start, end in self.parts)


ALL = Stretches(((BEFORE_ALL, AFTER_ALL),))


@dataclass(frozen=True)
class Size:
    """How much of a line lies in some stretches, and the least, the greatest and the mean of it. Nothing: `amount` 0, and no others."""

    amount: float
    low: float
    high: float
    mean: float

    @property
    def empty(self) -> bool:
        return math.isnan(self.low)


NOTHING = Size(0.0, math.nan, math.nan, math.nan)


def whole_numbers(stretches: Stretches) -> Size:
    """Every whole number in bounded stretches counts once."""
    counted = [(first, last) for first, last in map(_whole_ends, stretches.parts) if first <= last]
    if not counted:
        return NOTHING
    many = [last - first + 1 for first, last in counted]
    total = sum((first + last) * count / 2 for (first, last), count in zip(counted, many, strict=True))
    return Size(float(sum(many)), float(counted[0][0]), float(counted[-1][1]), total / sum(many))


def _whole_ends(part: tuple[End, End]) -> tuple[int, int]:
    (low, after), (high, included) = part
    first = math.floor(low) + 1 if after else math.ceil(low)
    last = math.floor(high) if included else math.ceil(high) - 1
    return first, last


def lengths(stretches: Stretches) -> Size:
    """The length of bounded stretches; where all are single points, the points count alike, and the length is 0."""
    if not stretches.parts:
        return NOTHING
    spans = [(start[0], end[0]) for start, end in stretches.parts]
    length = sum(high - low for low, high in spans)
    weighed = [((low + high) / 2, high - low if length > 0 else 1.0) for low, high in spans]
    mean = sum(middle * weight for middle, weight in weighed) / sum(weight for _, weight in weighed)
    return Size(length, spans[0][0], spans[-1][1], mean)
