"""(δ, l)-diversity of numbers (paper delta-l-diversity; DEFINITIONS §5).

Two values are δ-similar iff |u − v| ≤ 2δ: their δ-intervals overlap. `definition` counts the rows similar to one value (a star);
it is not monotone, contrary to the paper's claim. `window` counts rows that are mutually similar; it is, so only it may prune.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from headgate.core.distance import radius
from headgate.core.errors import InputRejected
from headgate.core.tolerance import exact
from headgate.counting.class_counts import Counted
from headgate.counting.figure import Bound, Figure
from headgate.counting.intervals import largest_stars, largest_windows


@dataclass(frozen=True, eq=False)
class DeltaL:
    """l over sensitive values (infinite if there are none), and over all."""

    interval: float  # δ, in the attribute's own unit
    definition: Figure
    window: Figure
    definition_all: float
    window_all: float


def delta_l(counted: Counted, interval: Any) -> DeltaL:
    column = counted.column
    if not column.kind.numeric:
        raise InputRejected(f"(δ, l)-diversity needs numbers; '{column.name}' is a {column.kind}.", "Use distinct_l or dissimilarity.")
    delta = float(exact(interval))
    if delta < 0:
        raise InputRejected(f"The interval of '{column.name}' is not a finite number of at least 0.", "Give the half width of an interval.")
    values, unit = column.kind.rules.line(column)
    length = radius(2 * delta) * unit
    stars, windows, stars_all, windows_all = [], [], [], []
    for counts in counted.readings:
        star_all, star = largest_stars(counts, values, np.full(len(values), length), column.sensitive)
        window_all, window = largest_windows(counts.starts, counts.codes, counts.counts, values, length, column.sensitive)
        stars_all.append(float((counts.sizes / star_all).min()))
        windows_all.append(float((counts.sizes / window_all).min()))
        stars.append(counts.sizes / np.maximum(star, 1))
        windows.append(counts.sizes / np.maximum(window, 1))
    return DeltaL(
        delta,
        counted.figure("(δ, l)", Bound.AT_LEAST, stars),
        counted.figure("(δ, l) window", Bound.AT_LEAST, windows),
        min(stars_all),
        min(windows_all),
    )
