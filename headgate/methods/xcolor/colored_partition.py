"""The partition of `variant: faithful`: exchanges of two, and where nothing forbids a partition also of three."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from headgate.core.columns import Table
from headgate.grouping.axes import axes_of
from headgate.grouping.items import items_of
from headgate.grouping.watch import Watch
from headgate.methods.partition import Partition, counted_partition, refutation
from headgate.methods.settings import Settings
from headgate.methods.xcolor.faithful import color


def colored_partition(table: Table, sensitive: Sequence[str], settings: Settings, watch: Watch) -> Partition:
    """Nothing is drawn: the same table, the same groups."""
    itemized = items_of(table, settings.limits)

    def colored(cycles: bool) -> Partition:
        coloring = color(axes_of(table), settings.limits, table.rows, settings.k, watch, cycles)
        return counted_partition(itemized, settings, coloring.groups)

    paired = colored(cycles=False)
    if paired.reached:
        return paired
    certificate = refutation(table, sensitive, settings, equitable=True)
    if certificate is not None:
        return replace(paired, certificate=certificate)
    cycled = colored(cycles=True)  # exchanges of three take long, and are only for what could be possible
    return cycled if cycled.reached else min(paired, cycled, key=lambda partition: partition.rows_over)
