"""The abstract graph (paper, Definition 8): a vertex a row, an edge between rows whose sensitive values are ε-neighbours.

It is kept on distinct values, never on pairs of rows: all rows with one value have the same neighbours, and each other. Degrees are
counted by `neighbours`, which compares few pairs; lists are built run by run, as no edge crosses from one run to another.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes
from headgate.core.compiling import loop
from headgate.core.distance import LINE, DistanceLayout
from headgate.core.errors import InputRejected
from headgate.counting.neighbours import neighbours, runs_apart
from headgate.counting.value_boxes import HAIR, close
from headgate.grouping.limits import NeighbourhoodLimit

LARGEST_GRAPH = 20_000  # distinct values whose graph advice counts whatever their distance; on one or two lines a million take a second
SHORT = 32  # values in a run that are all compared with each other
LARGEST_LIST = 60_000_000  # neighbour pairs of distinct values: 240 MB


@dataclass(frozen=True, eq=False)
class AbstractGraph:
    """`near[begin[u] : begin[u+1]]` are the distinct values similar to u that occur, u among them; `count[u]` rows hold value u."""

    value: Codes  # of each row
    count: NDArray[np.int64]
    begin: NDArray[np.int64]
    near: Codes

    def degrees(self) -> NDArray[np.int64]:
        """Neighbours of each row, itself not counted: Σ_{u~v} count(u) − 1."""
        return self.neighbourhoods()[self.value] - 1

    def neighbourhoods(self) -> NDArray[np.int64]:
        """Rows similar to each distinct value that occurs, its own rows included."""
        sums = np.concatenate([[0], np.cumsum(self.count[self.near])])
        return np.asarray(sums[self.begin[1:]] - sums[self.begin[:-1]], dtype=np.int64)

    @property
    def largest_degree(self) -> int:
        """Θ (Definition 12)."""
        return int(self.degrees().max(initial=0))

    @property
    def edge_count(self) -> int:
        return int(self.degrees().sum()) // 2

    def edges(self) -> frozenset[tuple[int, int]]:
        """Pairs of rows, smaller number first. For small tables."""
        rows_of: dict[int, list[int]] = {}
        for row, value in enumerate(self.value.tolist()):
            rows_of.setdefault(value, []).append(row)
        return frozenset(
            (row, other)
            for row, value in enumerate(self.value.tolist())
            for near in self.near[self.begin[value] : self.begin[value + 1]].tolist()
            for other in rows_of.get(near, [])
            if row < other
        )


@dataclass(frozen=True, eq=False)
class Occurring:
    """The distinct values that some row holds: their numbers in the limit, their codes, and how many rows each."""

    number: NDArray[np.int64]
    codes: Codes
    count: NDArray[np.int64]


def occurring(limit: NeighbourhoodLimit) -> Occurring:
    count = np.bincount(limit.value, minlength=len(limit.distinct)).astype(np.int64)
    number = np.flatnonzero(count)
    return Occurring(number, np.ascontiguousarray(limit.distinct[number]), count[number])


def weight_near(limit: NeighbourhoodLimit, present: Occurring, weight: NDArray[np.int64], work: int | None = None) -> NDArray[np.int64]:
    """The weight of all values similar to each value that occurs, itself included. If a value weighs as many rows as have it, this is a
    number of rows."""
    return neighbours(limit.layout, present.codes, np.array([0, len(present.count)]), weight, limit.radius, work)


def similar_pairs(limit: NeighbourhoodLimit) -> tuple[int, int]:
    """Ordered pairs of similar distinct values, and Θ, without holding the graph. More ε never has fewer pairs."""
    present = occurring(limit)
    pairs = int(weight_near(limit, present, np.ones_like(present.count)).sum())
    return pairs, int(weight_near(limit, present, present.count).max(initial=1)) - 1


def largest_degree(limit: NeighbourhoodLimit) -> int:
    """Θ (Definition 12)."""
    present = occurring(limit)
    return int(weight_near(limit, present, present.count).max(initial=1)) - 1


def abstract_graph(limit: NeighbourhoodLimit) -> AbstractGraph:
    """Built from the distance of one limit, with its radius as ε."""
    present = occurring(limit)
    pairs = int(weight_near(limit, present, np.ones_like(present.count)).sum())
    if pairs > LARGEST_LIST:
        raise InputRejected(
            f"The abstract graph has {pairs} pairs of similar values, too many to hold.", "Use variant: blocks, or a smaller ε."
        )
    order, runs = runs_apart(limit.layout, present.codes, np.array([0, len(present.count)]), limit.radius)
    codes, number = np.ascontiguousarray(present.codes[order]), present.number[order]
    lengths = np.zeros(len(limit.distinct), dtype=np.int64)
    across = np.full(len(runs) - 1, -1)
    for run in np.flatnonzero(np.diff(runs) > SHORT).tolist():
        here = slice(runs[run], runs[run + 1])
        across[run] = _widest_line(limit.layout, codes[here])
        if across[run] >= 0:  # along the line, so that few pairs are compared
            by_line = np.argsort(codes[here, across[run]], kind="stable")
            codes[here], number[here] = codes[here][by_line], number[here][by_line]
    _pairs(limit.layout, codes, number, runs, across, limit.radius, lengths, np.empty(0, np.int64), np.empty(0, np.int32))
    begin = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    near = np.empty(begin[-1], dtype=np.int32)
    _pairs(limit.layout, codes, number, runs, across, limit.radius, np.zeros_like(lengths), begin, near)
    count = np.zeros(len(limit.distinct), dtype=np.int64)
    count[present.number] = present.count
    return AbstractGraph(limit.value, count, begin, near)


def _widest_line(layout: DistanceLayout, codes: Codes) -> int:
    """The line on which these values lie farthest apart; −1 if there is none, or if being far apart on one line means nothing."""
    if layout.least:
        return -1
    line, width = -1, 0.0
    for i in np.flatnonzero(layout.mode == LINE).tolist():
        low, high = int(codes[:, i].min()), int(codes[:, i].max())
        if low >= 0:
            start = int(layout.offset[i])
            spread = float(layout.buffer[start + high] - layout.buffer[start + low]) * float(layout.weight[i]) ** (1.0 / layout.power)
            line, width = (i, spread) if spread > width else (line, width)
    return line


@loop
def _pairs(
    layout: DistanceLayout,
    codes: NDArray[np.int32],
    number: NDArray[np.int64],
    runs: NDArray[np.int64],
    across: NDArray[np.int64],
    reach: float,
    lengths: NDArray[np.int64],
    begin: NDArray[np.int64],
    near: NDArray[np.int32],
) -> None:
    """Adds to `lengths` how many similar values each has, itself included; where `near` has room, writes them there in ascending order."""
    write = len(near) > 0
    for run in range(len(runs) - 1):
        line = across[run]
        start = layout.offset[line] if line >= 0 else 0
        share = layout.weight[line] ** (1.0 / layout.power) if line >= 0 else 0.0
        for i in range(runs[run], runs[run + 1]):
            a = number[i]
            if write:
                near[begin[a] + lengths[a]] = a
            lengths[a] += 1
            for j in range(i + 1, runs[run + 1]):
                if line >= 0 and share * (layout.buffer[start + codes[j, line]] - layout.buffer[start + codes[i, line]]) > reach + HAIR:
                    break
                if close(layout, codes, i, j, reach):
                    b = number[j]
                    if write:
                        near[begin[a] + lengths[a]] = b
                        near[begin[b] + lengths[b]] = a
                    lengths[a] += 1
                    lengths[b] += 1
    if write:
        for a in number:
            near[begin[a] : begin[a + 1]].sort()
