"""l-diversity in its distinct, frequency and entropy forms (Machanavajjhala et al. 2007; DEFINITIONS §5).

distinct: values in the class; frequency: |E|/(largest count); entropy: e^H. Missing is a value of its own.
Gates look at sensitive values: a class without any has nothing to protect and does not count, and the frequency form counts only
sensitive values. `…_all` is the papers' figure over all values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.counting.class_counts import ClassCounts, Counted
from headgate.counting.figure import Bound, Capped, Figure


@dataclass(frozen=True, eq=False)
class Diversity:
    """Without a sensitive value in the whole table, `distinct` is the table's own number of values and the other figures are infinite."""

    distinct: Capped
    frequency: Figure
    entropy: Figure
    distinct_l_all: int
    frequency_l_all: float
    entropy_l_all: float

    @property
    def attainable(self) -> int:
        """Distinct values in the table: a required l is capped at this."""
        return self.distinct.attainable

    @property
    def distinct_l(self) -> int:
        return int(self.distinct.value)

    @property
    def frequency_l(self) -> float:
        return self.frequency.value

    @property
    def entropy_l(self) -> float:
        return self.entropy.value


def diversity(counted: Counted) -> Diversity:
    sensitive = counted.column.sensitive
    distinct = [np.diff(counts.starts).astype(np.float64) for counts in counted.readings]
    entropy = [_entropy_l(counts) for counts in counted.readings]
    everything = [counts.sizes / counts.largest() for counts in counted.readings]
    top = everything if sensitive.all() else [counts.sizes / np.maximum(counts.largest(sensitive), 1) for counts in counted.readings]
    distinct_l = counted.figure("distinct l", Bound.AT_LEAST, distinct)
    return Diversity(
        Capped(distinct_l.name, distinct_l.bound, distinct_l.per_class, distinct_l.sizes, int((counted.totals() > 0).sum())),
        counted.figure("frequency l", Bound.AT_LEAST, top),
        counted.figure("entropy l", Bound.AT_LEAST, entropy),
        distinct_l_all=int(min(figure.min() for figure in distinct)),
        frequency_l_all=min(float(figure.min()) for figure in everything),
        entropy_l_all=min(float(figure.min()) for figure in entropy),
    )


def _entropy_l(counts: ClassCounts) -> NDArray[np.float64]:
    shares = counts.shares
    return np.asarray(np.exp(np.add.reduceat(-shares * np.log(shares), counts.starts[:-1])))
