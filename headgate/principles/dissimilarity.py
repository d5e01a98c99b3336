"""(ε, δ)-dissimilarity (general-proximity-privacy-principle; xcolor; DEFINITIONS §3).

risk(G, ε) = max_v (|Φ_G(v, ε)| − 1)/(|G| − 1): the share of a group's other rows that lie within ε of one row. (ε, δ) holds iff every
row has at most ⌊(1−δ)(|G|−1)⌋ ε-neighbours and |G| > 1 unless δ = 0. Vulnerability is the share of groups in violation.

Beyond the papers: rows whose sensitive values are all declared non-sensitive are not centres v; they count in |G| and as neighbours.
A group of one row has risk 1 whatever its value: the definition says so without regard to centres.

Neighbours are counted in headgate.counting.neighbours; one attribute on a line needs no pairs at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes, Column
from headgate.core.distance import DISCRETE, LINE, Distance, DistanceLayout
from headgate.core.distinct import joint_values
from headgate.core.errors import InputRejected
from headgate.core.tolerance import exact, neighbours_allowed
from headgate.counting.class_counts import ClassCounts, class_counts
from headgate.counting.figure import Bound, Figure, Shortfall, worst_shortfall
from headgate.counting.intervals import rows_near
from headgate.counting.neighbours import neighbours


@dataclass(frozen=True)
class Neighbourhood:
    """The centre with the largest share of neighbours; `codes` are its values in the measured columns."""

    group: int
    by_values: bool  # whether `group` numbers groups of equal published quasi-identifiers
    codes: tuple[int, ...]
    neighbours: int
    size: int

    @property
    def belief(self) -> float:
        """|Φ|/|G|."""
        return (self.neighbours + 1) / self.size


@dataclass(frozen=True, eq=False)
class Dissimilarity:
    epsilon: float
    figure: Figure  # risk over sensitive centres
    risk_all: float  # the papers' figure, over all values
    worst: Neighbourhood | None  # None if no centre is sensitive
    neighbours: tuple[NDArray[np.int64], ...]  # most that one centre has, per class in each reading; −1 without a centre
    delta: float | None = None
    vulnerable_groups: int | None = None
    vulnerability: float | None = None

    @property
    def risk(self) -> float:
        return self.figure.value

    @property
    def per_group(self) -> NDArray[np.float64]:
        """The risk by group number."""
        return self.figure.per_group

    @property
    def delta_reached(self) -> float:
        return 1.0 - self.risk

    @property
    def holds(self) -> bool | None:
        """Whether the required δ holds; None if no δ was required."""
        return None if self.vulnerable_groups is None else self.vulnerable_groups == 0

    def short_of(self, delta: Any) -> Shortfall:
        """The groups in which (ε, δ) does not hold, in the reading in which more people are concerned, and by how many ε-neighbours the
        worst placed row of each exceeds what δ allows. A group of one lacks the one other row that it needs unless δ is 0."""
        share = _share(delta)
        shortfalls = []
        for most, sizes in zip(self.neighbours, self.figure.sizes, strict=True):
            excess = _excess(most, sizes, share)
            groups = np.flatnonzero(excess > 0)
            shortfalls.append((groups, excess[groups].astype(np.float64)))
        return worst_shortfall(float(share), shortfalls, self.figure.sizes)


def dissimilarity(
    columns: Sequence[Column], classes: Sequence[Codes], distance: Distance, epsilon: Any, delta: Any = None
) -> Dissimilarity:
    """The dissimilarity of these columns together. ε and δ are taken as a person wrote them, so that floors are exact."""
    if not columns:
        raise InputRejected("No sensitive attribute was given to measure.", "Name at least one.")
    if not classes:
        raise InputRejected("The table has no classes to measure.", "Give a table with rows.")
    bound, share = asked_epsilon(epsilon), None if delta is None else _share(delta)
    distinct, place, centre = joint_values(columns)
    composite, rows, reach = distance.around(columns, distinct, bound)
    readings = [measure_classes(class_counts(place, reading), centre, composite.layout, rows, reach) for reading in classes]
    worst = max(range(len(readings)), key=lambda i: readings[i].risk.max())
    figure = Figure("risk", Bound.AT_MOST, tuple(reading.risk for reading in readings), tuple(reading.sizes for reading in readings))
    measured = Dissimilarity(
        bound,
        figure,
        max(float(reading.risk_all.max()) for reading in readings),
        _worst(readings[worst], distinct, worst > 0),
        tuple(reading.neighbours for reading in readings),
    )
    if share is None:
        return measured
    vulnerable = max(
        (_excess(reading.neighbours, reading.sizes, share) > 0 for reading in readings), key=lambda flags: (flags.mean(), flags.sum())
    )
    return replace(
        measured,
        delta=float(share),
        vulnerable_groups=int(vulnerable.sum()),
        vulnerability=float(vulnerable.mean()),
    )


def asked_epsilon(epsilon: Any) -> float:
    value = exact(epsilon)
    if not 0 <= value < 2**63:
        raise InputRejected("ε must be a number of at least 0.", "Give a distance, such as 0.1.")
    return float(value)


def _share(delta: Any) -> Fraction:
    share = exact(delta)
    if not 0 <= share <= 1:
        raise InputRejected("δ must be between 0 and 1.", "Give a decimal, such as 0.6.")
    return share


def _excess(neighbours: NDArray[np.int64], sizes: NDArray[np.int64], delta: Fraction) -> NDArray[np.int64]:
    """How many ε-neighbours are too many. A group of one fails unless δ = 0: there the row itself is one too many."""
    allowed = np.where((sizes == 1) & (delta > 0), -1, neighbours_allowed(sizes, delta))
    return np.asarray(np.where(sizes == 1, 0, neighbours) - allowed)


@dataclass(frozen=True, eq=False)
class NeighbourhoodsOfClasses:
    risk: NDArray[np.float64]
    risk_all: NDArray[np.float64]
    neighbours: NDArray[np.int64]  # most, per class; −1 without a centre
    centre: NDArray[np.int64]  # the distinct value that has them
    sizes: NDArray[np.int64]


def measure_classes(
    counts: ClassCounts, eligible: NDArray[np.bool_], layout: DistanceLayout, rows: Codes, reach: float
) -> NeighbourhoodsOfClasses:
    """The neighbourhoods in classes whose values have been counted: value i has the codes rows[i], and is a centre if it is eligible."""
    if len(layout.mode) == 1 and layout.mode[0] == LINE and not layout.least:
        # One attribute on a line: rows[:, 0] ascends with the distinct value's number, so no pairs are needed.
        codes = np.ascontiguousarray(rows[counts.codes, 0])
        near = rows_near(counts.starts, codes, counts.counts, layout.buffer, np.full(len(layout.buffer), reach))
        if reach >= 1.0:
            near = np.repeat(counts.sizes, np.diff(counts.starts))
    elif len(layout.mode) == 1 and layout.mode[0] == DISCRETE and reach < 1.0:
        near = counts.counts.copy()  # only equal values are near
    else:
        near = neighbours(layout, rows[counts.codes], counts.starts, counts.counts, reach)
    most_all = np.maximum.reduceat(near, counts.starts[:-1]) - 1
    near = np.where(eligible[counts.codes], near, 0)
    most = np.maximum.reduceat(near, counts.starts[:-1]) - 1
    first = np.flatnonzero(near == np.repeat(most + 1, np.diff(counts.starts)))
    centre = first[np.searchsorted(first, counts.starts[:-1])]
    others, alone = np.maximum(counts.sizes - 1, 1), counts.sizes == 1
    return NeighbourhoodsOfClasses(
        np.where(alone, 1.0, np.maximum(most, 0) / others),
        np.where(alone, 1.0, most_all / others),
        most,
        counts.codes[centre].astype(np.int64),
        counts.sizes,
    )


def _worst(reading: NeighbourhoodsOfClasses, distinct: Codes, by_values: bool) -> Neighbourhood | None:
    share = np.where(reading.neighbours >= 0, reading.risk, -1.0)
    group = int(share.argmax())
    if share[group] < 0:
        return None
    codes = tuple(int(code) for code in distinct[reading.centre[group]])
    return Neighbourhood(group, by_values, codes, int(reading.neighbours[group]), int(reading.sizes[group]))
