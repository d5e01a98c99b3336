"""What to do when the limits are not reached (DEFINITIONS §4): suppress rows. Never a silent weakening."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes, Table
from headgate.grouping.items import items_of
from headgate.grouping.limits import NeighbourhoodLimit
from headgate.grouping.recount import recount
from headgate.methods.partition import Partition
from headgate.methods.searching.every_grouping import every_part, largest_parts
from headgate.methods.settings import Settings

SMALLEST_QUOTA = 16  # rows taken away in one round; more in large tables, all that may be in the later rounds
PARTS = 100  # of a small table that are tried, the largest first
SUPPRESSIONS = 12  # rounds of removing rows and grouping the rest again

Group = Callable[[Table, Settings], Partition]


def suppress(table: Table, settings: Settings, refused: Partition, group: Group, seed: int) -> Partition:
    """Takes away rows that have the most similar ones too many, ties by seed, and groups the rest again, until all is kept or the
    share of input rows is used up. Greedy: not the fewest possible, which is NP-hard to find. Those of a small table are found first."""
    budget = int(settings.infeasible.amount * table.rows)
    least = refused.certificate.to_suppress if refused.certificate is not None else None
    if budget == 0 or (least is not None and least > budget):
        return refused
    tie = np.random.default_rng(seed).permutation(table.rows)
    fewest = _fewest(table, settings, refused, group, tie, budget)
    if fewest is not None:
        return fewest
    kept = np.arange(table.rows)
    current = refused
    for attempt in range(SUPPRESSIONS):
        remaining = budget - (table.rows - len(kept))
        if remaining == 0:
            break
        quota = max(SMALLEST_QUOTA, table.rows // 100) if attempt < SUPPRESSIONS // 2 else remaining
        limits = tuple(limit.take(kept) for limit in settings.limits)
        kept = kept[~_most_violating(table.take(kept), limits, current.groups, tie[kept], min(remaining, quota))]
        if len(kept) < settings.k:
            break
        current = _grouped(table, settings, kept, group)
        if current.reached:
            return _among_all(table, current, kept, refused)
    return refused


def _grouped(table: Table, settings: Settings, kept: NDArray[np.int64], group: Group) -> Partition:
    limits = tuple(limit.take(kept) for limit in settings.limits)
    return group(table.take(kept), replace(settings, limits=limits))


def _among_all(table: Table, partition: Partition, kept: NDArray[np.int64], refused: Partition) -> Partition:
    """The partition of some rows as one of all rows, the others suppressed."""
    groups = np.full(table.rows, -1, dtype=np.int32)
    groups[kept] = partition.groups
    return replace(partition, groups=groups, suppressed=table.rows - len(kept), certificate=refused.certificate)


def _fewest(table: Table, settings: Settings, refused: Partition, group: Group, tie: NDArray[np.int64], budget: int) -> Partition | None:
    """Without the fewest rows, where every part of the table can be looked at and the method groups the rest."""
    itemized = items_of(table, settings.limits)
    parts = every_part(itemized.items, settings.k)
    if parts is None:
        return None
    for kept in islice(largest_parts(itemized, parts, tie, budget), PARTS):
        current = _grouped(table, settings, kept, group)
        if current.reached:
            return _among_all(table, current, kept, refused)
    return None


def _most_violating(
    table: Table, limits: Sequence[NeighbourhoodLimit], groups: Codes, tie: NDArray[np.int64], quota: int
) -> NDArray[np.bool_]:
    """Rows to take away, the worst of each crowd first, until the groups as they are keep the limits or the quota is used up."""
    itemized = items_of(table, limits)
    left = groups.copy()
    gone = 0
    while gone < quota:
        counted = recount(itemized, limits, _renumbered(left))
        if not counted.broken:
            break
        over = counted.over
        worst = np.zeros(int(left.max()) + 1, dtype=np.int64)
        np.maximum.at(worst, left[left >= 0], over[left >= 0])
        order = np.lexsort((tie, -over, left.astype(np.int64)))
        order = order[(left[order] >= 0) & (over[order] > 0)]
        first = np.searchsorted(left[order], np.arange(len(worst)))
        rank = np.arange(len(order)) - first[left[order]]
        chosen = order[rank < np.maximum(1, worst[left[order]] // 2)]
        chosen = chosen[np.lexsort((tie[chosen], -over[chosen]))][: quota - gone]
        left[chosen] = -1
        gone += len(chosen)
    return left < 0


def _renumbered(groups: Codes) -> Codes:
    """Groups without gaps, where some have lost all their rows."""
    out = groups.copy()
    out[groups >= 0] = np.unique(groups[groups >= 0], return_inverse=True)[1]
    return out
