"""The partition of `variant: blocks`: groups of rows near each other. In a small table every partition is looked at instead; where such
groups do not come out in a larger one, others are searched for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from headgate.bounds.feasibility import ways_to_publish
from headgate.core.columns import Table
from headgate.grouping.items import Itemized, items_of
from headgate.grouping.watch import Watch
from headgate.methods.blocks.branching import sizes_of_new_groups
from headgate.methods.blocks.local_groups import divide
from headgate.methods.partition import Partition, counted_partition, refutation
from headgate.methods.searching.every_grouping import every_part, least_lossy
from headgate.methods.searching.search_groups import search_groups
from headgate.methods.settings import Settings

ATTEMPTS = 2  # orders in which what was set aside is placed
FEW_OVER = 64  # rows with too many similar ones; with more another order is not tried


def block_partition(table: Table, sensitive: Sequence[str], settings: Settings, seed: int, watch: Watch) -> Partition:
    itemized = items_of(table, settings.limits)
    parts = every_part(itemized.items, settings.k)
    least = None if parts is None else least_lossy(itemized, parts)
    if least is not None:
        return counted_partition(itemized, settings, least)
    best = _in_blocks(itemized, settings, [seed, 0], watch)
    if best.reached:
        return best
    best = replace(best, certificate=refutation(table, sensitive, settings))
    if best.certificate is not None or parts is not None:
        return best
    for attempt in range(1, ATTEMPTS):
        if best.rows_over > FEW_OVER:
            break
        again = _in_blocks(itemized, settings, [seed, attempt], watch)
        if again.reached:
            return again
        best = min(best, again, key=lambda partition: partition.rows_over)
    ways = ways_to_publish(table.select(table.quasi), table.rows // settings.k)
    sizes = (settings.k, sizes_of_new_groups(itemized.items.limits.allowed, settings.k)[0])
    searched = watch.run(lambda: search_groups(itemized, settings.k, best.groups, sizes, ways, seed, watch.state))
    partition = None if searched is None else counted_partition(itemized, settings, searched)
    return partition if partition is not None and partition.reached else best


def _in_blocks(itemized: Itemized, settings: Settings, seeds: list[int], watch: Watch) -> Partition:
    groups = watch.run(lambda: divide(itemized.items, itemized.item, settings.k, seeds, watch.state, watch.workers))
    return counted_partition(itemized, settings, groups)
