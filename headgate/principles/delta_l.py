"""(δ, l)-diversity of numbers (paper delta-l-diversity; DEFINITIONS §5).

Two values are δ-similar iff |u − v| ≤ 2δ: their δ-intervals overlap. `definition` counts the rows similar to one value (a star);
it is not monotone, contrary to the paper's claim. `window` counts rows that are mutually similar; it is, so only it may prune.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.columns import Codes, Column
from headgate.errors import InputRejected
from headgate.principles.class_counts import class_counts
from headgate.principles.intervals import largest_windows, rows_near
from headgate.tolerance import TOLERANCE, exact


@dataclass(frozen=True, eq=False)
class DeltaL:
    """l of the worst class; over sensitive values (infinite if there are none), and over all."""

    interval: float  # δ, in the attribute's own unit
    definition: float
    window: float
    definition_all: float
    window_all: float
    per_group: NDArray[np.float64]  # by definition, over all values, by group number


def delta_l(column: Column, classes: Sequence[Codes], interval: Any) -> DeltaL:
    if not column.kind.numeric:
        raise InputRejected(f"(δ, l)-diversity needs numbers; '{column.name}' is a {column.kind}.", "Use distinct_l or dissimilarity.")
    delta = float(exact(interval))
    if not math.isfinite(delta) or delta < 0:
        raise InputRejected(f"The interval of '{column.name}' is no finite number from 0 up.", "Give the half width of an interval.")
    values = column.values.astype(np.float64)
    length = 2 * delta + TOLERANCE * max(1.0, 2 * delta)
    stars, windows, stars_all, windows_all = [], [], [], []
    for reading in classes:
        counts = class_counts(column.codes, reading)
        near = rows_near(counts.starts, counts.codes, counts.counts, values, np.full(len(values), length))
        window_all, window = largest_windows(counts.starts, counts.codes, counts.counts, values, length, column.sensitive)
        stars_all.append(counts.sizes / np.maximum.reduceat(near, counts.starts[:-1]))
        windows_all.append(counts.sizes / window_all)
        star = np.maximum.reduceat(np.where(column.sensitive[counts.codes], near, 0), counts.starts[:-1])
        concerned = star > 0
        stars.append(float((counts.sizes[concerned] / star[concerned]).min(initial=math.inf)))
        windows.append(float((counts.sizes[concerned] / window[concerned]).min(initial=math.inf)))
    return DeltaL(
        delta, min(stars), min(windows), float(min(x.min() for x in stars_all)), float(min(x.min() for x in windows_all)), stars_all[0]
    )
