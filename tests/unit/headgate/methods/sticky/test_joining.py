"""New people join the cores near them."""

from __future__ import annotations

import numpy as np
import pytest

from headgate.methods.sticky.core_draft import draft_of
from headgate.methods.sticky.joining import FILLING, join
from tests.unit.headgate.methods.sticky.grouped_tables import K, kept_groups, rows_by_item


@pytest.mark.parametrize("seed", range(16))
@pytest.mark.parametrize("near", [0.7, np.inf])
def test_each_newcomer_joins_where_that_costs_least_and_the_limits_are_kept(told, seed, near):
    """Every group is tried by counting. A core below k is worth more."""
    case = told(seed, 50)
    groups, many = kept_groups(case, seed)
    if many == 0:
        return
    held = rows_by_item(case, groups)
    newcomers = np.sort(np.flatnonzero(groups < 0))
    draft = draft_of(case.itemized, groups, K, np.zeros(3, dtype=np.int64))
    joined = join(draft, case.itemized.item[newcomers].astype(np.int64), near)
    for row, group in zip(newcomers.tolist(), joined.tolist(), strict=True):
        item, costs = int(case.itemized.item[row]), {}
        for other, rows in enumerate(held):
            more = rows.copy()
            more[item] += 1
            if case.keeps(more):
                size = sum(rows.values())
                costs[other] = (size + 1) * case.loss(more) - size * case.loss(rows) - FILLING * (size < K)
        least = min(costs.values(), default=np.inf)
        if group < 0:
            assert least >= near - 1e-9
        else:
            assert costs[group] == pytest.approx(least, abs=1e-9)
            held[group][item] += 1
