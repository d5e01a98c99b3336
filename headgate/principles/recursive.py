"""Recursive (c, l)-diversity (Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam 2007; DEFINITIONS §5).

A class holds it iff r₁ < c·(r_l + … + r_m), with the counts of its m values descending; (c, 1) always holds. Declared non-sensitive
values are the paper's set Y, whose disclosure is allowed: r_y, the count of the most frequent *sensitive* value, takes the place of
r₁, and the attacker rules out the l − 2 most frequent of all other values (pd-recursive diversity). So with the other counts
descending, o₁ ≥ o₂ ≥ …, the condition is r_y < c·(o_{l−1} + o_l + …), which without non-sensitive values is the one above.

The inequality is strict, so the least c is an infimum that is never reached: `Infimum.short_of(c)` refuses c equal to it. Counts are
whole and c is the decimal that was written, so both are compared without tolerance: r < c·s iff s > ⌊r/c⌋.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import loop
from headgate.core.errors import InputRejected
from headgate.core.tolerance import exact, floors, is_whole
from headgate.counting.class_counts import ClassCounts, Counted
from headgate.counting.figure import Bound, Figure, Shortfall, worst_shortfall


@dataclass(frozen=True, eq=False)
class RecursiveL:
    """The largest l that each class satisfies for a given c."""

    c: Fraction
    l: Figure  # noqa: E741 the paper's letter
    l_all: Figure


@dataclass(frozen=True, eq=False)
class Infimum(Figure):
    """r/s of each class. The requirement c is met by the classes with r < c·s, and by those with nothing to protect (figure 0)."""

    largest: tuple[NDArray[np.int64], ...]
    others: tuple[NDArray[np.int64], ...]

    @property
    def sign(self) -> str:
        return "<"

    def short_of(self, required: Any) -> Shortfall:
        """A class exactly at c is short by 0: any larger c would be met."""
        c = _constant(required)
        shortfalls = []
        for place, figures in enumerate(self.per_class):
            groups = np.flatnonzero((self.others[place] <= floors(self.largest[place], 1 / c)) & (figures > 0))
            shortfalls.append((groups, np.maximum(figures[groups] - float(c), 0.0)))
        return worst_shortfall(float(c), shortfalls, self.sizes)


@dataclass(frozen=True, eq=False)
class RecursiveC:
    """The c above which each class satisfies a given l; infinite if the class has fewer than l values."""

    l: int  # noqa: E741 the paper's letter
    c: Infimum
    c_all: Infimum


def recursive_l(counted: Counted, c: Any) -> RecursiveL:
    constant = _constant(c)
    everything = np.ones_like(counted.column.sensitive)
    sensitive = [_largest_l(counts, counted.column.sensitive, constant) for counts in counted.readings]
    whole = [_largest_l(counts, everything, constant) for counts in counted.readings]
    return RecursiveL(
        constant,
        counted.figure("recursive l", Bound.AT_LEAST, sensitive),
        counted.figure_all("recursive l", Bound.AT_LEAST, whole),
    )


def recursive_c(counted: Counted, l: int) -> RecursiveC:  # noqa: E741
    if not is_whole(l, 2):
        raise InputRejected("The l of recursive (c, l)-diversity is not a whole number of at least 2.", "Give l ≥ 2; (c, 1) always holds.")
    everything = np.ones_like(counted.column.sensitive)
    return RecursiveC(int(l), _infimum(counted, counted.column.sensitive, int(l)), _infimum(counted, everything, int(l)))


def _constant(c: Any) -> Fraction:
    constant = exact(c)
    if constant <= 0:
        raise InputRejected("The c of recursive (c, l)-diversity is not above 0.", "Give a decimal such as 3 or 0.5.")
    return constant


def _largest_l(counts: ClassCounts, flags: NDArray[np.bool_], c: Fraction) -> NDArray[np.float64]:
    """Remainders descend within a class, so the largest l is 1 and one more for each that suffices; the last, 0, never does."""
    largest, remainders = _remainders(counts.starts, counts.counts, flags[counts.codes])
    enough = remainders > np.repeat(floors(largest, 1 / c), np.diff(counts.starts))
    return 1.0 + np.add.reduceat(enough.astype(np.float64), counts.starts[:-1])


def _infimum(counted: Counted, flags: NDArray[np.bool_], l: int) -> Infimum:  # noqa: E741
    figures, peaks, others = [], [], []
    for counts in counted.readings:
        largest, remainders = _remainders(counts.starts, counts.counts, flags[counts.codes])
        place = counts.starts[:-1] + (l - 2)
        rest = np.where(place < counts.starts[1:] - 1, remainders[np.minimum(place, len(remainders) - 1)], 0)
        figure = np.where(largest > 0, np.inf, 0.0)
        np.divide(largest, rest, out=figure, where=(rest > 0) & (largest > 0))
        figures.append(figure)
        peaks.append(largest)
        others.append(rest)
    return Infimum("recursive c", Bound.AT_MOST, tuple(figures), counted.sizes, tuple(peaks), tuple(others))


@loop
def _remainders(
    starts: NDArray[np.int64], counts: NDArray[np.int64], flags: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Per class the largest flagged count (0 without one), and from the class's start on what remains of the other counts, which
    descend, without the first 0, 1, 2 … of them."""
    largest, remainders = np.zeros(len(starts) - 1, np.int64), np.zeros(len(counts), np.int64)
    for group in range(len(starts) - 1):
        start, end = starts[group], starts[group + 1]
        top = -1
        for i in range(start, end):
            if flags[i] and counts[i] > largest[group]:
                largest[group], top = counts[i], i
        others = np.sort(counts[start:end])  # ascending
        if top >= 0:
            place = np.searchsorted(others, largest[group])
            others[place:-1] = others[place + 1 :].copy()
        # Without a flagged value there is nothing to protect, and the class's remainders are not looked at.
        rest = 0
        for j in range(end - start - 1):
            rest += others[j]
            remainders[end - 2 - j] = rest
    return largest, remainders
