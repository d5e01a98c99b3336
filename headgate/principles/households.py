"""k counted in households (DEFINITIONS §13): nobody is hidden among their own family. Whoever knows one of two households whose ten people
form a group knows the other one by exclusion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.counting.class_counts import ClassCounts, Counted
from headgate.counting.figure import Bound, Figure


@dataclass(frozen=True, eq=False)
class Households:
    """`figure`: distinct households per class. `family`: the largest share of a class that a single household makes up."""

    figure: Figure
    family: Figure

    @property
    def k(self) -> int:
        return int(self.figure.value)


def households(counted: Counted) -> Households:
    """The fewest distinct households of any class, in the worse reading. A missing household is one of its own in every row."""
    distinct = [_distinct(counts) for counts in counted.readings]
    largest = [_largest(counts) / counts.sizes for counts in counted.readings]
    return Households(
        counted.figure_all("households", Bound.AT_LEAST, distinct), counted.figure_all("family share", Bound.AT_MOST, largest)
    )


def _distinct(counts: ClassCounts) -> NDArray[np.float64]:
    missing_again = np.where(counts.codes < 0, counts.counts - 1, 0)
    return np.asarray(np.diff(counts.starts) + np.add.reduceat(missing_again, counts.starts[:-1]), dtype=np.float64)


def _largest(counts: ClassCounts) -> NDArray[np.float64]:
    alone = np.where(counts.codes < 0, 1, counts.counts)
    return np.asarray(np.maximum.reduceat(alone, counts.starts[:-1]), dtype=np.float64)
