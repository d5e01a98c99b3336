"""k-anonymity over both readings of a group."""

from __future__ import annotations

import numpy as np

from headgate.counting.class_counts import count as counted
from headgate.principles.diversity import diversity
from headgate.principles.k_anonymity import k_anonymity
from headgate.principles.linkability import linkability
from tests.unit.headgate.principles.encoded_rows import categories


def test_the_worse_reading_counts() -> None:
    column = categories(["a", "b", "a", "a"])
    by_group, by_values = np.array([0, 0, 1, 1], dtype=np.int32), np.zeros(4, dtype=np.int32)
    assert linkability(counted(column, [by_values])).linkability == 0.75
    assert linkability(counted(column, [by_values, by_group])).linkability == 1.0
    assert diversity(counted(column, [by_values, by_group])).distinct_l == 1
    assert k_anonymity([by_group, by_values]).k == 2
