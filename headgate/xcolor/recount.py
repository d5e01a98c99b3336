"""The exact count at the end: does a finished partition keep its limits, in every group and in every published class?

An attacker may know the group, or only the quasi-identifiers as published; several groups can be published alike, and (ε, δ) is
not monotone under union. So every limit is counted both ways, and the worse counts (DEFINITIONS §1, §3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from headgate.xcolor.items import Items
from headgate.columns import Codes, Column
from headgate.distinct import firsts_and_sizes, places
from headgate.xcolor.axes import published_keys
from headgate.xcolor.compiled import START, Limits, order_of_limits
from headgate.xcolor.counting import near_rows
from headgate.xcolor.limits import NeighbourhoodLimit


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


def recount(items: Items, item: Codes, limits: Sequence[NeighbourhoodLimit], groups: Codes) -> Recount:
    """Counts again from the group numbers alone, rows that nothing tells apart at once."""
    over = np.zeros(len(groups), dtype=np.int64)
    kept = groups >= 0
    if not kept.any():
        return Recount(0, over, None, (), np.zeros(0, dtype=bool), 0.0)
    whole = bool(kept.all())
    numbers, own = (groups, item) if whole else (groups[kept], item[kept])
    pair = places([numbers, own])
    first, rows = firsts_and_sizes(pair)
    group, of = numbers[first].astype(np.int64), own[first].astype(np.int64)
    bounds = np.searchsorted(group, np.arange(int(group[-1]) + 2)).astype(np.int64)
    worst, fails, too_many = count_pairs(items.limits, of, rows, bounds)
    sizes = np.add.reduceat(rows, bounds[:-1])
    keys, losses = published_keys(items.axes, items.cell[of], bounds)
    classes = np.unique(keys, return_inverse=True)[1]
    class_worst, class_sizes = worst, sizes
    if (count := int(classes.max()) + 1) < len(sizes):
        order = np.argsort(classes[group], kind="stable")
        class_bounds = np.searchsorted(classes[group][order], np.arange(count + 1)).astype(np.int64)
        class_worst, class_fails, more = count_pairs(items.limits, of[order], rows[order], class_bounds)
        class_sizes = np.add.reduceat(rows[order], class_bounds[:-1])
        too_many[order] += more
        fails = fails | class_fails[classes]
    broken: list[str] = []
    risk: float | None = None
    for i, limit in enumerate(order_of_limits(limits)):
        if (worst[:, i] > limit.allowed[sizes]).any() or (class_worst[:, i] > limit.allowed[class_sizes]).any():
            broken.append(limit.name)
        if limit is main_limit(limits):
            risk = max(_risk(worst[:, i], sizes), _risk(class_worst[:, i], class_sizes))
    if broken:
        over[kept] = too_many[pair]
    loss = float((losses * sizes).sum() / (len(pair) * max(1, len(items.axes.facts))))
    return Recount(int(sizes.min()), over, risk, tuple(broken), fails, loss)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def count_pairs(
    limits: Limits, item: NDArray[np.int64], rows: NDArray[np.int64], bounds: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.int64]]:
    """The fullest neighbourhood of a centre for every group and limit (0 without centres), which groups hold too full ones, and how many
    similar rows too many each centre has. Group g has rows[i] rows of item[i], for i from bounds[g] to bounds[g+1]."""
    kinds, groups = len(limits.facts), len(bounds) - 1
    worst = np.zeros((groups, kinds), dtype=np.int64)
    fails = np.zeros(groups, dtype=np.bool_)
    over = np.zeros(len(item), dtype=np.int64)
    for g in range(groups):
        begin, end = bounds[g], bounds[g + 1]
        size = rows[begin:end].sum()
        values = np.empty(end - begin, dtype=np.int64)
        for l in range(kinds):  # noqa: E741
            for i in range(end - begin):
                values[i] = limits.value[item[begin + i], l]
            near = near_rows(limits, l, values, rows[begin:end])
            cap = limits.allowed[l, size]
            for i in range(end - begin):
                if limits.centre[limits.facts[l, START] + values[i]]:
                    worst[g, l] = max(worst[g, l], near[i])
                    if near[i] > cap:
                        over[begin + i] += near[i] - cap
                        fails[g] = True
    return worst, fails, over


def fullest_share(columns: Sequence[Column], groups: Codes) -> float:
    """Linkability of a partition by group: the largest share of one sensitive value in a group."""
    kept = groups >= 0
    sizes = np.bincount(groups[kept])
    most = 0.0
    for column in columns:
        codes = np.where(column.codes < 0, len(column.values), column.codes)[kept]
        centre = column.sensitive[codes]
        cells, counts = np.unique(groups[kept][centre].astype(np.int64) * (len(column.values) + 1) + codes[centre], return_counts=True)
        if len(cells):
            most = max(most, float((counts / sizes[cells // (len(column.values) + 1)]).max()))
    return most


def main_limit(limits: Sequence[NeighbourhoodLimit]) -> NeighbourhoodLimit | None:
    """The (ε, δ) whose risk is reported: the table's own, which comes first."""
    return next((limit for limit in limits if limit.delta is not None), None)


def _risk(worst: NDArray[np.int64], sizes: NDArray[np.int64]) -> float:
    """max (|Φ| − 1)/(|G| − 1); 1 for a group of one sensitive row; 0 where nothing is sensitive."""
    shares = np.where(sizes > 1, (worst - 1) / np.maximum(sizes - 1, 1), 1.0)
    return float(np.where(worst > 0, shares, 0.0).max(initial=0.0))
