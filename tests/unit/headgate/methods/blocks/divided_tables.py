"""A table in groups, as `divide` makes them."""

from __future__ import annotations

from collections import Counter

import numpy as np

from headgate.methods.blocks import local_groups as blocks
from tests.unit.headgate.methods.blocks.drafts import K


def divided(case, seed=0):
    groups = blocks.divide(case.items, case.itemized.item, K, [seed, 0], np.zeros(3, dtype=np.int64))
    return [np.flatnonzero(groups == group).tolist() for group in range(int(groups.max()) + 1)]


def by_item(case, rows):
    return dict(Counter(case.itemized.item[rows].tolist()))
