"""How many similar rows fit into groups (DEFINITIONS §4): a group of s rows has room for f(s) of them, all groups of n rows for cap(n).

A centre is a row that a limit protects. A group with a centre may hold at most f(s) rows similar to it, so it needs at least s − f(s) other
rows. A set of mutually similar centres is therefore spread over groups whose f(s) add up to its size, and these groups need enough other
rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import loop
from headgate.core.tolerance import floors

EXACT_ROWS = 2_000  # up to here all ways to divide n are looked at


@dataclass(frozen=True, eq=False)
class Capacity:
    """The room in groups of at least k of n rows, for one limit. `most` is cap(n). `least` is the number of dissimilar rows that any group
    with a centre needs. `fullest` holds the f and s of the group size with the largest f(s)/s.

    For few rows the room is exact: `by_outside[d]` centres fit beside d dissimilar rows, and `by_rows[n]` is cap(n). For more rows it is an
    upper bound. `line` holds δ and the number of distinguishable classes, if that number is small."""

    rows: int
    k: int
    most: int
    least: int
    fullest: tuple[int, int]
    by_outside: NDArray[np.int64] | None
    by_rows: NDArray[np.int64] | None
    line: tuple[Fraction, int] | None = None

    def beside(self, outside: NDArray[np.int64]) -> NDArray[np.int64]:
        """The largest number of mutually similar centres that can be grouped if this many rows are dissimilar to them."""
        f, s = self.fullest
        if self.by_outside is not None:
            capacity = self.by_outside[np.minimum(outside, self.rows)]
        else:
            capacity = np.where(outside >= self.least, outside * f // (s - f) if s > f else self.rows, 0)
        if self.line is not None:
            delta, classes = self.line
            capacity = np.minimum(capacity, classes + floors(outside, (1 - delta) / delta))
        return np.asarray(capacity, dtype=np.int64)

    def in_classes(self, classes: int, delta: Fraction) -> Capacity:
        """The room if readers can tell apart at most this many classes: then Σ f(s) ≤ (1−δ)·n + δ·classes for any sizes that add up to
        n. δ > 0."""
        most = ((1 - delta) * self.rows + delta * classes).__floor__()
        return replace(self, most=min(self.most, most), line=(delta, classes))

    def fewest_suppressed(self, similar: int, outside: int) -> int:
        """A lower bound on the number of rows to suppress before the others can be grouped; all rows, if fewer than k would remain.

        Suppressing mutually similar centres helps most, because suppressing other rows gives the centres no more room."""
        gone = max(0, similar - int(self.beside(np.array([outside]))[0]))
        if self.by_rows is not None:
            while self.rows - gone >= self.k and similar - gone > self.by_rows[self.rows - gone]:
                gone += 1
        return gone if self.rows - gone >= self.k else self.rows


def capacity(allowed: NDArray[np.int64], rows: int, k: int) -> Capacity:
    """The room over all ways to divide n rows into groups of at least k."""
    f, s, least = _fullest(allowed, rows, k)
    if rows > EXACT_ROWS:
        return Capacity(rows, k, rows * f // s, least, (f, s), None, None)
    by_rows = _caps(allowed, rows, k)
    return Capacity(rows, k, int(by_rows[rows]), least, (f, s), _most_by_outside(allowed, rows, k), by_rows)


@dataclass(frozen=True)
class EquitableCapacity:
    """The room in the class sizes of an equitable coloring. Each entry of `kinds` holds f, s and the number of classes of that size; sizes
    that need the fewest other rows per centre come first."""

    most: int
    least: int
    kinds: tuple[tuple[int, int, int], ...]

    def beside(self, outside: NDArray[np.int64]) -> NDArray[np.int64]:
        """Classes that need fewer dissimilar rows receive them first. The result is an upper bound, since a class may stay partly empty."""
        capacity, left = np.zeros(len(outside), dtype=np.int64), outside.astype(np.int64)
        for f, s, classes in self.kinds:
            used = np.minimum(left, classes * (s - f))
            capacity += -(-used * f // (s - f)) if s > f else classes * f
            left = left - used
        return np.where(outside >= self.least, np.minimum(capacity, self.most), 0)


def equitable_capacity(allowed: NDArray[np.int64], rows: int, k: int) -> EquitableCapacity:
    """The room in m = ⌊n/k⌋ classes of ⌊n/m⌋ or ⌈n/m⌉ rows."""
    classes = rows // k
    base, larger = rows // classes, rows % classes
    kinds = [(int(allowed[base]), base, classes - larger)] + ([(int(allowed[base + 1]), base + 1, larger)] if larger else [])
    possible = [kind for kind in kinds if kind[0] > 0]
    possible.sort(key=lambda kind: Fraction(kind[1] - kind[0], kind[0]))
    least = min((s - f for f, s, _ in possible), default=rows + 1)
    return EquitableCapacity(sum(f * many for f, _, many in possible), least, tuple(possible))


@loop
def _fullest(allowed: NDArray[np.int64], rows: int, k: int) -> tuple[int, int, int]:
    """The f and s with the largest f(s)/s for k ≤ s ≤ n, compared in whole numbers; and the smallest s − f(s) for which f(s) > 0."""
    f, s, least = 0, 1, rows + 1
    for size in range(max(k, 1), rows + 1):
        if allowed[size] * s > f * size:
            f, s = allowed[size], size
        if allowed[size] > 0:
            least = min(least, size - allowed[size])
    return f, s, least


@loop
def _caps(allowed: NDArray[np.int64], rows: int, k: int) -> NDArray[np.int64]:
    """cap(0) … cap(n); −1 for a number of rows that cannot be divided into groups of at least k."""
    best = np.full(rows + 1, -1)
    best[0] = 0
    for total in range(k, rows + 1):
        for size in range(k, total + 1):
            if best[total - size] >= 0:
                best[total] = max(best[total], best[total - size] + allowed[size])
    return best


@loop
def _most_by_outside(allowed: NDArray[np.int64], rows: int, k: int) -> NDArray[np.int64]:
    """The largest number of centres for each number of dissimilar rows: each group takes f(s) centres and s − f(s) dissimilar rows."""
    needed = np.full(rows + 1, rows + 1)
    needed[0] = 0
    for similar in range(1, rows + 1):
        for size in range(k, rows + 1):
            if allowed[size] > 0:
                needed[similar] = min(needed[similar], needed[max(0, similar - allowed[size])] + size - allowed[size])
    most, similar = np.zeros(rows + 1, np.int64), 0
    for outside in range(rows + 1):
        while similar < rows and needed[similar + 1] <= outside:
            similar += 1
        most[outside] = similar
    return most
