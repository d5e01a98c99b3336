"""Reading the published cells of one quasi-identifier: which values of its column each covers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.cells import Everything, Interval, Members, Missing, Single, parse_cell
from headgate.core.columns import Column


class CellReader:
    """Reads the published cells of one quasi-identifier against its domain.

    A label or interval that reaches beyond the column's own values covers the values it reaches."""

    def __init__(self, column: Column) -> None:
        self.column = column
        self.size = len(column.values)
        self._points = column.kind.rules.points(column)
        self.place = {} if column.kind.numeric else {str(value): code for code, value in enumerate(column.values)}
        self.nodes: dict[str, NDArray[np.bool_]] = {}
        if column.hierarchy is not None:
            labels = column.hierarchy.labels
            for level in range(labels.shape[1]):
                for label in set(labels[:, level]):
                    under = labels[:, level] == label
                    self.nodes[label] = under | self.nodes[label] if label in self.nodes else under

    def covers(self, text: str) -> NDArray[np.bool_]:
        """One flag per value of the column, and a last one for missing."""
        out = np.zeros(self.size + 1, dtype=bool)
        match parse_cell(text):
            case Everything():
                out[:] = True
            case Missing():
                out[-1] = True
            case Members(labels):
                for label in labels:
                    if label is None:
                        out[-1] = True
                    else:
                        self._add(out, Single(label))
            case Single() | Interval() as cell:
                self._add(out, cell)
        return out

    def interval(self, text: str) -> tuple[float, float] | None:
        """The stretch of the line that a cell names: numbers, days, or an ordinal's ranks. None for a cell that is not a stretch."""
        cell = parse_cell(text)
        return self.column.kind.rules.stretch(cell, self) if isinstance(cell, Single | Interval) else None

    def places(self, text: str) -> tuple[int, int] | None:
        """Which of the column's values lie on that stretch: the first, and the one past the last. None for a cell that is not a stretch."""
        stretch = self.interval(text)
        if stretch is None:
            return None
        return int(np.searchsorted(self._points, stretch[0])), int(np.searchsorted(self._points, stretch[1], side="right"))

    def leaves_under(self, label: str) -> int:
        """How many values lie under a node of the hierarchy, or have this name."""
        if self.column.hierarchy is None:
            return 0
        out = np.zeros(self.size + 1, dtype=bool)
        self._add(out, Single(label))
        return int(out.sum())

    def _add(self, out: NDArray[np.bool_], cell: Single | Interval) -> None:
        stretch = self.column.kind.rules.stretch(cell, self)
        if stretch is not None:
            out[:-1] |= (self._points >= stretch[0]) & (self._points <= stretch[1])
        elif isinstance(cell, Single) and cell.label in self.nodes:
            out[:-1] |= self.nodes[cell.label]
        elif isinstance(cell, Single) and cell.label in self.place:
            out[self.place[cell.label]] = True
