"""k-anonymity: every class has at least k rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.columns import Codes
from headgate.errors import InputRejected


@dataclass(frozen=True, eq=False)
class KAnonymity:
    k: int
    groups: int
    mean_group: float
    sizes: NDArray[np.int64]  # per group, by group number


def k_anonymity(classes: Sequence[Codes]) -> KAnonymity:
    """The smallest class of either reading; groups and their mean size are by group number, the first reading."""
    if not classes or len(classes[0]) == 0:
        raise InputRejected("There are no classes to measure.", "Give a table with rows.")
    sizes = [np.bincount(reading) for reading in classes]
    smallest = min(int(size[size > 0].min()) for size in sizes)
    groups = int((sizes[0] > 0).sum())
    return KAnonymity(smallest, groups, len(classes[0]) / groups, sizes[0].astype(np.int64))
