"""Greedy k-member clustering (Byun, Kamra, Bertino, Li: Efficient k-anonymization using clustering techniques, DASFAA 2007), by our measure
of loss: from the record farthest from the last cluster's first one, a cluster takes k − 1 times the record that widens it least; what is
left over in the end goes where it widens least.

Records that agree in all quasi-identifiers are looked at once: whichever of them is taken, the others widen a cluster by nothing. That
changes nothing but ties, and is many times faster. The farthest record is sought by the paper's distance: the difference of two numbers
over the domain, and 1 for two different categories.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from benchmarks.peers.cells import Cells

Numbers = NDArray[np.int64]


def k_member(cells: Cells, k: int, seed: int = 0) -> NDArray[np.int32]:
    """The group of each row."""
    first = int(np.random.default_rng(seed).integers(len(cells.rows)))
    return np.asarray(_grown(cells.position, cells.place, cells.count, cells.row, cells.start, k, first))


@numba.njit(cache=True, nogil=True)
def _grown(
    position: NDArray[np.int32], place: NDArray[np.float64], count: Numbers, row: Numbers, start: Numbers, k: int, first: int
) -> NDArray[np.int32]:
    many, axes = position.shape
    clusters = len(row) // k
    group = np.full(len(row), -1, np.int32)
    taken = start[:-1].copy()  # the next row of each cell
    open_cells, left = np.arange(many), many
    low, high = np.zeros((clusters, axes)), np.zeros((clusters, axes))
    different = np.zeros((clusters, axes), np.int64)
    rows = np.zeros(clusters, np.int64)
    widest = int(count.max()) if axes else 0
    seen = np.zeros((clusters, axes, widest), np.bool_)
    last = first
    for cluster in range(clusters):
        at, most = 0, -1.0
        for i in range(left):
            far = 0.0
            for axis in range(axes):
                far += _apart(position, place, count, axis, open_cells[i], last)
            if far > most:
                at, most = i, far
        last = open_cells[at]
        while rows[cluster] < k:
            if rows[cluster] > 0:
                at, least = 0, np.inf
                for i in range(left):
                    cost = _widened(
                        position, place, count, low[cluster], high[cluster], different[cluster], seen[cluster], open_cells[i], least
                    )
                    if cost < least:
                        at, least = i, cost
            cell = open_cells[at]
            _take(position, place, count, low[cluster], high[cluster], different[cluster], seen[cluster], cell, rows[cluster] == 0)
            while rows[cluster] < k and taken[cell] < start[cell + 1]:
                group[row[taken[cell]]] = cluster
                taken[cell] += 1
                rows[cluster] += 1
            if taken[cell] == start[cell + 1]:
                left -= 1
                open_cells[at] = open_cells[left]
    for i in range(left):
        cell = open_cells[i]
        while taken[cell] < start[cell + 1]:
            best, least = 0, np.inf
            for cluster in range(clusters):
                now = _width(count, low[cluster], high[cluster], different[cluster])
                more = _widened(position, place, count, low[cluster], high[cluster], different[cluster], seen[cluster], cell, np.inf)
                cost = (rows[cluster] + 1) * more - rows[cluster] * now
                if cost < least:
                    best, least = cluster, cost
            _take(position, place, count, low[best], high[best], different[best], seen[best], cell, False)
            group[row[taken[cell]]] = best
            taken[cell] += 1
            rows[best] += 1
    return group


@numba.njit(cache=True, nogil=True)
def _apart(position, place, count, axis, one, other):  # type: ignore[no-untyped-def]
    if count[axis] == 0:
        return abs(place[one, axis] - place[other, axis])
    return 1.0 if position[one, axis] != position[other, axis] else 0.0


@numba.njit(cache=True, nogil=True)
def _width(count, low, high, different):  # type: ignore[no-untyped-def]
    total = 0.0
    for axis in range(len(count)):
        if count[axis] == 0:
            total += high[axis] - low[axis]
        elif different[axis] > 1:
            total += different[axis] / count[axis]
    return total


@numba.njit(cache=True, nogil=True)
def _widened(position, place, count, low, high, different, seen, cell, enough):  # type: ignore[no-untyped-def]
    """What a row of the cluster would lose with this cell in it, as far as it stays below `enough`."""
    total = 0.0
    for axis in range(len(count)):
        if count[axis] == 0:
            at = place[cell, axis]
            total += max(high[axis], at) - min(low[axis], at)
        else:
            values = different[axis] + (0 if seen[axis, position[cell, axis]] else 1)
            if values > 1:
                total += values / count[axis]
        if total >= enough:
            return np.inf
    return total


@numba.njit(cache=True, nogil=True)
def _take(position, place, count, low, high, different, seen, cell, alone):  # type: ignore[no-untyped-def]
    for axis in range(len(count)):
        at = place[cell, axis]
        low[axis] = at if alone else min(low[axis], at)
        high[axis] = at if alone else max(high[axis], at)
        if count[axis] and not seen[axis, position[cell, axis]]:
            seen[axis, position[cell, axis]] = True
            different[axis] += 1
