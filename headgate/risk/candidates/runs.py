"""The values that a field's cells cover, as runs of codes low ≤ code < high. In domain order, an interval or a node of a hierarchy is
one run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.cells import EVERYTHING, format_label
from headgate.core.columns import MISSING, Column
from headgate.core.kinds.kind_rules import FLAT
from headgate.core.published_form.cell_reader import CellReader
from headgate.core.published_form.published_table import PublishedCells


@dataclass(frozen=True, eq=False)
class Runs:
    """Cell i has the runs from `starts[i]` up to `starts[i + 1]`, which are disjoint and ascend. Every cell covers missing, whose code
    is −1."""

    starts: NDArray[np.int64]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    values: int  # how many the dictionary's column has

    def everything(self) -> NDArray[np.bool_]:
        """Which cells cover everybody."""
        return np.asarray(self.sums(np.ones(self.values + 1, dtype=np.int64)) == self.values + 1)

    def cover(self, cell: NDArray[np.integer[Any]], code: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """Whether each cell covers the code beside it: the last of its runs that begins at or before the code must end after it."""
        span = self.values + 2
        begins = np.repeat(np.arange(len(self.starts) - 1, dtype=np.int64), np.diff(self.starts)) * span + self.low + 1
        last = np.searchsorted(begins, cell.astype(np.int64) * span + code + 1, side="right") - 1
        return np.asarray((last >= self.starts[cell]) & (code < self.high[last]))

    def sums(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """The sum of the counts of all codes that each cell covers. Missing comes last, as in `Column.counts`."""
        before = np.concatenate([[0], np.cumsum(np.roll(counts, 1))])
        return np.asarray(np.add.reduceat(before[self.high + 1] - before[self.low + 1], self.starts[:-1]))


def cell_runs(cells: PublishedCells, column: Column) -> Runs:
    """The runs of every distinct text of the release, in the codes of the dictionary's column."""
    reader, plain = CellReader(column), _plain(column)
    return joined([merged(plain[text], plain[text] + 1) if text in plain else _covered(reader, text) for text in cells.texts], reader.size)


def _plain(column: Column) -> dict[str, int]:
    """Labels that cover only themselves, so that they need not be parsed one by one."""
    if column.kind.rules.shape(column) != FLAT:
        return {}
    return {format_label(str(value)): code for code, value in enumerate(column.values)}


def _covered(reader: CellReader, text: str) -> NDArray[np.intp]:
    """The codes at which the covered part begins and ends, alternating."""
    if text in ("", EVERYTHING):
        return np.array([MISSING, reader.size])
    stretch = reader.places(text)
    if stretch is not None:
        return merged(*stretch)
    ends = reader.ends(text)
    if len(ends) and ends[-1] > reader.size:
        return np.array([MISSING, reader.size])  # what may be missing rules nobody out
    return np.concatenate([[MISSING], ends[1:]]) if len(ends) and ends[0] == 0 else np.concatenate([[MISSING, 0], ends])


def run_ends(mask: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The ends of the runs that one flag per value describes. Missing comes before all values, and is always covered."""
    return np.flatnonzero(np.diff(np.concatenate([[False, True], mask, [False]]))) - 1


def merged(low: int, high: int) -> NDArray[np.intp]:
    """The run of missing and one stretch of values."""
    if high <= low:
        return np.array([MISSING, 0])
    return np.array([MISSING, high] if low == 0 else [MISSING, 0, low, high])


def joined(ends: Sequence[NDArray[np.intp]], values: int) -> Runs:
    starts = np.cumsum([0, *(len(stretches) // 2 for stretches in ends)])
    flat = np.concatenate([*ends, np.empty(0, dtype=np.intp)]).astype(np.int32)
    return Runs(starts, flat[::2], flat[1::2], values)


def stacked(fields: Sequence[Runs]) -> tuple[Runs, NDArray[np.int64]]:
    """The cells of all fields, numbered consecutively, and the first number of each field."""
    before = np.cumsum([0, *(len(field.low) for field in fields)])
    starts = [field.starts[:-1] + first for field, first in zip(fields, before[:-1], strict=True)]
    runs = Runs(
        np.concatenate([*starts, before[-1:]]),
        np.concatenate([field.low for field in fields]),
        np.concatenate([field.high for field in fields]),
        max(field.values for field in fields),
    )
    return runs, np.cumsum([0, *(len(own) for own in starts[:-1])])
