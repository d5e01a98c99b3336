"""Shapes of proximity breach other than the star, which XColor's authors leave open (xcolor, section IX; DEFINITIONS §9).

The graph is that of (ε, δ)-dissimilarity: one vertex per row of the group, an edge between two rows whose Δ is at most ε. Rows of equal
values are neighbours of each other.

star    a row and its ε-neighbours (`dissimilarity`): values within ε of one of them, so up to 2ε apart.
clique  the largest set of rows any two of which are neighbours. What the attacker gains: with the clique's share as certainty the
        person's value lies in one set no wider than ε, whichever of its values is taken for the centre. At most the star.
chain   the longest sequence of different rows, each a neighbour of the next: a simple path. What the attacker gains: the person
        belongs to one unbroken band of values (one kind of illness by small steps), though its ends may be far apart and no star
        reaches across.
cycle   the longest chain of at least three rows whose ends are neighbours: a simple cycle. What the attacker gains: a band that
        holds against what else is known; whichever single row is ruled out, all the others still form a chain.

On a line (one number or ordinal) all three are exact: a clique is a window of length ε, a chain a maximal run of values with gaps of
at most ε (single linkage), and a cycle a maximal run of rows each of which has the next but one within ε: it goes up by every second
row and comes back by the others, whereas a row past which no such step leads could be passed only once. In general all three are
NP-hard: they are searched exactly up to a stated size and bounded from above beyond (`shape_search`), and `exact` says which.

The figure is (rows − 1)/(|G| − 1), as the star's risk is: the share of the group's other rows in the shape; 0 without one. As there, a
group of one row has 1 whatever its value, and rows whose values are all declared non-sensitive make no shape by themselves but belong
to those of others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes, Column
from headgate.core.compiling import loop
from headgate.core.distance import DISCRETE, LINE, Distance, DistanceLayout
from headgate.core.distinct import joint_values
from headgate.core.errors import InputRejected
from headgate.counting.class_counts import ClassCounts, class_counts
from headgate.counting.figure import Bound, Figure
from headgate.counting.intervals import largest_windows
from headgate.counting.neighbours import neighbours, runs_apart
from headgate.counting.shape_search import LARGEST_COMPARED, shapes_in_groups
from headgate.principles.dissimilarity import asked_epsilon


@dataclass(frozen=True, eq=False)
class Shape:
    """The largest of one shape in each group. Where it is not exact it is an upper bound, so that a requirement met is met indeed."""

    figure: Figure
    rows: tuple[NDArray[np.int64], ...]
    exact_groups: tuple[NDArray[np.bool_], ...]

    @property
    def exact(self) -> bool:
        """Whether the table's figure is: some group attains it exactly."""
        pairs = zip(self.figure.per_class, self.exact_groups, strict=True)
        return any(bool((figures[sure] == self.figure.value).any()) for figures, sure in pairs)


@dataclass(frozen=True, eq=False)
class ProximityShapes:
    epsilon: float
    clique: Shape
    chain: Shape
    cycle: Shape


def proximity_shapes(columns: Sequence[Column], classes: Sequence[Codes], distance: Distance, epsilon: Any) -> ProximityShapes:
    """The shapes under the composite distance of these columns, in each reading of "group"."""
    if not columns:
        raise InputRejected("No sensitive attribute was given to measure.", "Name at least one.")
    if not classes:
        raise InputRejected("The table has no classes to measure.", "Give a table with rows.")
    bound = asked_epsilon(epsilon)
    distinct, place, flags = joint_values(columns)
    composite, rows, reach = distance.around(columns, distinct, bound)
    counted = [class_counts(place, reading) for reading in classes]
    shapes_by_reading = [_shapes(counts, composite.layout, rows, flags, reach) for counts in counted]
    shapes = []
    for which, name in enumerate(("clique", "chain", "cycle")):
        figures = tuple(_share(largest[which], counts.sizes) for counts, (largest, _) in zip(counted, shapes_by_reading, strict=True))
        sizes = tuple(counts.sizes for counts in counted)
        figure = Figure(f"largest {name}", Bound.AT_MOST, figures, sizes)
        shapes.append(
            Shape(figure, tuple(largest[which] for largest, _ in shapes_by_reading), tuple(sure[which] for _, sure in shapes_by_reading))
        )
    return ProximityShapes(bound, *shapes)


def _share(rows: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.asarray(np.where(sizes == 1, 1.0, np.maximum(rows - 1, 0) / np.maximum(sizes - 1, 1)))


def _shapes(
    counts: ClassCounts, layout: DistanceLayout, rows: Codes, flags: NDArray[np.bool_], reach: float
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    if len(layout.mode) == 1 and layout.mode[0] in (LINE, DISCRETE):
        largest = _one_attribute(counts, layout, rows[:, 0], flags, reach)
        return largest, np.ones(largest.shape, dtype=np.bool_)
    order, runs = runs_apart(layout, rows[counts.codes], counts.starts, reach)
    entries = counts.codes[order]
    shape_rows, sure = shapes_in_groups(layout, np.ascontiguousarray(rows[entries]), runs, counts.counts[order], flags[entries], reach)
    for run in np.flatnonzero(np.diff(runs) > LARGEST_COMPARED):
        place = slice(runs[run], runs[run + 1])
        shape_rows[0, run] = _star(layout, rows[entries[place]], counts.counts[order[place]], flags[entries[place]], reach)
    first = np.searchsorted(runs, counts.starts[:-1])
    largest = np.maximum.reduceat(shape_rows, first, axis=1)
    return largest, np.maximum.reduceat(np.where(sure, shape_rows, 0), first, axis=1) == largest


def _star(layout: DistanceLayout, rows: Codes, counts: NDArray[np.int64], flags: NDArray[np.bool_], reach: float) -> int:
    """The most rows near one flagged value of a group too large for a search: a clique with that value lies within its star."""
    near = neighbours(layout, np.ascontiguousarray(rows), np.array([0, len(rows)]), counts, reach)
    return int(near[flags].max(initial=0))


def _one_attribute(counts: ClassCounts, layout: DistanceLayout, code: Codes, flags: NDArray[np.bool_], reach: float) -> NDArray[np.int64]:
    """The shapes in numbers, ordinals or categories. `code` ascends with the number of the distinct value, missing first."""
    if reach >= 1.0:  # every two rows are neighbours, missing ones too
        whole = np.where(counts.concerned(flags), counts.sizes, 0)
        return np.stack([whole, whole, np.where(whole > 2, whole, 0)])
    # Categories stand two apart, so that none is near another.
    places = layout.buffer if layout.mode[0] == LINE else 2.0 * np.arange(layout.size[0])
    codes = np.ascontiguousarray(code[counts.codes])
    by_code = np.zeros(len(places) + 1, dtype=np.bool_)
    by_code[code] = flags
    _, clique = largest_windows(counts.starts, codes, counts.counts, places, reach, by_code)
    return np.stack([clique, *_runs(counts.starts, codes, counts.counts, places, reach, by_code)])


@loop
def _runs(
    starts: NDArray[np.int64],
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    places: NDArray[np.float64],
    reach: float,
    flags: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Per group the rows of the longest chain and of the longest cycle on a line that hold a flagged value."""
    chains, cycles = np.zeros(len(starts) - 1, np.int64), np.zeros(len(starts) - 1, np.int64)
    for group in range(len(starts) - 1):
        start, end = starts[group], starts[group + 1]
        if codes[start] < 0:
            if flags[-1]:
                chains[group] = counts[start]
                cycles[group] = counts[start] if counts[start] > 2 else 0
            start += 1
        chain, cycle = 0, 0
        chain_holds, cycle_holds = False, False
        last, before = -np.inf, -np.inf  # the places of the last row and of the one before it
        last_holds = False
        for i in range(start, end):
            place, holds = places[codes[i]], flags[codes[i]]
            if place - last > reach:
                chain, chain_holds = 0, False
            chain += counts[i]
            chain_holds |= holds
            for repeat in range(min(counts[i], 2)):
                if place - before > reach:  # a new cycle may begin with the last row
                    linked = place - last <= reach
                    cycle, cycle_holds = (1, last_holds) if linked else (0, False)
                cycle += counts[i] - 1 if repeat == 1 else 1  # all rows past the first are alike
                cycle_holds |= holds
                before, last, last_holds = last, place, holds
            if chain_holds:
                chains[group] = max(chains[group], chain)
            if cycle_holds and cycle > 2:
                cycles[group] = max(cycles[group], cycle)
    return chains, cycles
