"""Variance control (LeFevre, DeWitt, Ramakrishnan 2006, "variance diversity"; DEFINITIONS §3): variance ≥ t in every class, so that no
class's numbers lie closely around one value.

The population variance of a class's rows, in the square of the attribute's unit, by two passes: mean first, then squared deviations.
A missing cell is not a place on the line: the variance is that of the known cells, and 0 for a class that has none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.core.errors import InputRejected
from headgate.counting.class_counts import ClassCounts, Counted
from headgate.counting.figure import Bound, Figure


@dataclass(frozen=True, eq=False)
class Variance:
    variance: Figure
    variance_all: Figure  # also for classes without a sensitive value


def variance(counted: Counted) -> Variance:
    column = counted.column
    if not column.kind.numeric:
        raise InputRejected(f"Variance control needs numbers; '{column.name}' is a {column.kind}.", "Use distinct_l or dissimilarity.")
    values = np.append(column.values.astype(np.float64), 0.0)  # the last place is for missing
    figures = [_variance(counts, values) for counts in counted.readings]
    if not all(np.isfinite(figure).all() for figure in figures):
        raise InputRejected(f"The numbers of '{column.name}' are too large to be squared.", "Give them in a larger unit.")
    return Variance(counted.figure("variance", Bound.AT_LEAST, figures), counted.figure_all("variance", Bound.AT_LEAST, figures))


def _variance(counts: ClassCounts, values: NDArray[np.float64]) -> NDArray[np.float64]:
    starts, repeats = counts.starts[:-1], np.diff(counts.starts)
    weights = np.where(counts.codes < 0, 0, counts.counts)
    known = np.maximum(np.add.reduceat(weights, starts), 1)
    # Relative to a number of the class: large numbers that lie close together keep their differences.
    origin = np.repeat(values[counts.codes[counts.starts[1:] - 1]], repeats)
    with np.errstate(over="ignore", invalid="ignore"):
        places = values[counts.codes] - origin
        mean = np.add.reduceat(weights * places, starts) / known
        squares = weights * (places - np.repeat(mean, repeats)) ** 2
        return np.asarray(np.add.reduceat(squares, starts) / known)
