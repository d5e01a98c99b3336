"""Average group size over k, C_AVG (LeFevre, DeWitt, Ramakrishnan: Mondrian multidimensional k-anonymity, ICDE 2006).

(released rows / groups) / k: how many times larger the groups are than they would have to be. 1 is the least that k-anonymity allows;
below it the table is not k-anonymous. By group number, the first reading; suppressed rows are in no group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.columns import Codes
from headgate.errors import InputRejected


@dataclass(frozen=True, eq=False)
class GroupSize:
    average: float
    per_group: NDArray[np.float64]  # |G|/k by group number


def average_group_size(classes: Sequence[Codes], k: int) -> GroupSize:
    """`classes` as `PublishedTable.classes()` gives them."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise InputRejected("k is no whole number from 1.", "Give the size of the smallest group, such as 10.")
    if not classes or len(classes[0]) == 0:
        raise InputRejected("There are no groups to measure.", "Give a table with rows.")
    sizes = np.bincount(classes[0]) if classes[0].min() >= 0 else np.zeros(1, dtype=np.int64)
    if (sizes == 0).any():
        raise InputRejected("Groups must be numbered 0, 1, 2 … without gaps.", "Number them anew, without the suppressed rows.")
    return GroupSize(len(classes[0]) / len(sizes) / int(k), sizes / int(k))
