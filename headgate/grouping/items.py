"""Rows that nothing tells apart are looked at once: an item is a cell of quasi-identifiers with one set of sensitive values, and how many
rows have both. All grouping works on items, so that its cost follows what differs in a table, not how long it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes, Table
from headgate.core.distinct import firsts_and_sizes, places
from headgate.grouping.axes import Axes, axes_of
from headgate.grouping.limits import NeighbourhoodLimit
from headgate.grouping.nearness import Nearness, compile_limits, nearness


class Items(NamedTuple):
    """Items are sorted by cell; cell c has the items start[c] … start[c+1]. `axes` holds one row a cell, `limits` one an item."""

    axes: Axes
    limits: Nearness
    cell: NDArray[np.int64]  # of each item
    joint: NDArray[np.int64]  # its values under all limits, as one number
    rows: NDArray[np.int64]
    start: NDArray[np.int64]
    weight: NDArray[np.int64]  # rows of each cell


@dataclass(frozen=True, eq=False)
class Itemized:
    """A table by its items: those, the item of each row, and a row of each."""

    items: Items
    item: Codes
    first: Codes


def items_of(table: Table, limits: Sequence[NeighbourhoodLimit]) -> Itemized:
    cell = places(column.codes for column in table.select(table.quasi))
    kinds = [limit.value for limit in limits]
    value = kinds[0] if len(kinds) == 1 else places(kinds) if kinds else np.zeros(table.rows, dtype=np.int32)
    item = places([cell, value])
    first, rows = firsts_and_sizes(item)
    of = cell[first].astype(np.int64)
    start = np.searchsorted(of, np.arange(int(of[-1]) + 2)).astype(np.int64)
    axes = axes_of(table.take(first[start[:-1]]))
    near = nearness(compile_limits(limits, table.rows, first), limits)
    return Itemized(Items(axes, near, of, value[first].astype(np.int64), rows, start, np.add.reduceat(rows, start[:-1])), item, first)


@numba.njit(cache=True, nogil=True)
def groups_of_rows(item: Codes, start: NDArray[np.int64], group: NDArray[np.int64], count: NDArray[np.int64]) -> Codes:
    """Each row's group, where item i has parts start[i] … start[i+1] and part p sends its first `count[p]` rows to `group[p]`."""
    at, left = start.copy(), count.copy()
    groups = np.empty(len(item), dtype=np.int32)
    for row in range(len(item)):
        i = item[row]
        while left[at[i]] == 0:
            at[i] += 1
        groups[row] = group[at[i]]
        left[at[i]] -= 1
    return groups
