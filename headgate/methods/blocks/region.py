"""A part of a table that is grouped alone, wherever that is done: what this takes, and what it leaves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import Records, empty_records
from headgate.grouping.items import CELL, Items
from headgate.methods.blocks.draft import Draft
from headgate.methods.blocks.tree import Tree


@dataclass(frozen=True, eq=False)
class Region:
    """Some cells of a table. `price`: for each limit, how many rows are widened for each that is too many; `size`: that of new groups which
    branch off; `seed` is the region's own. Pickled, it takes along no other cells."""

    items: Items
    cells: NDArray[np.int64]  # rising
    k: int
    price: NDArray[np.float64]
    size: int
    seed: tuple[int, ...]

    def alone(self) -> Items:
        """The items of these cells, as a table of their own."""
        return self.items if len(self.cells) == self.items.cells else _only(self.items, self.cells)

    def __reduce__(self) -> tuple[Callable[..., Region], tuple[Any, ...]]:
        return Region, (self.alone(), np.arange(len(self.cells)), self.k, self.price, self.size, self.seed)


class Grouped(NamedTuple):
    """The groups that were made of a region, as far as they are in use; cells and items are numbered as the region's own."""

    of: Records
    span: Records
    part: Records
    crowd: Records
    tree: Tree
    left: Records  # what found no place


def grouped(draft: Draft) -> Grouped:
    groups, now = draft.groups, draft.groups.now[0]
    left = draft.aside.left[: draft.aside.many[0]]
    return Grouped(groups.of[: now.groups], groups.span[: now.groups], groups.part[: now.top], groups.crowd[: now.top], draft.tree, left)


def items_inside(items: Items, cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers of the items of some cells, in the order of the cells."""
    begin = items.cell.start[cells]
    many = items.cell.start[cells + 1] - begin
    within = np.arange(int(many.sum())) - np.repeat(np.cumsum(many) - many, many)
    return np.asarray(np.repeat(begin, many) + within, dtype=np.int64)


def _only(items: Items, cells: NDArray[np.int64]) -> Items:
    inside = items_inside(items, cells)
    item, cell = items.item[inside], empty_records(len(cells) + 1, CELL)
    many = items.cell.start[cells + 1] - items.cell.start[cells]
    cell.rows[:-1], cell.start[1:] = items.cell.rows[cells], np.cumsum(many)
    item.cell = np.repeat(np.arange(len(cells)), many)
    item.joint = np.unique(item.joint, return_inverse=True)[1]
    most = int(cell.rows.sum()) + 1
    limits = items.limits._replace(value=items.limits.value[inside], allowed=np.ascontiguousarray(items.limits.allowed[:, :most]))
    axes = items.axes._replace(position=items.axes.position[cells])
    return Items(axes, limits, item, items.rows[inside], cell)
