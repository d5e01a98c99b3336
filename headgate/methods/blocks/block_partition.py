"""The partition of `variant: blocks`: groups of rows near each other; a small table that does not come out so is colored as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from headgate.core.columns import Table
from headgate.grouping.axes import axes_of
from headgate.grouping.items import Itemized, items_of
from headgate.grouping.watch import Watch
from headgate.methods.blocks.branching import sizes_of_new_groups
from headgate.methods.blocks.local_groups import divide
from headgate.methods.partition import Partition, counted_partition, refutation
from headgate.methods.settings import Settings
from headgate.methods.xcolor.faithful import color

FALL_BACK_ROWS = 5_000  # up to which the whole table is colored where blocks do not reach the limits
ATTEMPTS = 2  # orders in which what was set aside is placed
FEW_OVER = 64  # rows with too many similar ones; with more another order is not tried


def block_partition(table: Table, sensitive: Sequence[str], settings: Settings, seed: int, watch: Watch) -> Partition:
    itemized = items_of(table, settings.limits)
    best = _in_blocks(itemized, settings, [seed, 0], watch)
    if best.reached:
        return best
    best = replace(best, certificate=refutation(table, sensitive, settings))
    if best.certificate is not None:
        return best
    for attempt in range(1, ATTEMPTS):
        if best.rows_over > FEW_OVER:
            break
        again = _in_blocks(itemized, settings, [seed, attempt], watch)
        if again.reached:
            return again
        best = min(best, again, key=lambda partition: partition.rows_over)
    whole = _as_a_whole(table, itemized, settings, watch) if table.rows <= FALL_BACK_ROWS else None
    return whole or best


def _in_blocks(itemized: Itemized, settings: Settings, seeds: list[int], watch: Watch) -> Partition:
    groups = watch.run(lambda: divide(itemized.items, itemized.item, settings.k, seeds, watch.state, watch.workers))
    return counted_partition(itemized, settings, groups)


def _as_a_whole(table: Table, itemized: Itemized, settings: Settings, watch: Watch) -> Partition | None:
    """Colored as `faithful` does it, with larger groups too; None if that does not reach the limits either."""
    larger = sizes_of_new_groups(itemized.items.limits.allowed, settings.k)[0]
    for size in dict.fromkeys((larger, settings.k)):
        coloring = color(axes_of(table), settings.limits, table.rows, size, watch, cycles=False)
        whole = counted_partition(itemized, settings, coloring.groups)
        if whole.reached:
            return whole
    return None
