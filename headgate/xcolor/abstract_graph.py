"""The abstract graph (paper, Definition 8): a vertex a row, an edge between rows whose sensitive values are ε-neighbours.

It is held on distinct values, never on pairs of rows: all rows with one value have the same neighbours, and each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from headgate.columns import Codes
from headgate.errors import InputRejected
from headgate.xcolor.compiled import SIZE, Limits, compile_limits, similar
from headgate.xcolor.limits import NeighbourhoodLimit

LARGEST_GRAPH = 20_000  # distinct values whose graph advice counts: a second or so
LARGEST_LIST = 60_000_000  # neighbour pairs of distinct values: 240 MB


@dataclass(frozen=True, eq=False)
class AbstractGraph:
    """`near[begin[u] : begin[u+1]]` are the distinct values similar to u, u among them; `count[u]` rows hold value u."""

    value: Codes  # of each row
    count: NDArray[np.int64]
    begin: NDArray[np.int64]
    near: Codes

    def degrees(self) -> NDArray[np.int64]:
        """Neighbours of each row, itself not counted: Σ_{u~v} count(u) − 1."""
        return self.neighbourhoods()[self.value] - 1

    def neighbourhoods(self) -> NDArray[np.int64]:
        """Rows similar to each distinct value, its own rows included."""
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


def similar_pairs(limit: NeighbourhoodLimit) -> tuple[int, int]:
    """Ordered pairs of similar distinct values, and Θ, without holding the graph. More ε never has fewer pairs."""
    compiled = compile_limits([limit], limit.rows)
    count = np.bincount(limit.value, minlength=len(limit.distinct)).astype(np.int64)
    pairs = int(_weights(compiled, np.ones(len(count), dtype=np.int64)).sum())
    return pairs, int(_weights(compiled, count).max(initial=1)) - 1


def largest_degree(limit: NeighbourhoodLimit) -> int:
    """Θ (Definition 12)."""
    return similar_pairs(limit)[1]


def abstract_graph(limit: NeighbourhoodLimit) -> AbstractGraph:
    """Built from the distance of one limit, with its radius as ε."""
    compiled = compile_limits([limit], limit.rows)
    count = np.bincount(limit.value, minlength=len(limit.distinct)).astype(np.int64)
    lengths = _weights(compiled, np.ones(len(count), dtype=np.int64))
    if lengths.sum() > LARGEST_LIST:
        raise InputRejected(
            f"The abstract graph has {int(lengths.sum())} pairs of similar values, too many to hold.",
            "Use variant: blocks, or a smaller ε.",
        )
    begin = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return AbstractGraph(limit.value, count, begin, _lists(compiled, begin))


@numba.njit(cache=True, nogil=True)
def _weights(limits: Limits, weight: NDArray[np.int64]) -> NDArray[np.int64]:
    """For every distinct value the weight of those similar to it, itself included."""
    size = limits.facts[0, SIZE]
    totals = weight.copy()
    for a in range(size):
        for b in range(a):
            if similar(limits, 0, a, b):
                totals[a] += weight[b]
                totals[b] += weight[a]
    return totals


@numba.njit(cache=True, nogil=True)
def _lists(limits: Limits, begin: NDArray[np.int64]) -> NDArray[np.int32]:
    near = np.empty(begin[-1], dtype=np.int32)
    filled = 0
    for a in range(limits.facts[0, SIZE]):
        for b in range(limits.facts[0, SIZE]):
            if similar(limits, 0, a, b):
                near[filled] = b
                filled += 1
    return near
