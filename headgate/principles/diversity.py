"""l-diversity in its distinct, frequency and entropy forms (DEFINITIONS §5).

distinct: values in the class; frequency: |E|/(largest count); entropy: e^H. Missing is a value of its own.
Gates look at sensitive values: a class without any has nothing to protect and does not count, and the frequency form counts only
sensitive values. `…_all` is the papers' figure over all values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.columns import Codes, Column
from headgate.principles.class_counts import ClassCounts, class_counts


@dataclass(frozen=True, eq=False)
class Diversity:
    """Without a sensitive value in the whole table, distinct is the table's own number of values, and the others are infinite."""

    distinct_l: int
    frequency_l: float
    entropy_l: float
    distinct_l_all: int
    frequency_l_all: float
    entropy_l_all: float
    attainable: int  # distinct values in the table: a required l is capped at this
    distinct: NDArray[np.int64]  # per group, over all values
    frequency: NDArray[np.float64]
    entropy: NDArray[np.float64]


def diversity(column: Column, classes: Sequence[Codes]) -> Diversity:
    readings = [class_counts(column.codes, reading) for reading in classes]
    distinct = [np.diff(counts.starts) for counts in readings]
    frequency = [counts.sizes / counts.largest() for counts in readings]
    entropy = [_entropy_l(counts) for counts in readings]
    top = [counts.largest(column.sensitive) for counts in readings]
    concerned = [largest > 0 for largest in top]
    attainable = len(np.unique(column.codes))

    def least(figures: list[NDArray[np.float64]]) -> float:
        return min((float(figure[where].min()) for figure, where in zip(figures, concerned, strict=True) if where.any()), default=math.inf)

    return Diversity(
        distinct_l=int(min(least([figure.astype(np.float64) for figure in distinct]), attainable)),
        frequency_l=least([counts.sizes / np.maximum(largest, 1) for counts, largest in zip(readings, top, strict=True)]),
        entropy_l=least(entropy),
        distinct_l_all=min(int(figure.min()) for figure in distinct),
        frequency_l_all=min(float(figure.min()) for figure in frequency),
        entropy_l_all=min(float(figure.min()) for figure in entropy),
        attainable=attainable,
        distinct=distinct[0],
        frequency=frequency[0],
        entropy=entropy[0],
    )


def _entropy_l(counts: ClassCounts) -> NDArray[np.float64]:
    shares = counts.counts / np.repeat(counts.sizes, np.diff(counts.starts))
    return np.asarray(np.exp(np.add.reduceat(-shares * np.log(shares), counts.starts[:-1])))
