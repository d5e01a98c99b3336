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

from headgate.columns import Codes, Column
from headgate.xcolor.axes import Axes, published_keys
from headgate.xcolor.compiled import START, Limits, order_of_limits
from headgate.xcolor.counting import neighbourhoods
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


def recount(axes: Axes, compiled: Limits, limits: Sequence[NeighbourhoodLimit], groups: Codes) -> Recount:
    """Counts again from the group numbers alone."""
    rows = np.flatnonzero(groups >= 0)
    over = np.zeros(len(groups), dtype=np.int64)
    if len(rows) == 0:
        return Recount(0, over, None, (), np.zeros(0, dtype=bool), 0.0)
    order, bounds = grouped(groups)
    worst, group_fails = count_groups(compiled, order, bounds, over)
    sizes = np.diff(bounds)
    keys, losses = published_keys(axes, order, bounds)
    classes = np.unique(keys, return_inverse=True)[1]
    together = classes[groups[rows]]
    class_worst, class_sizes = worst, sizes
    count = int(classes.max()) + 1
    if count < len(sizes):
        whole = np.full(len(groups), -1, dtype=np.int32)
        whole[rows] = together
        class_order, class_bounds = grouped(whole)
        class_worst, class_fails = count_groups(compiled, class_order, class_bounds, over)
        class_sizes = np.diff(class_bounds)
        group_fails = group_fails | class_fails[classes]
    broken: list[str] = []
    risk: float | None = None
    for i, limit in enumerate(order_of_limits(limits)):
        if (worst[:, i] > limit.allowed[sizes]).any() or (class_worst[:, i] > limit.allowed[class_sizes]).any():
            broken.append(limit.name)
        if limits and limit is main_limit(limits):
            risk = max(_risk(worst[:, i], sizes), _risk(class_worst[:, i], class_sizes))
    loss = float((losses * sizes).sum() / (len(rows) * max(1, len(axes.facts))))
    return Recount(int(sizes.min()), over, risk, tuple(broken), group_fails, loss)


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


def grouped(groups: Codes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows sorted by group, and where each group begins; suppressed rows are left out."""
    order = np.argsort(groups, kind="stable").astype(np.int64)
    order = order[int((groups < 0).sum()) :]
    bounds = np.concatenate([[0], np.cumsum(np.bincount(groups[groups >= 0]))]).astype(np.int64)
    return order, bounds


def _risk(worst: NDArray[np.int64], sizes: NDArray[np.int64]) -> float:
    """max (|Φ| − 1)/(|G| − 1); 1 for a group of one sensitive row; 0 where nothing is sensitive."""
    shares = np.where(sizes > 1, (worst - 1) / np.maximum(sizes - 1, 1), 1.0)
    return float(np.where(worst > 0, shares, 0.0).max(initial=0.0))


@numba.njit(cache=True, nogil=True)
def count_groups(
    limits: Limits, order: NDArray[np.int64], bounds: NDArray[np.int64], over: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The fullest neighbourhood of a centre for every group and limit (0 without centres), and which groups hold too full ones.

    Adds to `over` how many similar rows too many each centre has."""
    groups = len(bounds) - 1
    kinds = len(limits.facts)
    worst = np.zeros((groups, kinds), dtype=np.int64)
    fails = np.zeros(groups, dtype=np.bool_)
    for g in range(groups):
        rows = order[bounds[g] : bounds[g + 1]]
        counts = np.empty(len(rows), dtype=np.int64)
        for l in range(kinds):  # noqa: E741
            cap = limits.allowed[l, len(rows)]
            neighbourhoods(limits, l, rows, counts)
            for i in range(len(rows)):
                if limits.centre[limits.facts[l, START] + limits.value[rows[i], l]]:
                    worst[g, l] = max(worst[g, l], counts[i])
                    if counts[i] > cap:
                        over[rows[i]] += counts[i] - cap
                        fails[g] = True
    return worst, fails
