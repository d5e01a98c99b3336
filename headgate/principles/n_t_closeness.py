"""(n, t)-closeness (Li, Li, Venkatasubramanian 2010; DEFINITIONS §5): a class has a natural superset of at least n rows whose values are
within t of its own; what the table at large shows is no longer a secret, nor is what so large a part of it shows.

The supersets are the class itself, the blocks of coarser partitions that the caller passes (say the classes by fewer
quasi-identifiers, or by a higher level of their hierarchies), and the whole released table. The figure of a class, for a given n, is
its least distance to one of size ≥ n: 0 if it has n rows itself, infinite if the table has fewer than n.

Distances are those of t-closeness, with the ground distance of the released table: numbers keep the line of all the table's
distinct ones, also against a superset that holds few of them. They are over all values, as there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes, Column, Kind
from headgate.core.errors import InputRejected
from headgate.core.tolerance import exact
from headgate.counting.class_counts import Counted, class_counts
from headgate.counting.figure import Bound, Figure
from headgate.principles.closeness import distances

NAME = "(n, t)-closeness"


@dataclass(frozen=True, eq=False)
class NTCloseness:
    n: int
    t: Figure
    t_all: Figure  # also for classes without a sensitive value


def n_t_closeness(counted: Counted, classes: Sequence[Codes], coarser: Sequence[Codes], n: Any) -> NTCloseness:
    """`classes` are the readings that were counted; `coarser` number the rows' blocks, each of which is a union of classes."""
    size = exact(n)
    if size < 1 or size.denominator != 1:
        raise InputRejected("The n of (n, t)-closeness is not a whole number of at least 1.", "Give the rows that a superset has at least.")
    column = _on_its_line(counted.column)
    partitions = [np.zeros(len(column), dtype=np.int32), *coarser]
    figures = []
    for reading, counts in zip(classes, counted.readings, strict=True):
        nearest = np.where(counts.sizes >= int(size), 0.0, np.inf)
        for blocks in partitions:
            _approach(nearest, column, reading, blocks, int(size))
        figures.append(nearest)
    return NTCloseness(int(size), counted.figure(NAME, Bound.AT_MOST, figures), counted.figure_all(NAME, Bound.AT_MOST, figures))


def _on_its_line(column: Column) -> Column:
    """Numbers become the levels of an ordinal, so that a part of the rows is measured on the same line as all of them."""
    if not column.kind.numeric:
        return column
    occurs = column.counts()[:-1] > 0
    place = np.append(np.cumsum(occurs) - 1, -1).astype(np.int32)
    flags = np.append(column.sensitive[:-1][occurs], column.sensitive[-1])
    return replace(column, kind=Kind.ORDINAL, codes=place[column.codes], values=column.values[occurs], sensitive=flags, hierarchy=None)


def _approach(nearest: NDArray[np.float64], column: Column, reading: Codes, blocks: Codes, size: int) -> None:
    """Lowers each class's figure to its distance from the block around it, if that has `size` rows. Only blocks that hold a class
    which is not at 0 already are looked at: at most one in `size` rows."""
    around = _blocks_around(reading, blocks, len(nearest))
    rows_of = np.bincount(blocks)
    open_ = np.zeros(len(rows_of), dtype=np.bool_)
    open_[around[nearest > 0]] = True
    order = np.argsort(blocks, kind="stable")
    ends = np.cumsum(rows_of)
    for block in np.flatnonzero(open_ & (rows_of >= size)):
        rows = order[ends[block] - rows_of[block] : ends[block]]
        present, inside = np.unique(reading[rows], return_inverse=True)
        part = column.take(rows)
        distance = distances(part, class_counts(part.codes, inside.astype(np.int32)), part.counts())
        nearest[present] = np.minimum(nearest[present], distance)


def _blocks_around(reading: Codes, blocks: Codes, classes: int) -> NDArray[np.int64]:
    if len(blocks) != len(reading):
        raise InputRejected(f"{len(blocks)} block numbers for {len(reading)} rows.", "Give one block number per row.")
    if blocks.min() < 0:
        raise InputRejected("A coarser partition has rows without a block.", "Number the blocks 0, 1, 2 …, without the suppressed rows.")
    around = np.empty(classes, dtype=np.int64)
    around[reading] = blocks
    if (around[reading] != blocks).any():
        raise InputRejected("A coarser partition cuts a class.", "Form its blocks from whole classes, say by fewer quasi-identifiers.")
    return around
