"""k-anonymity (Samarati, Sweeney): every class has at least k rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from headgate.core.columns import Codes
from headgate.core.errors import InputRejected
from headgate.counting.class_counts import class_sizes
from headgate.counting.figure import Bound, Figure


@dataclass(frozen=True, eq=False)
class KAnonymity:
    """Groups and their mean size are by group number, the first reading."""

    figure: Figure
    groups: int
    mean_group: float

    @property
    def k(self) -> int:
        return int(self.figure.value)


def k_anonymity(classes: Sequence[Codes]) -> KAnonymity:
    """The smallest class of either reading; each reading numbers its classes 0, 1, 2 … without gaps."""
    if not classes or len(classes[0]) == 0:
        raise InputRejected("The table has no classes to measure.", "Give a table with rows.")
    sizes = tuple(class_sizes(reading) for reading in classes)
    figure = Figure("k", Bound.AT_LEAST, tuple(size.astype(np.float64) for size in sizes), sizes)
    return KAnonymity(figure, len(sizes[0]), len(classes[0]) / len(sizes[0]))
