"""Tables with groups that do not keep their limits yet, and what the counts of their groups are by definition."""

from __future__ import annotations

import numpy as np

from benchmarks.every_partition import Case
from benchmarks.planted_tables import planted
from headgate.grouping.items import Itemized, items_of
from headgate.methods.searching.seats import Seats, centres, seated, similar_rows


def begun(seed: int) -> tuple[Case, Itemized, Seats]:
    """Rows dealt to groups in turn."""
    case = planted(seed, 20, 60)
    itemized = items_of(case.table, case.settings().limits)
    limits, item = itemized.items.limits, itemized.item
    groups = np.arange(case.rows) % (case.rows // case.k)
    return case, itemized, seated(similar_rows(limits, item), centres(limits, item), limits.allowed, groups, 2 * case.k)


def counted(seats: Seats) -> list[int]:
    """By how many similar rows each group exceeds its limits."""
    total = []
    for group in range(len(seats.size)):
        rows = np.flatnonzero(seats.group == group)
        near = seats.near[:, rows][:, :, rows].astype(int).sum(axis=2)
        excess = np.maximum(near - seats.allowed[:, [len(rows)]], 0) * seats.centre[:, rows]
        total.append(int(excess.sum()))
    return total
