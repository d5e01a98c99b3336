"""Cores: people who were published together last (DEFINITIONS §11, *sticky* grouping)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes

NEW = -1  # in no core, or in no group


def cores_of(before: Codes) -> Codes:
    """The core of each row, 0, 1, 2 …; −1 for new people. `before[row, version]` is the row's group in a published version, oldest first,
    −1 where it was in none. The groups of the version published last are cores. Whoever was not in it belongs to where most of the people
    are who were in their group the last time; if nobody is left of these, those who were in it are a core again."""
    core, cores = np.full(len(before), NEW, dtype=np.int64), 0
    for version in range(before.shape[1] - 1, -1, -1):
        group = before[:, version]
        absent = np.flatnonzero((core == NEW) & (group != NEW))
        if len(absent):
            heir = _heirs(core, group)
            core[absent] = np.where(heir[group[absent]] == NEW, cores + group[absent], heir[group[absent]])
            cores += len(heir)
    there = core != NEW
    out = np.full(len(before), NEW, dtype=np.int32)
    if there.any():
        out[there] = np.unique(core[there], return_inverse=True)[1]
    return out


def _heirs(core: NDArray[np.int64], group: Codes) -> NDArray[np.int64]:
    """By group of a version, the core in which most of its people are, −1 if they are in none."""
    heir = np.full(int(group.max()) + 1, NEW, dtype=np.int64)
    known = (core != NEW) & (group != NEW)
    pairs, sizes = np.unique(np.column_stack([group[known], core[known]]), axis=0, return_counts=True)
    order = np.argsort(sizes, kind="stable")
    heir[pairs[order, 0]] = pairs[order, 1]  # the largest comes last
    return heir
