"""Counts the ε-neighbours of every distinct value in every class without comparing all pairs (DEFINITIONS §3: |Φ_G(v, ε)|).

Each class is divided into runs: all values of a run agree in the components in which neighbours must agree. Short runs are compared pair by
pair. Long runs that vary on only two lines are swept (in a plane turned by 45°, a neighbourhood under the sum of shares is a square:
Preparata and Shamos, Computational Geometry, 1985). All other runs are divided into boxes. Distances within a hair of the reach are decided
as `pair_distance` computes them, so that all three ways count alike.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes
from headgate.core.compiling import loop, making
from headgate.core.distance import DISCRETE, LINE, DistanceLayout
from headgate.core.distinct import distinct_rows
from headgate.core.errors import InputRejected
from headgate.counting.intervals import rows_in_squares, rows_within
from headgate.counting.value_boxes import HAIR, PAIR, close, compare, largest_differences, rows_by_boxes

SHORT = 64  # values in a run
SHORT_ON_A_PLANE = 192
LARGEST_WORK = 2 * 10**11  # differences of two numbers: some minutes


def neighbours(
    layout: DistanceLayout, values: Codes, starts: NDArray[np.int64], counts: NDArray[np.int64], reach: float, work: int | None = None
) -> NDArray[np.int64]:
    """The number of rows of its class within reach of every distinct value, its own rows included. Refuses more than `work` comparisons.

    Class c has the values starts[c] … starts[c+1]; value i has counts[i] rows."""
    order, runs = runs_apart(layout, values, starts, reach)
    near, budget = np.empty_like(counts), np.array([LARGEST_WORK if work is None else work])
    near[order] = _count(layout, largest_differences(layout), np.ascontiguousarray(values[order]), runs, counts[order], reach, budget)
    if budget[0] < 0:
        raise InputRejected(
            f"The {int(np.diff(runs).max())} distinct values of one group are too many to compare with each other.",
            "Measure fewer sensitive attributes together, use a smaller ε, or round the values.",
        )
    return near


def runs_apart(
    layout: DistanceLayout, values: Codes, starts: NDArray[np.int64], reach: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """An order of the classes' values that divides each class into runs, and the starts of these runs. Values of different runs are
    never neighbours."""
    agreed = _must_agree(layout, values, reach)
    if not agreed:
        return np.arange(len(values)), starts
    owner = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
    keys = distinct_rows(np.column_stack([owner, *agreed]))[1]
    order = np.argsort(keys, kind="stable")
    return order, np.flatnonzero(np.diff(keys[order], prepend=-1, append=-1))


def _must_agree(layout: DistanceLayout, values: Codes, reach: float) -> list[Codes]:
    """The codes of components in which similar values must agree; or, where only missing cells must agree, whether the cell is missing."""
    if layout.least:
        return []
    columns = []
    for i, agreed in enumerate(must_agree(layout, reach)):
        share = layout.weight[i] ** (1.0 / layout.power)
        if agreed:
            columns.append(values[:, i])
        elif share > reach + HAIR and (values[:, i] < 0).any():
            columns.append((values[:, i] < 0).astype(np.int32))
    return columns


def must_agree(layout: DistanceLayout, reach: float) -> NDArray[np.bool_]:
    """The components in which similar values are equal, because the smallest weighted difference alone exceeds the reach."""
    shares = layout.weight ** (1.0 / layout.power)
    gaps = np.array([_least_difference(layout, i) for i in range(len(layout.mode))])
    return np.asarray((shares * gaps > reach + HAIR) & (not layout.least))


def _least_difference(layout: DistanceLayout, i: int) -> float:
    """The smallest difference between two different codes of a component. Missing is one of the codes, at distance 1 from all others."""
    if layout.mode[i] == DISCRETE:
        return 1.0
    start, size = int(layout.offset[i]), int(layout.size[i])
    if layout.mode[i] == LINE:
        return min(1.0, float(np.diff(np.sort(layout.buffer[start : start + size])).min(initial=1.0)))
    matrix = layout.buffer[start : start + size * size].reshape(size, size)
    return min(1.0, float(matrix[~np.eye(size, dtype=bool)].min(initial=1.0)))


@loop
def _count(
    layout: DistanceLayout,
    tops: NDArray[np.float64],
    values: NDArray[np.int32],
    runs: NDArray[np.int64],
    counts: NDArray[np.int64],
    reach: float,
    budget: NDArray[np.int64],
) -> NDArray[np.int64]:
    near = np.zeros(len(counts), np.int64)
    for run in range(len(runs) - 1):
        start, end = runs[run], runs[run + 1]
        if end - start <= SHORT:
            compare(layout, values, counts, (start, end), (start, end), reach, near)
            continue
        x_component, y_component = _plane(layout, values[start:end])
        if x_component < 0:
            near[start:end] = rows_by_boxes(layout, tops, values[start:end], counts[start:end], reach, budget)
        elif end - start <= SHORT_ON_A_PLANE:
            compare(layout, values, counts, (start, end), (start, end), reach, near)
        else:
            near[start:end] = _by_squares(layout, x_component, y_component, values[start:end], counts[start:end], reach, budget)
        if budget[0] < 0:
            break
    return near


@making
def _plane(layout: DistanceLayout, values: NDArray[np.int32]) -> tuple[int, int]:
    """The two lines on which these values differ, if they differ on two lines only and neighbourhoods are squares; otherwise −1, −1."""
    x_component, y_component = -1, -1
    for i in range(len(layout.mode)):
        if (values[:, i] == values[0, i]).all():
            continue
        if layout.mode[i] != LINE or values[:, i].min() < 0 or y_component >= 0:
            return -1, -1
        if x_component < 0:
            x_component = i
        else:
            y_component = i
    fitting = len(layout.mode) == 2 if layout.least else layout.power == 1.0
    return (x_component, y_component) if y_component >= 0 and fitting else (-1, -1)


@making
def _by_squares(
    layout: DistanceLayout,
    x_component: int,
    y_component: int,
    values: NDArray[np.int32],
    counts: NDArray[np.int64],
    reach: float,
    budget: NDArray[np.int64],
) -> NDArray[np.int64]:
    x = layout.buffer[layout.offset[x_component] + values[:, x_component]]
    y = layout.buffer[layout.offset[y_component] + values[:, y_component]]
    if layout.least:  # near on one line or on the other
        either = rows_within(x, counts, reach) + rows_within(y, counts, reach)
        return np.asarray(either - rows_in_squares(x, y, counts, reach))
    u = layout.weight[x_component] * x + layout.weight[y_component] * y
    v = layout.weight[x_component] * x - layout.weight[y_component] * y
    near: NDArray[np.int64] = rows_in_squares(u, v, counts, reach - HAIR)
    for i in np.flatnonzero(rows_in_squares(u, v, counts, reach + HAIR) != near):
        near[i] = 0
        for j in range(len(counts)):
            if close(layout, values, i, j, reach):
                near[i] += counts[j]
        budget[0] -= PAIR * len(counts)
        if budget[0] < 0:
            break
    return near
