"""k counts households too (DEFINITIONS §13), with every method, wherever a table knows its households.

Methods that look at conditions count the distinct households of a group. The others count only neighbours, so they are given a limit that
is stricter: few rows of each household. Their result is judged by the households that its groups have.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from headgate.core.columns import Table
from headgate.counting.class_counts import count
from headgate.grouping.conditions import Households
from headgate.grouping.limits import HOUSEHOLDS, household_limits
from headgate.methods.method import Method
from headgate.methods.partition import Partition
from headgate.methods.settings import Settings
from headgate.principles.households import households


def counting_households(method: Method, table: Table, settings: Settings) -> Settings:
    """The same settings; with households of several rows, k of them are required of every group."""
    if table.household is None or int(table[table.household].counts().max()) < 2:
        return settings
    if method.looks_at_conditions:
        return replace(settings, conditions=(*settings.conditions, Households(table.household, settings.k)))
    return replace(settings, limits=(*settings.limits, *household_limits(table, settings.k)))


def recounted_by_households(table: Table, partition: Partition, k: int) -> Partition:
    """Groups that only the stricter limit refuses are reached if each has k households. That rows of equal quasi-identifiers may be in
    several groups changes nothing: together these have no fewer households."""
    if table.household is None or HOUSEHOLDS not in partition.broken or partition.levels is not None:
        return partition
    kept = np.flatnonzero(partition.groups >= 0)
    others = tuple(name for name in partition.broken if name != HOUSEHOLDS)
    if households(count(table[table.household].take(kept), [partition.groups[kept]])).k < k:
        return partition if others else replace(partition, rows_over=0)  # its rows are not similar but related
    reached = not others and partition.smallest >= k
    return replace(partition, broken=others, reached=reached, rows_over=0 if reached else partition.rows_over)
