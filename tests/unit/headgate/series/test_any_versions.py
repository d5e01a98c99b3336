from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from headgate.counting.class_counts import class_counts
from headgate.series.any_versions import any_linkability
from tests.unit.headgate.series.by_definition import every


@pytest.mark.parametrize("seed", range(60))
def test_one_set_for_each_value_and_count_finds_the_largest_over_all_sets(seed: int) -> None:
    draw = np.random.default_rng(seed)
    values = draw.integers(-1, 5, 90).astype(np.int32)
    classes = np.concatenate([np.arange(9), draw.integers(0, 9, 81)]).astype(np.int32)
    rows = draw.integers(-1, 9, (6, int(draw.integers(4, 8)))).astype(np.int32)
    rows[:, 0] = np.maximum(rows[:, 0], 0)
    sensitive = np.array([True, True, bool(seed % 2), True, True, False])  # the last is for missing cells
    groups = [Counter(values[classes == group].tolist()) for group in range(9)]
    found = any_linkability(rows, class_counts(values, classes), sensitive, np.zeros(6))
    for chain, row in enumerate(rows):
        held = [groups[group] for group in row if group >= 0]
        if len(held) <= 3:
            continue  # singles, pairs and all are every set, and are measured already
        largest = Fraction(0)
        for some in every(range(len(held))):
            common = {value: min(held[i][value] for i in some) for value in held[some[0]]}
            size = sum(common.values())
            largest = max([largest, *(Fraction(count, size) for value, count in common.items() if size and sensitive[value])])
        assert found[chain] == float(largest)
