"""Reading the published cells of one quasi-identifier: which values of its column each covers.

There may be as many cells as groups, and as many values as rows, so what a cell covers is read as stretches of values and written out value
by value only where somebody needs that.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from headgate.core.cells import Everything, Interval, Members, Missing, Single, parse_cell
from headgate.core.columns import Column

NOTHING: NDArray[np.intp] = np.empty(0, dtype=np.intp)


class CellReader:
    """Reads the published cells of one quasi-identifier against its domain.

    A label or interval that reaches beyond the column's own values covers the values it reaches. `nodes`: the values under each node of
    the hierarchy, leaves among them, in ascending order."""

    def __init__(self, column: Column) -> None:
        self.column = column
        self.size = len(column.values)
        self._points = column.kind.rules.points(column)
        self.place = {} if column.kind.numeric else {str(value): code for code, value in enumerate(column.values)}
        self.nodes = {} if column.hierarchy is None else _values_under(column.hierarchy.labels)

    def covers(self, text: str) -> NDArray[np.bool_]:
        """One flag per value of the column, and a last one for missing."""
        out = np.zeros(self.size + 1, dtype=bool)
        ends = self.ends(text)
        for first, past in zip(ends[::2], ends[1::2], strict=True):
            out[first:past] = True
        return out

    def ends(self, text: str) -> NDArray[np.intp]:
        """Where each stretch of covered values begins and, exclusively, ends: alternating and ascending. Missing is the last value."""
        match parse_cell(text):
            case Everything():
                return np.array([0, self.size + 1])
            case Missing():
                return np.array([self.size, self.size + 1])
            case Members(labels):
                return self._of_members(labels)
            case Single() | Interval() as cell:
                return self._of_label(cell)

    def interval(self, text: str) -> tuple[float, float] | None:
        """The stretch of the line that a cell names: numbers, days, or an ordinal's ranks. None for a cell that is not a stretch."""
        cell = parse_cell(text)
        return self.column.kind.rules.stretch(cell, self) if isinstance(cell, Single | Interval) else None

    def places(self, text: str) -> tuple[int, int] | None:
        """Which of the column's values lie on that stretch: the first, and the one past the last. None for a cell that is not a stretch."""
        stretch = self.interval(text)
        return None if stretch is None else self._between(*stretch)

    def leaves_under(self, label: str) -> int:
        """How many values lie under a node of the hierarchy, or have this name."""
        if self.column.hierarchy is None:
            return 0
        ends = self._of_label(Single(label))
        return int((ends[1::2] - ends[::2]).sum())

    def under(self, label: str) -> NDArray[np.bool_] | None:
        """One flag per value: whether it lies under the node. None if there is no such node."""
        if label not in self.nodes:
            return None
        mask = np.zeros(self.size, dtype=bool)
        mask[self.nodes[label]] = True
        return mask

    def _between(self, low: float, high: float) -> tuple[int, int]:
        return int(np.searchsorted(self._points, low)), int(np.searchsorted(self._points, high, side="right"))

    def _of_label(self, cell: Single | Interval) -> NDArray[np.intp]:
        stretch = self.column.kind.rules.stretch(cell, self)
        if stretch is not None:
            first, past = self._between(*stretch)
            return np.array([first, past]) if first < past else NOTHING
        if isinstance(cell, Single) and cell.label in self.nodes:
            return ends_of(self.nodes[cell.label])
        if isinstance(cell, Single) and cell.label in self.place:
            return np.array([self.place[cell.label], self.place[cell.label] + 1])
        return NOTHING

    def _of_members(self, labels: Sequence[str | None]) -> NDArray[np.intp]:
        """A member of a flat category is looked up; others, which name a stretch or a node, are read as cells."""
        codes: list[int] = []
        parts: list[NDArray[np.intp]] = []
        flat = not self.nodes and not self.column.kind.ordered
        for label in labels:
            if label is None:
                codes.append(self.size)
            elif flat:
                if label in self.place:
                    codes.append(self.place[label])
            else:
                ends = self._of_label(Single(label))
                parts += [np.arange(first, past) for first, past in zip(ends[::2], ends[1::2], strict=True)]
        return ends_of(np.unique(np.concatenate([np.array(codes, dtype=np.intp), *parts])))


def ends_of(codes: NDArray[np.intp]) -> NDArray[np.intp]:
    """The ends of the stretches of these values, which ascend."""
    if len(codes) == 0:
        return NOTHING
    breaks = np.flatnonzero(np.diff(codes) > 1)
    firsts, lasts = np.append(0, breaks + 1), np.append(breaks, len(codes) - 1)
    return np.stack([codes[firsts], codes[lasts] + 1], axis=1).reshape(-1)


def _values_under(labels: NDArray[np.object_]) -> dict[str, NDArray[np.intp]]:
    """A name on several levels stands for the values of all of them. Every level lists each value once, however many nodes it has."""
    under: dict[str, NDArray[np.intp]] = {}
    for level in range(labels.shape[1]):
        numbers: dict[str, int] = {}
        node = np.array([numbers.setdefault(label, len(numbers)) for label in labels[:, level]], dtype=np.intp)
        parts = np.split(np.argsort(node, kind="stable"), np.cumsum(np.bincount(node, minlength=len(numbers)))[:-1])
        for label, part in zip(numbers, parts, strict=True):
            under[label] = np.union1d(under[label], part) if label in under else part
    return under
