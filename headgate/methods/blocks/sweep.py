"""What the cells met so far span on each axis, and what they lose: the inner step of every sweep over cells."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import Records, inlined, inner, record
from headgate.grouping.axes import FLAT, Axes, stretch_loss

NOWHERE = 2**31 - 1  # above every position

SPAN = record(low=np.int64, high=np.int64, different=np.int64)  # on an axis; FLAT: how many different values


@inner
def begin_sweep(span: Records, clock: NDArray[np.int64]) -> None:
    clock[0] += 1
    for axis in range(len(span)):
        own = span[axis]
        own.low, own.high, own.different = NOWHERE, -1, 0


@inlined
def meet(axes: Axes, span: Records, seen: NDArray[np.int64], now: int, cell: int) -> None:
    """`seen`: at which moment a position was last met."""
    for a in range(len(span)):
        p, own, axis = np.int64(axes.position[cell, a]), span[a], axes.of[a]
        own.low, own.high = min(own.low, p), max(own.high, p)
        if axis.form == FLAT and seen[axis.first + p] != now:
            seen[axis.first + p] = now
            own.different += 1


@inner
def spanned_loss(axes: Axes, span: Records) -> float:
    """loss(G) of a group of the cells met."""
    total = 0.0
    for a in range(len(span)):
        own = span[a]
        total += stretch_loss(axes, a, own.low, own.high, own.different)
    return total
