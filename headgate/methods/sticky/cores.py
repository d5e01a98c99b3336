"""Cores: people who have been published together and are not divided (DEFINITIONS §11, *sticky* grouping).

A core begins as a group of the version in which its people came, and who comes into that group later belongs to it. A core that fell below
k is published in one group with others for a while. The versions published before tell them apart, so that groups do not grow for ever:
what was united is two groups again once each of them is large enough.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes
from headgate.core.distinct import firsts_and_sizes, places
from headgate.core.errors import InputRejected

NEW = -1  # in no core, or in no group


def cores_of(before: Codes, k: int) -> Codes:
    """The core of each row, 0, 1, 2 …; −1 for new people. `before[row, version]` is the row's group in a published version, oldest first,
    −1 where it was in none."""
    if before.ndim != 2:
        raise InputRejected("Former groups are not a table of rows and versions.", "Give one column per version, oldest first.")
    core = np.full(len(before), NEW, dtype=np.int32)
    for version in range(before.shape[1]):
        core = _after_version(core, before[:, version], k)
    there = core != NEW
    core[there] = np.unique(core[there], return_inverse=True)[1]
    return core


def _after_version(core: Codes, group: Codes, k: int) -> Codes:
    """The cores, once it is known how a version grouped the people. What it divided is two cores, and what is left of a core, if below half
    of k, is no longer one by itself: two people who stay alone together tell each other's values."""
    there = np.flatnonzero(group != NEW)
    if len(there) == 0:
        return core
    part = places([np.ascontiguousarray(group[there]), core[there]])  # of a group: who is of the same core, or new
    first, size = firsts_and_sizes(part)
    of_group, of_core = group[there][first], core[there][first]
    new = of_core == NEW
    smallest = _first_of_group(of_group, (size, new))
    now = np.where(new, smallest, np.arange(len(size)))
    size = np.bincount(now, weights=size, minlength=len(size))
    largest = _first_of_group(of_group, (-size,))
    now = np.where(2 * size[now] < k, largest[now], now)
    later = np.full(len(core), NEW, dtype=np.int32)
    later[there] = now[part]
    absent = np.flatnonzero((group == NEW) & (core != NEW))
    heir = np.full(int(core.max(initial=0)) + 1, NEW, dtype=np.int64)  # where most of a core are
    order = np.argsort(size, kind="stable")
    heir[of_core[order][of_core[order] != NEW]] = now[order][of_core[order] != NEW]
    later[absent] = np.where(heir[core[absent]] == NEW, len(size) + core[absent], heir[core[absent]])
    return later


def _first_of_group(group: Codes, keys: tuple[NDArray[np.generic], ...]) -> NDArray[np.int64]:
    """For each part of a group, the part of the same group that comes first by the last key, then by those before it."""
    order = np.lexsort((*keys, group))
    begins = np.flatnonzero(np.diff(group[order], prepend=group[order[0]] - 1))
    of = np.empty(len(group), dtype=np.int64)
    of[order] = np.repeat(order[begins], np.diff(np.append(begins, len(order))))
    return of
