"""t-closeness: the earth mover's distance between a class's values and the released table's (codip; DEFINITIONS §6).

category, set, vector: ½Σ|p − q|, every two values at distance 1.   ordinal, number: (1/(m−1))·Σ|cumulative difference| over the
declared levels, or the distinct numbers of the released table.   hierarchy: Σ over nodes height/H·min(Σ⁺, Σ⁻) of the children's net extra.

Missing is at distance 1 from every value. On a line that makes an exact partial transport: the surplus |p∅ − q∅| pays 1 per unit, since
no detour through missing (2) beats the line (≤ 1), and the rest must be matched at least cost: `line_transport`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Column
from headgate.core.compiling import dividing
from headgate.core.hierarchy import Hierarchy
from headgate.counting.class_counts import ClassCounts, Counted
from headgate.counting.figure import Bound, Figure
from headgate.counting.line_transport import over_full_line, over_line


@dataclass(frozen=True, eq=False)
class Closeness:
    """Closeness over all values, since a distance between distributions has no reading for single sensitive values."""

    figure: Figure

    @property
    def t(self) -> float:
        return self.figure.value


def closeness(counted: Counted) -> Closeness:
    """How far each class is from the released table."""
    total = counted.totals()
    figures = [distances(counted.column, counts, total) for counts in counted.readings]
    return Closeness(counted.figure_all("closeness", Bound.AT_MOST, figures))


def distances(column: Column, counts: ClassCounts, total: NDArray[np.int64]) -> NDArray[np.float64]:
    """EMD of each class from a table with `total` rows of each value, the missing ones last."""
    rows = int(total.sum())
    if column.hierarchy is not None and column.kind.rules.levels_above:
        return _over_hierarchy(counts, total, rows, column.hierarchy)
    if column.kind.ordered:
        # Numbers: only those that occur in the released table make the line; ordinals: all declared levels do.
        on_line = (total[:-1] > 0) | column.kind.rules.declared_line
        place, table = np.append(np.cumsum(on_line) - 1, -1), total[:-1][on_line]
        codes = place[counts.codes]
        if total[-1] == 0:
            return np.asarray(over_full_line(counts.starts, codes, counts.counts, counts.sizes, np.cumsum(table), rows))
        return np.asarray(over_line(counts.starts, codes, counts.counts, counts.sizes, table / rows, total[-1] / rows))
    over = np.maximum(counts.shares - total[counts.codes] / rows, 0.0)
    return np.asarray(np.add.reduceat(over, counts.starts[:-1]))  # ½Σ|p−q| is the sum of what exceeds


def _over_hierarchy(counts: ClassCounts, total: NDArray[np.int64], rows: int, hierarchy: Hierarchy) -> NDArray[np.float64]:
    sizes = hierarchy.nodes.max(axis=0).astype(np.int64) + 1
    parent = np.zeros((hierarchy.height, int(sizes.max())), dtype=np.int64)
    for level in range(hierarchy.height):
        parent[level, hierarchy.nodes[:, level]] = hierarchy.nodes[:, level + 1]
    leaf = np.append(hierarchy.nodes[:, 0], -1).astype(np.int64)  # a leaf's number among the nodes of level 0
    table = np.zeros(int(sizes[0]))
    table[leaf[:-1]] = total[:-1] / rows
    entries = leaf[counts.codes]
    return np.asarray(_over_tree(counts.starts, entries, counts.counts, counts.sizes, table, total[-1] / rows, parent, sizes))


@dividing
def _over_tree(
    starts: NDArray[np.int64],
    entries: NDArray[np.int64],
    counts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    table: NDArray[np.float64],
    table_missing: float,
    parent: NDArray[np.int64],
    nodes: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Level by level: what is over at one child of a node and short at another moves at that node's height. Missing is one more child
    of the root."""
    height = len(parent)
    out = np.zeros(len(sizes))
    net, over, short = np.zeros(nodes.max()), np.zeros(nodes.max()), np.zeros(nodes.max())
    for group in range(len(sizes)):
        net[: nodes[0]] = -table
        missing = -table_missing
        for i in range(starts[group], starts[group + 1]):
            share = counts[i] / sizes[group]
            if entries[i] < 0:
                missing += share
            else:
                net[entries[i]] += share
        for level in range(height):
            above = nodes[level + 1]
            over[:above] = 0.0
            short[:above] = 0.0
            for node in range(nodes[level]):
                if net[node] > 0:
                    over[parent[level, node]] += net[node]
                else:
                    short[parent[level, node]] -= net[node]
            if level == height - 1:
                over[0] += max(missing, 0.0)
                short[0] += max(-missing, 0.0)
            for node in range(above):
                out[group] += (level + 1) / height * min(over[node], short[node])
                net[node] = over[node] - short[node]
    return out
