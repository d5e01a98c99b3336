"""Rows along a Hilbert curve through their quasi-identifiers, cut into stretches of k to 2k − 1 rows that lose least (Ghinita, Karras,
Kalnis, Mamoulis: Fast data anonymization with low information loss, VLDB 2007). The curve is that of the library hilbertcurve."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numba
import numpy as np
from numpy.typing import NDArray

from benchmarks.peers.cells import Cells
from benchmarks.peers.environments import output_of, python_with

HILBERTCURVE = "2.0.5"
BITS = 10  # of each axis of the curve
SCRIPT = Path(__file__).with_name("hilbert_curve.py")


@dataclass(frozen=True, eq=False)
class Curve:
    """The cells in their order on it, and what it took to find that."""

    cells: NDArray[np.int64]
    seconds: float
    busy_seconds: float


def along_the_curve(cells: Cells) -> Curve:
    ranks = np.where(cells.count > 0, cells.position / np.maximum(cells.count - 1, 1), cells.place)
    python = python_with(f"hilbertcurve-{HILBERTCURVE}", f"hilbertcurve=={HILBERTCURVE}")
    with tempfile.TemporaryDirectory() as scratch:
        points, out = Path(scratch) / "points.npy", Path(scratch) / "order.json"
        np.save(points, np.rint(ranks * (2**BITS - 1)).astype(np.int64))
        output_of([str(python), str(SCRIPT), str(points), str(BITS), str(out)])
        found = json.loads(out.read_text(encoding="utf-8"))
    return Curve(np.array(found["order"], dtype=np.int64), found["seconds"], found["busy_seconds"])


def cut(cells: Cells, order: NDArray[np.int64], k: int) -> NDArray[np.int32]:
    """The group of each row: stretches of this order of cells."""
    line = np.repeat(order, cells.rows[order])
    stretch = _stretches(line, cells.position, cells.place, cells.count, k)
    groups = np.empty(len(line), dtype=np.int32)
    rows = np.concatenate([cells.row[cells.start[cell] : cells.start[cell + 1]] for cell in order])
    groups[rows] = stretch
    return groups


@numba.njit(cache=True, nogil=True)
def _stretches(
    line: NDArray[np.int64], position: NDArray[np.int32], place: NDArray[np.float64], count: NDArray[np.int64], k: int
) -> NDArray[np.int32]:
    rows, axes = len(line), len(count)
    best, begin = np.full(rows + 1, np.inf), np.zeros(rows + 1, np.int64)
    best[0] = 0.0
    low, high, different = np.zeros(axes), np.zeros(axes), np.zeros(axes, np.int64)
    seen = np.full((axes, max(1, int(count.max()))), -1)
    for end in range(k, rows + 1):
        different[:] = 0
        for first in range(end - 1, max(-1, end - 2 * k), -1):
            cell, loss = line[first], 0.0
            for axis in range(axes):
                at = place[cell, axis]
                low[axis] = at if first == end - 1 else min(low[axis], at)
                high[axis] = at if first == end - 1 else max(high[axis], at)
                if count[axis] == 0:
                    loss += high[axis] - low[axis]
                    continue
                if seen[axis, position[cell, axis]] != end:
                    seen[axis, position[cell, axis]] = end
                    different[axis] += 1
                if different[axis] > 1:
                    loss += different[axis] / count[axis]
            cost = best[first] + (end - first) * loss
            if end - first >= k and cost < best[end]:
                best[end], begin[end] = cost, first
    group = np.empty(rows, np.int32)
    end, number = rows, 0
    while end > 0:
        group[begin[end] : end] = number
        end, number = begin[end], number + 1
    return group
