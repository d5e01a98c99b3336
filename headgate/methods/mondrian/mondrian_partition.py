"""Mondrian's partition, checked as strictly as XColor's: counted and measured again from the group numbers alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from headgate.core.columns import Table
from headgate.grouping.conditions import broken_conditions
from headgate.grouping.items import items_of
from headgate.grouping.watch import Watch
from headgate.methods.mondrian.median_groups import divide
from headgate.methods.partition import Partition, counted_partition, refutation
from headgate.methods.settings import Settings


def mondrian_partition(
    table: Table, sensitive: Sequence[str], settings: Settings, strict: bool = True, watch: Watch | None = None
) -> Partition:
    """Groups of at least k rows, and whether they satisfy all requirements. Nothing is random: the same table gives the same groups."""
    groups = divide(table, settings, strict, sensitive, watch)
    failures = tuple(broken_conditions(table, groups, settings.conditions))
    partition = counted_partition(items_of(table, settings.limits), settings, groups, failures)
    return partition if partition.reached else replace(partition, certificate=refutation(table, sensitive, settings))
