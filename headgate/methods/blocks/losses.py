"""The box of a group, what it loses, and what is published of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.grouping.axes import FIRST, FLAT, SHAPE, key_with, stretch_loss
from headgate.grouping.compiling import inner, loop, making
from headgate.grouping.items import Items
from headgate.methods.blocks.store import NOWHERE, Groups


@inner
def all_between(groups: Groups, group: int, axis: int) -> bool:
    """Does the group have every value of a FLAT axis between its lowest and its highest?"""
    return bool(groups.different[group, axis] == groups.high[group, axis] - groups.low[group, axis] + 1)


@inner
def enclose(items: Items, groups: Groups, group: int) -> None:
    """The box of the group, and what it loses."""
    axes, total = items.axes, 0.0
    groups.clock[0] += 1
    for axis in range(len(axes.facts)):
        groups.low[group, axis], groups.high[group, axis], groups.different[group, axis] = NOWHERE, -1, 0
    last = np.int64(-1)
    for part in range(groups.begin[group], groups.begin[group] + groups.parts[group]):
        cell = items.cell[groups.item[part]]
        if cell == last:
            continue
        last = cell
        for axis in range(len(axes.facts)):
            p = np.int64(axes.position[cell, axis])
            groups.low[group, axis], groups.high[group, axis] = min(groups.low[group, axis], p), max(groups.high[group, axis], p)
            if axes.facts[axis, SHAPE] == FLAT and groups.seen[axes.facts[axis, FIRST] + p] != groups.clock[0]:
                groups.seen[axes.facts[axis, FIRST] + p] = groups.clock[0]
                groups.different[group, axis] += 1
    if groups.parts[group] > 0:
        for axis in range(len(axes.facts)):
            total += stretch_loss(axes, axis, groups.low[group, axis], groups.high[group, axis], groups.different[group, axis])
    groups.loss[group] = total


@inner
def loss_without(items: Items, groups: Groups, group: int, gone: int, cell_gone: int) -> float:
    """loss(G) without one part, or without one cell."""
    axes, total = items.axes, 0.0
    for axis in range(len(axes.facts)):
        low, high, different = np.int64(NOWHERE), np.int64(-1), np.int64(0)
        groups.clock[0] += 1
        for part in range(groups.begin[group], groups.begin[group] + groups.parts[group]):
            cell = items.cell[groups.item[part]]
            if part != gone and cell != cell_gone:
                p = np.int64(axes.position[cell, axis])
                low, high = min(low, p), max(high, p)
                if axes.facts[axis, SHAPE] == FLAT and groups.seen[axes.facts[axis, FIRST] + p] != groups.clock[0]:
                    groups.seen[axes.facts[axis, FIRST] + p] = groups.clock[0]
                    different += 1
        if high >= 0:
            total += stretch_loss(axes, axis, low, high, different)
    return total


@inner
def loss_with(items: Items, groups: Groups, group: int, cell: int) -> float:
    """loss(G) of the group and one cell more."""
    axes, total = items.axes, 0.0
    for axis in range(len(axes.facts)):
        p = np.int64(axes.position[cell, axis])
        low, high, different = min(groups.low[group, axis], p), max(groups.high[group, axis], p), groups.different[group, axis]
        if low == high:
            continue
        if axes.facts[axis, SHAPE] == FLAT and (
            p < groups.low[group, axis]
            or p > groups.high[group, axis]
            or (not all_between(groups, group, axis) and not _has(items, groups, group, axis, p))
        ):
            different += 1
        total += stretch_loss(axes, axis, low, high, different)
    return total


@inner
def _has(items: Items, groups: Groups, group: int, axis: int, p: int) -> bool:
    for part in range(groups.begin[group], groups.begin[group] + groups.parts[group]):
        if items.axes.position[items.cell[groups.item[part]], axis] == p:
            return True
    return False


@making
def cells_of(items: Items, groups: Groups, group: int) -> NDArray[np.int64]:
    """The cell of each part."""
    cells = np.empty(groups.parts[group], dtype=np.int64)
    for i in range(len(cells)):
        cells[i] = items.cell[groups.item[groups.begin[group] + i]]
    return cells


@loop
def keys_of_groups(items: Items, groups: Groups) -> NDArray[np.int64]:
    """A number that says what is published of each group; 0 for empty groups."""
    keys = np.zeros(len(groups.begin), dtype=np.int64)
    for group in range(len(keys)):
        if groups.parts[group] > 0:
            key = np.int64(1)
            for axis in range(len(items.axes.facts)):
                low, high, different = groups.low[group, axis], groups.high[group, axis], groups.different[group, axis]
                key = key_with(items.axes, axis, key, low, high, different, _sign(items, groups, group, axis))
            keys[group] = key
    return keys


@inner
def _sign(items: Items, groups: Groups, group: int, axis: int) -> int:
    """The signs of a group's values on a FLAT axis together. Most often its box says which values those are."""
    axes, total = items.axes, np.int64(0)
    if axes.facts[axis, SHAPE] != FLAT:
        return total  # type: ignore[return-value]
    first, low, high = axes.facts[axis, FIRST], groups.low[group, axis], groups.high[group, axis]
    if groups.different[group, axis] <= 2:
        return axes.sign[first + low] + (axes.sign[first + high] if low < high else np.int64(0))  # type: ignore[no-any-return]
    if all_between(groups, group, axis):
        for p in range(low, high + 1):
            total += axes.sign[first + p]
        return total  # type: ignore[return-value]
    groups.clock[0] += 1
    for part in range(groups.begin[group], groups.begin[group] + groups.parts[group]):
        p = first + axes.position[items.cell[groups.item[part]], axis]
        if groups.seen[p] != groups.clock[0]:
            groups.seen[p] = groups.clock[0]
            total += axes.sign[p]
    return total  # type: ignore[return-value]
