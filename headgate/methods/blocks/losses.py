"""The box of a group, what it loses, and what is published of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import inner, loop, making
from headgate.grouping.axes import FLAT, key_with, stretch_loss
from headgate.methods.blocks.draft import Groups
from headgate.methods.blocks.sweep import NOWHERE


@inner
def all_between(groups: Groups, group: int, axis: int) -> bool:
    """Does the group have every value of a FLAT axis between its lowest and its highest?"""
    span = groups.span[group, axis]
    return bool(span.different == span.high - span.low + 1)


@inner
def enclose(groups: Groups, group: int) -> None:
    """The box of the group, and what it loses."""
    axes, own, now = groups.items.axes, groups.of[group], groups.now[0]
    now.clock += 1
    for axis in range(len(axes.of)):
        span = groups.span[group, axis]
        span.low, span.high, span.different = NOWHERE, -1, 0
    last = np.int64(-1)
    for part in range(own.begin, own.begin + own.parts):
        cell = groups.part[part].cell
        if cell == last:
            continue
        last = cell
        for axis in range(len(axes.of)):
            p, span, first = np.int64(axes.position[cell, axis]), groups.span[group, axis], axes.of[axis].first
            span.low, span.high = min(span.low, p), max(span.high, p)
            if axes.of[axis].form == FLAT and groups.seen[first + p] != now.clock:
                groups.seen[first + p] = now.clock
                span.different += 1
    own.loss = 0.0
    if own.parts > 0:
        for axis in range(len(axes.of)):
            span = groups.span[group, axis]
            own.loss += stretch_loss(axes, axis, span.low, span.high, span.different)


@inner
def loss_without(groups: Groups, group: int, gone: int, cell_gone: int) -> float:
    """loss(G) without one part, or without one cell."""
    axes, own, now, total = groups.items.axes, groups.of[group], groups.now[0], 0.0
    for axis in range(len(axes.of)):
        low, high, different, first = np.int64(NOWHERE), np.int64(-1), np.int64(0), axes.of[axis].first
        now.clock += 1
        for part in range(own.begin, own.begin + own.parts):
            cell = groups.part[part].cell
            if part != gone and cell != cell_gone:
                p = np.int64(axes.position[cell, axis])
                low, high = min(low, p), max(high, p)
                if axes.of[axis].form == FLAT and groups.seen[first + p] != now.clock:
                    groups.seen[first + p] = now.clock
                    different += 1
        if high >= 0:
            total += stretch_loss(axes, axis, low, high, different)
    return total


@inner
def loss_with(groups: Groups, group: int, cell: int) -> float:
    """loss(G) of the group and one cell more."""
    axes, total = groups.items.axes, 0.0
    for axis in range(len(axes.of)):
        p, span = np.int64(axes.position[cell, axis]), groups.span[group, axis]
        low, high, different = min(span.low, p), max(span.high, p), span.different
        if low == high:
            continue
        if axes.of[axis].form == FLAT and (
            p < span.low or p > span.high or (not all_between(groups, group, axis) and not _has(groups, group, axis, p))
        ):
            different += 1
        total += stretch_loss(axes, axis, low, high, different)
    return total


@inner
def _has(groups: Groups, group: int, axis: int, p: int) -> bool:
    own = groups.of[group]
    for part in range(own.begin, own.begin + own.parts):  # noqa: SIM110 - compiled
        if groups.items.axes.position[groups.part[part].cell, axis] == p:
            return True
    return False


@making
def cells_of(groups: Groups, group: int) -> NDArray[np.int64]:
    """The cell of each part."""
    own = groups.of[group]
    cells = np.empty(own.parts, dtype=np.int64)
    for i in range(len(cells)):
        cells[i] = groups.part[own.begin + i].cell
    return cells


@loop
def keys_of_groups(groups: Groups) -> NDArray[np.int64]:
    """A number that says what is published of each group; 0 for empty groups."""
    keys = np.zeros(groups.now[0].groups, dtype=np.int64)
    for group in range(len(keys)):
        if groups.of[group].parts > 0:
            key = np.int64(1)
            for axis in range(len(groups.items.axes.of)):
                span = groups.span[group, axis]
                key = key_with(groups.items.axes, axis, key, span.low, span.high, span.different, _sign(groups, group, axis))
            keys[group] = key
    return keys


@inner
def _sign(groups: Groups, group: int, axis: int) -> int:
    """The signs of a group's values on a FLAT axis together. Most often its box says which values those are."""
    axes, own, span, now, total = groups.items.axes, groups.of[group], groups.span[group, axis], groups.now[0], np.int64(0)
    first, low, high = axes.of[axis].first, span.low, span.high
    if axes.of[axis].form != FLAT:
        return total  # type: ignore[return-value]
    if span.different <= 2:
        return axes.at[first + low].sign + (axes.at[first + high].sign if low < high else np.int64(0))  # type: ignore[no-any-return]
    if all_between(groups, group, axis):
        for p in range(low, high + 1):
            total += axes.at[first + p].sign
        return total  # type: ignore[return-value]
    now.clock += 1
    for part in range(own.begin, own.begin + own.parts):
        p = first + axes.position[groups.part[part].cell, axis]
        if groups.seen[p] != now.clock:
            groups.seen[p] = now.clock
            total += axes.at[p].sign
    return total  # type: ignore[return-value]
