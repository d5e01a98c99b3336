"""The store of groups in the making: the parts of a group lie side by side, as looking through them is what takes the time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.grouping.compiling import inner, loop, making
from headgate.grouping.items import Items
from headgate.grouping.sorting import sorted_order

NOWHERE = 2**31
SLACK = 4  # free places beside the parts of a group


class Groups(NamedTuple):
    """Group g has the parts begin[g] … begin[g] + parts[g]; places up to begin[g] + places[g] are its own."""

    item: NDArray[np.int64]  # of each part
    rows: NDArray[np.int64]
    value: NDArray[np.int32]  # parts × limits
    near: NDArray[np.int64]  # parts × limits: rows of the group similar to the part, its own included
    begin: NDArray[np.int64]  # of each group
    parts: NDArray[np.int64]
    places: NDArray[np.int64]
    size: NDArray[np.int64]  # rows
    low: NDArray[np.int64]  # groups × axes: the positions that its box spans
    high: NDArray[np.int64]
    different: NDArray[np.int64]  # values on FLAT axes
    loss: NDArray[np.float64]  # loss(G)
    top: NDArray[np.int64]  # where the free part of the store begins
    seen: NDArray[np.int64]  # scratch: what was seen at the moment `clock`
    clock: NDArray[np.int64]


@loop
def empty_groups(items: Items, groups: int, parts: int) -> Groups:
    kinds, width = items.limits.value.shape[1], len(items.axes.facts)
    return Groups(
        np.zeros(parts, np.int64),
        np.zeros(parts, np.int64),
        np.zeros((parts, kinds), np.int32),
        np.zeros((parts, kinds), np.int64),
        np.zeros(groups, np.int64),
        np.zeros(groups, np.int64),
        np.zeros(groups, np.int64),
        np.zeros(groups, np.int64),
        np.full((groups, width), NOWHERE, np.int64),
        np.full((groups, width), -1, np.int64),
        np.zeros((groups, width), np.int64),
        np.zeros(groups),
        np.zeros(1, np.int64),
        np.full(len(items.axes.place) + 1, -1, np.int64),
        np.zeros(1, np.int64),
    )


@inner
def make_places(groups: Groups, group: int, wanted: int) -> bool:
    """Moves a group to the end of the store, where it has more places; the whole store closes up if need be."""
    if wanted <= groups.places[group]:
        return True
    places = wanted + wanted // 2 + SLACK
    if groups.top[0] + places > len(groups.item):
        _close_up(groups)
        places = wanted + SLACK
        if groups.top[0] + places > len(groups.item):
            return False
    source, target, many = groups.begin[group], groups.top[0], groups.parts[group]
    for i in range(many):
        copy_part(groups, source + i, target + i)
    groups.begin[group], groups.places[group] = target, places
    groups.top[0] += places
    return True


@inner
def copy_part(groups: Groups, source: int, target: int) -> None:
    groups.item[target], groups.rows[target] = groups.item[source], groups.rows[source]
    for l in range(groups.near.shape[1]):  # noqa: E741
        groups.value[target, l], groups.near[target, l] = groups.value[source, l], groups.near[source, l]


@making
def _close_up(groups: Groups) -> None:
    """Every group keeps a few free places only."""
    top = np.int64(0)
    for group in sorted_order(groups.begin):
        if groups.places[group] == 0:
            continue
        source, many = groups.begin[group], groups.parts[group]
        groups.places[group] = min(groups.places[group], many + SLACK) if many > 0 else 0
        for i in range(many):
            copy_part(groups, source + i, top + i)
        groups.begin[group] = top
        top += groups.places[group]
    groups.top[0] = top
