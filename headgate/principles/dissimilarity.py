"""(ε, δ)-dissimilarity (general-proximity-privacy-principle; xcolor; DEFINITIONS §3).

risk(G, ε) = max_v (|Φ_G(v, ε)| − 1)/(|G| − 1): the share of a group's other rows that lie within ε of one row. (ε, δ) holds iff every
row has at most ⌊(1−δ)(|G|−1)⌋ ε-neighbours and |G| > 1 unless δ = 0. Vulnerability is the share of groups in violation.

Beyond the papers: rows whose sensitive values are all declared non-sensitive are no centres v; they count in |G| and as neighbours.
A group of one row has risk 1 whatever its value: the definition says so without regard to centres.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from headgate.columns import Codes, Column
from headgate.distance import DISCRETE, LINE, Distance, DistanceLayout, component_distance, pair_distance, radius
from headgate.distinct import distinct_rows
from headgate.errors import InputRejected
from headgate.principles.class_counts import class_counts
from headgate.principles.intervals import rows_near
from headgate.tolerance import exact, neighbours_allowed


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
    risk: float  # over sensitive centres, in the worse reading of "group"
    risk_all: float  # the papers' figure, over all values
    per_group: NDArray[np.float64]  # risk over sensitive centres, by group number
    worst: Neighbourhood | None  # None if there is no sensitive centre
    delta: float | None = None
    vulnerable_groups: int | None = None
    vulnerability: float | None = None
    vulnerability_all: float | None = None

    @property
    def delta_reached(self) -> float:
        return 1.0 - self.risk

    @property
    def holds(self) -> bool | None:
        """None where no δ was asked for."""
        return None if self.vulnerable_groups is None else self.vulnerable_groups == 0


@numba.njit(cache=True, nogil=True)
def _near(layout: DistanceLayout, a: NDArray[np.int32], b: NDArray[np.int32], reach: float) -> bool:
    """Δ ≤ reach. A sum of shares only grows, so it is given up as soon as it exceeds the reach."""
    if layout.least or layout.power != 1.0:
        return bool(pair_distance(layout, a, b) <= reach)
    total = 0.0
    for i in range(len(layout.mode)):
        if a[i] != b[i]:
            total += layout.weight[i] * component_distance(layout, i, a[i], b[i])
            if total > reach:
                return False
    return total <= reach


@numba.njit(cache=True, nogil=True)
def _neighbours(
    layout: DistanceLayout,
    values: NDArray[np.int32],
    starts: NDArray[np.int64],
    counts: NDArray[np.int64],
    reach: float,
) -> NDArray[np.int64]:
    """For every distinct value of every class the rows of the class within reach of it, itself included."""
    near = counts.copy()
    for group in range(len(starts) - 1):
        for i in range(starts[group], starts[group + 1]):
            for j in range(i + 1, starts[group + 1]):
                if _near(layout, values[i], values[j], reach):
                    near[i] += counts[j]
                    near[j] += counts[i]
    return near


def _neighbours_of_entries(
    layout: DistanceLayout, values: Codes, starts: NDArray[np.int64], counts: NDArray[np.int64], reach: float
) -> NDArray[np.int64]:
    """Only values that agree where near values must are compared: a class of thousands falls into many small runs."""
    agreed = _must_agree(layout, reach)
    if not agreed:
        return np.asarray(_neighbours(layout, np.ascontiguousarray(values), starts, counts, reach))
    run = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
    keys = distinct_rows(np.column_stack([run, values[:, agreed]]))[1]
    order = np.argsort(keys, kind="stable")
    runs = np.flatnonzero(np.diff(keys[order], prepend=-1, append=-1))
    near = np.empty_like(counts)
    near[order] = _neighbours(layout, np.ascontiguousarray(values[order]), runs, counts[order], reach)
    return near


def _must_agree(layout: DistanceLayout, reach: float) -> list[int]:
    """Components in which the least difference there is, weighed, exceeds the reach by itself."""
    if layout.least:
        return []
    return [i for i in range(len(layout.mode)) if layout.weight[i] ** (1.0 / layout.power) * _least_difference(layout, i) > reach]


def _least_difference(layout: DistanceLayout, i: int) -> float:
    """Between two different codes of a component, missing among them (which is at 1 from all others)."""
    if layout.mode[i] == DISCRETE:
        return 1.0
    start, size = int(layout.offset[i]), int(layout.size[i])
    if layout.mode[i] == LINE:
        return min(1.0, float(np.diff(np.sort(layout.buffer[start : start + size])).min(initial=1.0)))
    matrix = layout.buffer[start : start + size * size].reshape(size, size)
    return min(1.0, float(matrix[~np.eye(size, dtype=bool)].min(initial=1.0)))


def dissimilarity(
    columns: Sequence[Column], classes: Sequence[Codes], distance: Distance, epsilon: Any, delta: Any = None
) -> Dissimilarity:
    """Of the composite of these columns. ε and δ as a person wrote them, so that floors are exact."""
    bound = float(exact(epsilon))
    if not columns:
        raise InputRejected("There is no sensitive attribute to measure.", "Name at least one.")
    if not math.isfinite(bound) or bound < 0 or (delta is not None and not 0 <= exact(delta) <= 1):
        raise InputRejected("ε must be from 0 up, δ between 0 and 1.", "Correct them.")
    distinct, place = distinct_rows(np.stack([column.codes for column in columns], axis=1))
    centre = np.any([column.sensitive[distinct[:, i]] for i, column in enumerate(columns)], axis=0)
    composite, rows = distance.bind(columns, distinct)
    layout, reach = composite.layout, radius(bound)
    found = [_measure(reading, place, centre, layout, rows, reach, delta) for reading in classes]
    worst = max(range(len(found)), key=lambda i: found[i].risk.max())
    widest = max(found, key=lambda one: (one.vulnerable.mean(), one.vulnerable.sum()))
    given = delta is not None
    return Dissimilarity(
        bound,
        float(found[worst].risk.max()),
        max(float(one.risk_all.max()) for one in found),
        found[0].risk,
        _worst(found[worst], distinct, worst > 0),
        float(exact(delta)) if given else None,
        int(widest.vulnerable.sum()) if given else None,
        float(widest.vulnerable.mean()) if given else None,
        max(float(one.vulnerable_all.mean()) for one in found) if given else None,
    )


@dataclass(frozen=True, eq=False)
class _Reading:
    risk: NDArray[np.float64]
    risk_all: NDArray[np.float64]
    vulnerable: NDArray[np.bool_]
    vulnerable_all: NDArray[np.bool_]
    neighbours: NDArray[np.int64]  # most, per class; −1 without a centre
    centre: NDArray[np.int64]  # the distinct value that has them
    sizes: NDArray[np.int64]


def _measure(
    reading: Codes, place: Codes, eligible: NDArray[np.bool_], layout: DistanceLayout, rows: Codes, reach: float, delta: Any
) -> _Reading:
    counts = class_counts(place, reading)
    if len(layout.mode) == 1 and layout.mode[0] == LINE and not layout.least:
        # One attribute on a line: rows[:, 0] ascends with the distinct value's number, so no pairs are needed.
        codes = np.ascontiguousarray(rows[counts.codes, 0])
        near = rows_near(counts.starts, codes, counts.counts, layout.buffer, np.full(len(layout.buffer), reach))
        if reach >= 1.0:
            near = np.repeat(counts.sizes, np.diff(counts.starts))
    elif len(layout.mode) == 1 and layout.mode[0] == DISCRETE and reach < 1.0:
        near = counts.counts.copy()  # only equal values are near
    else:
        near = _neighbours_of_entries(layout, rows[counts.codes], counts.starts, counts.counts, reach)
    most_all = np.maximum.reduceat(near, counts.starts[:-1]) - 1
    near = np.where(eligible[counts.codes], near, 0)
    most = np.maximum.reduceat(near, counts.starts[:-1]) - 1
    first = np.flatnonzero(near == np.repeat(most + 1, np.diff(counts.starts)))
    centre = first[np.searchsorted(first, counts.starts[:-1])]
    others, alone = np.maximum(counts.sizes - 1, 1), counts.sizes == 1
    allowed = neighbours_allowed(counts.sizes, 0 if delta is None else delta)
    forbidden = alone & (delta is None or exact(delta) > 0)
    return _Reading(
        np.where(alone, 1.0, np.maximum(most, 0) / others),
        np.where(alone, 1.0, most_all / others),
        (most > allowed) | forbidden,
        (most_all > allowed) | forbidden,
        most,
        counts.codes[centre].astype(np.int64),
        counts.sizes,
    )


def _worst(found: _Reading, distinct: Codes, by_values: bool) -> Neighbourhood | None:
    share = np.where(found.neighbours >= 0, found.risk, -1.0)
    group = int(share.argmax())
    if share[group] < 0:
        return None
    codes = tuple(int(code) for code in distinct[found.centre[group]])
    return Neighbourhood(group, by_values, codes, int(found.neighbours[group]), int(found.sizes[group]))
