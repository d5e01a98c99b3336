"""Rows that nothing tells apart are looked at once: an item is a cell of quasi-identifiers with one set of sensitive values, and how many
rows have both. All grouping works on items, so that its cost follows what differs in a table, not how long it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes, Table
from headgate.core.compiling import Records, empty_records, loop, record
from headgate.core.distinct import firsts_and_sizes, places
from headgate.grouping.axes import Axes, axes_of
from headgate.grouping.limits import NeighbourhoodLimit
from headgate.grouping.nearness import Nearness, compile_limits

ITEM = record(cell=np.int64, joint=np.int64)  # joint: its values under all limits, as one number
CELL = record(start=np.int64, rows=np.int64)


class Items(NamedTuple):
    """Items are sorted by cell; cell c has the items cell[c].start … cell[c+1].start. `axes` holds one row per cell, `limits` one per
    item."""

    axes: Axes
    limits: Nearness
    item: Records  # an ITEM each
    rows: NDArray[np.int64]  # of each item, by themselves: boxes are counted through again and again
    cell: Records  # a CELL each, and one behind the last

    @property
    def cells(self) -> int:
        return len(self.cell) - 1


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
    items = empty_records(len(first), ITEM)
    items.cell, items.joint = cell[first], value[first]
    cells = empty_records(int(items.cell[-1]) + 2, CELL)
    cells.start = np.searchsorted(items.cell, np.arange(len(cells)))
    cells.rows[:-1] = np.add.reduceat(rows, cells.start[:-1])
    axes = axes_of(table.only(table.quasi).take(first[cells.start[:-1]]))
    return Itemized(Items(axes, compile_limits(limits, table.rows, first, steering=True), items, rows, cells), item, first)


@loop
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
