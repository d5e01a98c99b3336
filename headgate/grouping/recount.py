"""The exact count at the end: does a finished partition keep its limits, in every group and in every published class?

An attacker may know the group, or only the quasi-identifiers as published; several groups can be published alike, and (ε, δ) is
not monotone under union. So every limit is counted both ways, and the worse counts (DEFINITIONS §1, §3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes
from headgate.core.compiling import loop
from headgate.core.distinct import firsts_and_sizes, places
from headgate.counting.neighbours import neighbours
from headgate.grouping.axes import published_keys
from headgate.grouping.items import Itemized
from headgate.grouping.limits import NeighbourhoodLimit
from headgate.grouping.nearness import order_of_limits
from headgate.grouping.neighbour_counts import near_in_groups


@dataclass(frozen=True, eq=False)
class Recount:
    """`over[row]`: similar rows too many around this row, summed over the limits, groups and classes; 0 everywhere means kept."""

    smallest: int
    over: NDArray[np.int64]
    risk: float | None  # of the first (ε, δ) limit, the worse of groups and classes
    broken: tuple[str, ...]  # the limits that some group or class does not keep
    groups_over: NDArray[np.bool_]  # group does not pass, by itself or as part of a class
    loss: float  # normalized certainty penalty of the released rows

    def reached(self, k: int) -> bool:
        return self.smallest >= k and not self.broken


def recount(table: Itemized, limits: Sequence[NeighbourhoodLimit], groups: Codes) -> Recount:
    """Counts again from the group numbers alone, rows that nothing tells apart at once."""
    usual, rows, others = usual_groups(groups, table.item, len(table.items.item))
    if not rows.any():
        return Recount(0, np.zeros(len(groups), dtype=np.int64), None, (), np.zeros(0, dtype=bool), 0.0)
    item = np.flatnonzero(rows)
    group, rows = usual[item].astype(np.int64), rows[item]
    if len(others):
        pair = places([groups[others], table.item[others]])
        first, more = firsts_and_sizes(pair)
        group = np.concatenate([group, groups[others][first]])
        item, rows = np.concatenate([item, table.item[others][first]]), np.concatenate([rows, more])
    order = np.argsort(group, kind="stable")
    group, item, rows = group[order], item[order], rows[order]
    by_group = _Reading.of(group, item, rows)
    keys, losses = published_keys(table.items.axes, table.items.item.cell[item], by_group.bounds)
    classes = np.unique(keys, return_inverse=True)[1]
    order = np.argsort(classes[group], kind="stable")
    readings = [(by_group, np.arange(len(item)))]
    if classes.max() + 1 < len(classes):
        readings.append((_Reading.of(classes[group][order], item[order], rows[order]), order))
    too_many, broken, risk = np.zeros(len(item), dtype=np.int64), dict.fromkeys(limit.name for limit in limits), None
    main = main_limit(limits)
    for i, limit in enumerate(order_of_limits(limits)):
        kept_everywhere = True
        for reading, at in readings:
            near = reading.near(table, limit, i)
            centre = limit.centre[limit.value[table.first[reading.item]]]
            excess = np.where(centre, near - np.repeat(limit.allowed[reading.sizes], np.diff(reading.bounds)), 0).clip(min=0)
            too_many[at] += excess
            kept_everywhere = kept_everywhere and not excess.any()
            if limit is main:
                risk = max(risk or 0.0, _risk(np.maximum.reduceat(np.where(centre, near, 0), reading.bounds[:-1]), reading.sizes))
        if kept_everywhere:
            del broken[limit.name]
    over = np.zeros(len(groups), dtype=np.int64)
    if broken:
        number = places([group.astype(np.int32), item.astype(np.int32)])
        kept = np.flatnonzero(groups >= 0)
        whose = places([np.concatenate([group.astype(np.int32), groups[kept]]), np.concatenate([item.astype(np.int32), table.item[kept]])])
        of = np.empty(len(number), dtype=np.int64)
        of[number] = too_many
        over[kept] = of[whose[len(group) :]]
    fails = np.bincount(group, weights=too_many) > 0
    loss = float((losses * by_group.sizes).sum() / (rows.sum() * max(1, len(table.items.axes.of))))
    return Recount(int(by_group.sizes.min()), over, risk, tuple(broken), fails, loss)


@loop
def usual_groups(groups: Codes, item: Codes, items: int) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """For each item, the group of its first row and its number of rows there; and the rows that are in another group. These are usually
    few, so most rows need no look-up."""
    usual, count = np.full(items, -1, dtype=np.int32), np.zeros(items, dtype=np.int64)
    others, many = np.empty(1024, dtype=np.int64), 0
    for row in range(len(groups)):
        group, i = groups[row], item[row]
        if group < 0:
            continue
        if usual[i] < 0:
            usual[i] = group
        if usual[i] == group:
            count[i] += 1
        else:
            if many == len(others):
                larger = np.empty(2 * many, dtype=np.int64)
                larger[:many] = others
                others = larger
            others[many] = row
            many += 1
    return usual, count, others[:many]


@dataclass(frozen=True, eq=False)
class _Reading:
    """Groups, or classes of groups that are published alike: rows[i] rows of item[i], for i from bounds[g] to bounds[g+1]."""

    item: NDArray[np.int64]
    rows: NDArray[np.int64]
    bounds: NDArray[np.int64]
    sizes: NDArray[np.int64]

    @classmethod
    def of(cls, group: NDArray[np.int64], item: NDArray[np.int64], rows: NDArray[np.int64]) -> _Reading:
        bounds = np.searchsorted(group, np.arange(int(group[-1]) + 2)).astype(np.int64)
        return cls(item, rows, bounds, np.add.reduceat(rows, bounds[:-1]))

    def near(self, table: Itemized, limit: NeighbourhoodLimit, place: int) -> NDArray[np.int64]:
        """Rows of the same group that are similar to each, exactly: by Δ itself where the loops only steer by boxes of values."""
        if len(limit.distinct) == table.items.limits.of[place].values:
            return np.asarray(near_in_groups(table.items.limits, place, self.item, self.rows, self.bounds))
        value = limit.value[table.first[self.item]]
        own = places([np.repeat(np.arange(len(self.sizes), dtype=np.int32), np.diff(self.bounds)), value])
        first, _ = firsts_and_sizes(own)
        counts = np.bincount(own, weights=self.rows).astype(np.int64)
        starts = np.searchsorted(first, self.bounds).astype(np.int64)
        return np.asarray(neighbours(limit.layout, limit.distinct[value[first]], starts, counts, limit.radius)[own])


def main_limit(limits: Sequence[NeighbourhoodLimit]) -> NeighbourhoodLimit | None:
    """The (ε, δ) whose risk is reported: the table's own, which comes first."""
    return next((limit for limit in limits if limit.delta is not None), None)


def _risk(worst: NDArray[np.int64], sizes: NDArray[np.int64]) -> float:
    """max (|Φ| − 1)/(|G| − 1), 0 where nothing is sensitive; 1 for a group of one row, whatever its value."""
    return float(np.where(sizes > 1, np.maximum(worst - 1, 0) / np.maximum(sizes - 1, 1), 1.0).max(initial=0.0))
