"""Average group size over k, C_AVG (LeFevre, DeWitt, Ramakrishnan: Mondrian multidimensional k-anonymity, ICDE 2006).

(released rows / groups) / k: how many times larger the groups are than they would have to be. 1 is the least that k-anonymity allows;
below it the table is not k-anonymous. By group number, the first reading; suppressed rows are in no group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from headgate.core.columns import Codes
from headgate.core.errors import InputRejected
from headgate.core.tolerance import is_whole
from headgate.counting.class_counts import class_sizes
from headgate.counting.figure import Figure


@dataclass(frozen=True, eq=False)
class GroupSize:
    average: float
    figure: Figure  # |G|/k by group number


def average_group_size(classes: Sequence[Codes], k: int) -> GroupSize:
    """`classes` as `PublishedTable.classes()` gives them."""
    if not is_whole(k, 1):
        raise InputRejected("k is not a whole number of at least 1.", "Give the size of the smallest group, such as 10.")
    if not classes or len(classes[0]) == 0:
        raise InputRejected("The table has no groups to measure.", "Give a table with rows.")
    sizes = class_sizes(classes[0])
    return GroupSize(len(classes[0]) / len(sizes) / int(k), Figure.cost("group size over k", sizes / int(k), sizes))
