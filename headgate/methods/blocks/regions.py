"""A table in regions, each of which is grouped alone. What they are follows from the table and its limits, never from who works on them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.grouping.items import Items
from headgate.grouping.workers import State, Threads
from headgate.methods.blocks.stages import crowding
from headgate.methods.blocks.tree import grow_tree

Cells = NDArray[np.int64]

TWO = 8_192  # items from which a table is worked on in two regions at least
LARGEST = 65_536  # items of a region; more only where it would be crowded otherwise
AT_EASE = 0.8  # of what a table, or a region, may hold at most: if it is more crowded, every row needs all others


def regions_of(items: Items, k: int, price: NDArray[np.float64], state: State) -> list[Cells]:
    """The cells of each, rising. Boxes are cut in two, as the tree does it, until they are small enough. A region that is too crowded to
    be grouped alone is united with a neighbour, and so is every region of a table that is crowded as a whole."""

    def halves(region: Cells, state: State) -> list[Cells]:
        """The region itself where it cannot be cut: each half has k rows at least."""
        return grow_tree(items, region, k, price, 3, state).leaves()

    def small(region: Cells, state: State) -> list[Cells]:
        return halves(region, state) if _items_in(items, region) > LARGEST else [region]

    whole = np.arange(items.cells)
    if len(items.item) < TWO or crowding(items, whole) > AT_EASE:
        return [whole]
    threads = Threads()
    before, regions = 0, halves(whole, state)
    while len(regions) > max(1, before):
        before, regions = len(regions), [half for cut in threads.each(small, regions, state) for half in cut]
    crowded = threads.each(lambda region, _state: float(crowding(items, region)), regions, state)
    return [np.sort(region) for region in _united(items, regions, crowded)]


def _items_in(items: Items, region: Cells) -> int:
    return int((items.cell.start[region + 1] - items.cell.start[region]).sum())


def _united(items: Items, regions: list[Cells], crowded: list[float]) -> list[Cells]:
    """The most crowded region and the one before or behind it, whichever leaves more room, become one, until none is too crowded."""
    regions, crowded = list(regions), list(crowded)
    while len(regions) > 1 and max(crowded) > AT_EASE:
        worst = int(np.argmax(crowded))
        beside = [first for first in (worst - 1, worst) if 0 <= first < len(regions) - 1]
        pairs = [np.concatenate(regions[first : first + 2]) for first in beside]
        room = [float(crowding(items, pair)) for pair in pairs]
        best = int(np.argmin(room))
        first = beside[best]
        regions[first : first + 2], crowded[first : first + 2] = [pairs[best]], [room[best]]
    return regions
