"""(k, e)-anonymity (Zhang, Koudas, Srivastava, Yu 2007; DEFINITIONS §3): every class holds at least k distinct numbers over a range of
at least e, largest minus smallest, in the attribute's own unit.

A missing cell is not a number: it counts neither as a distinct number nor in the range. A class of only missing cells has 0 of both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.errors import InputRejected
from headgate.counting.class_counts import ClassCounts, Counted
from headgate.counting.figure import Bound, Figure


@dataclass(frozen=True, eq=False)
class KE:
    k: Figure
    e: Figure
    k_all: Figure  # also for classes without a sensitive value
    e_all: Figure

    def holds(self, k: int, e: Any) -> bool:
        return self.k.short_of(k).met and self.e.short_of(e).met


def k_e(counted: Counted) -> KE:
    column = counted.column
    if not column.kind.numeric:
        raise InputRejected(f"(k, e)-anonymity needs numbers; '{column.name}' is a {column.kind}.", "Use distinct_l or dissimilarity.")
    values = column.values.astype(np.float64)
    distinct = [_known(counts)[1].astype(np.float64) for counts in counted.readings]
    ranges = [_range(counts, values) for counts in counted.readings]
    return KE(
        counted.figure("distinct numbers", Bound.AT_LEAST, distinct),
        counted.figure("range", Bound.AT_LEAST, ranges),
        counted.figure_all("distinct numbers", Bound.AT_LEAST, distinct),
        counted.figure_all("range", Bound.AT_LEAST, ranges),
    )


def _known(counts: ClassCounts) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Per class the first entry that is not missing, and how many there are: codes ascend, missing first."""
    first = counts.starts[:-1] + (counts.codes[counts.starts[:-1]] < 0)
    return first, counts.starts[1:] - first


def _range(counts: ClassCounts, values: NDArray[np.float64]) -> NDArray[np.float64]:
    first, known = _known(counts)
    out = np.zeros(len(counts))
    has_values = known > 0
    out[has_values] = values[counts.codes[counts.starts[1:][has_values] - 1]] - values[counts.codes[first[has_values]]]
    return out
