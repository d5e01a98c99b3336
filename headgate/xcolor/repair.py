"""What is left after splitting: blocks that no grouping keeps within the limits are merged with their nearest neighbours.

Blocks lie in `order` as the cuts left them, so the neighbours of a block in that order are its nearest ones. A merge is kept when the
two blocks together can be grouped; else the block goes on growing. Groups that fail only together with others that are published
alike change their quasi-identifiers by such a merge.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from headgate.xcolor.axes import Axes
from headgate.xcolor.blocks import LARGEST_BLOCK, Blocks, loss_of_rows, settle_rows
from headgate.xcolor.compiled import Limits
from headgate.xcolor.limits import NeighbourhoodLimit
from headgate.xcolor.recount import recount

LARGEST_LEFT = 2_000  # blocks left over; more than that and the setting does not fit the data
ROUNDS = 6
GROWTH = 1.2  # how much larger a block must be before it is tried again


def repair(
    blocks: Blocks,
    axes: Axes,
    compiled: Limits,
    limits: Sequence[NeighbourhoodLimit],
    ranks: NDArray[np.int64],
    k: int,
    alone: bool = False,
) -> Blocks:
    """Merges until every block is grouped and every published class passes, or until merging no longer helps."""
    chain = _Chain(blocks, axes, compiled, ranks, k, alone)
    left = [b for b, ends in enumerate(blocks.ends) if len(ends) == 0]
    for _ in range(ROUNDS):
        if len(left) > LARGEST_LEFT:
            break
        stuck = [b for b in left if chain.alive(b) and not chain.grow(b)]
        found = chain.blocks()
        again = recount(axes, compiled, limits, found.groups())
        if not again.broken or stuck:
            return found
        chain = _Chain(found, axes, compiled, ranks, k, alone)
        left = _blocks_over(found, again.groups_over)
    return chain.blocks()


def _blocks_over(blocks: Blocks, groups_over: NDArray[np.bool_]) -> list[int]:
    owner = np.repeat(np.arange(len(blocks.ends)), [max(1, len(ends)) for ends in blocks.ends])
    return sorted(set(owner[groups_over].tolist()))


class _Chain:
    """Blocks in a row, each knowing its neighbours, so that two can become one."""

    def __init__(self, blocks: Blocks, axes: Axes, compiled: Limits, ranks: NDArray[np.int64], k: int, alone: bool) -> None:
        self._order = blocks.order
        self._start, self._stop, self._ends = list(blocks.start), list(blocks.stop), list(blocks.ends)
        count = len(self._start)
        self._before = list(range(-1, count - 1))
        self._after = [*range(1, count), -1]
        self._alive = [True] * count
        self._axes, self._compiled, self._ranks, self._k, self._alone = axes, compiled, ranks, k, alone

    def alive(self, block: int) -> bool:
        return self._alive[block]

    def grow(self, block: int) -> bool:
        """Takes in the cheaper neighbour until the block can be grouped. False if it cannot be before it is too large."""
        tried = self._stop[block] - self._start[block]
        while True:
            sides = self._sides(block)
            if not sides or self._stop[block] - self._start[block] >= LARGEST_BLOCK:
                return False
            self._swallow(block, min(sides, key=lambda other: self._price(block, other)))
            if self._stop[block] - self._start[block] < GROWTH * tried and self._sides(block):
                continue
            tried = self._stop[block] - self._start[block]
            rows, ends = settle_rows(self._axes, self._compiled, self._rows(block), self._ranks, self._k, self._alone)
            if len(ends):
                self._order[self._start[block] : self._stop[block]] = rows
                self._ends[block] = self._start[block] + ends
                return True

    def _sides(self, block: int) -> list[int]:
        return [other for other in (self._before[block], self._after[block]) if other >= 0]

    def blocks(self) -> Blocks:
        kept = [b for b in range(len(self._alive)) if self._alive[b]]
        return Blocks(self._order, [self._start[b] for b in kept], [self._stop[b] for b in kept], [self._ends[b] for b in kept])

    def _rows(self, block: int) -> NDArray[np.int64]:
        return self._order[self._start[block] : self._stop[block]].copy()

    def _price(self, block: int, other: int) -> float:
        """How much row-weighted loss the merge adds; a neighbour that is left over too costs nothing more than its rows."""
        one, two = self._rows(block), self._rows(other)
        together = float(loss_of_rows(self._axes, np.concatenate([one, two]))) * (len(one) + len(two))
        return together - float(loss_of_rows(self._axes, one)) * len(one) - float(loss_of_rows(self._axes, two)) * len(two)

    def _swallow(self, block: int, other: int) -> None:
        self._start[block] = min(self._start[block], self._start[other])
        self._stop[block] = max(self._stop[block], self._stop[other])
        self._ends[block] = np.empty(0, dtype=np.int64)
        self._alive[other] = False
        if other == self._before[block]:
            self._before[block] = self._before[other]
            if self._before[block] >= 0:
                self._after[self._before[block]] = block
        else:
            self._after[block] = self._after[other]
            if self._after[block] >= 0:
                self._before[self._after[block]] = block
