"""Groups that keep all limits lose less: rows change places or move by chance wherever that loses less and all limits are still kept."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import inner, loop
from headgate.grouping.axes import Axes, published_key
from headgate.grouping.watch import STOP
from headgate.methods.searching.annealing import MOVING, chance
from headgate.methods.searching.seats import NOBODY, Seats, change_over, move, swap

LEAST_GAIN = 1e-9


@loop
def narrow(
    seats: Seats, axes: Axes, cell: NDArray[np.int64], k: int, tries: int, tally: NDArray[np.int64], state: NDArray[np.int64]
) -> None:
    """`cell`: of each row its row in `axes`. No group exceeds a limit, before or after."""
    rows, groups = len(seats.group), len(seats.size)
    cells, loss = np.empty(seats.member.shape[1] + 1, dtype=np.int64), np.zeros(groups)
    seen, clock = np.full(len(axes.at) + 1, NOBODY), np.zeros(1, dtype=np.int64)
    for g in range(groups):
        loss[g] = _loss_with(seats, axes, cell, g, NOBODY, NOBODY, cells, seen, clock)
    for _ in range(tries):
        if state[STOP] != 0:
            break
        row, other = np.int64(chance(tally) * rows), np.int64(chance(tally) * rows)
        home, away = seats.group[row], seats.group[other]
        if home == away or loss[home] + loss[away] == 0.0:
            continue
        if seats.size[home] > k and seats.size[away] < seats.member.shape[1] and chance(tally) < MOVING:
            other = NOBODY
        least = loss[home] + loss[away] - LEAST_GAIN
        here = _loss_with(seats, axes, cell, home, row, other, cells, seen, clock)
        if here >= least:
            continue
        there = _loss_with(seats, axes, cell, away, other, row, cells, seen, clock)
        none = np.int64(0)
        if here + there >= least or change_over(seats, home, row, other, none) > 0 or change_over(seats, away, other, row, none) > 0:
            continue
        if other < 0:
            move(seats, row, away)
        else:
            swap(seats, row, other)
        loss[home], loss[away] = here, there


@inner
def _loss_with(
    seats: Seats,
    axes: Axes,
    cell: NDArray[np.int64],
    g: int,
    leaving: int,
    joining: int,
    cells: NDArray[np.int64],
    seen: NDArray[np.int64],
    clock: NDArray[np.int64],
) -> float:
    """loss(G) of each row of a group, summed, once one row has left it and another has joined it."""
    many = 0
    for i in range(seats.size[g]):
        if seats.member[g, i] != leaving:
            cells[many] = cell[seats.member[g, i]]
            many += 1
    if joining >= 0:
        cells[many] = cell[joining]
        many += 1
    _, lost = published_key(axes, cells[:many], seen, clock)
    return many * lost  # type: ignore[no-any-return]
