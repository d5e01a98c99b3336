"""A table as the published algorithms beside us see it: distinct combinations of quasi-identifiers, and the rows that have each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Table
from headgate.core.distinct import places


@dataclass(frozen=True, eq=False)
class Cells:
    """Cell c has the rows row[start[c]] … row[start[c + 1] − 1]. A number is at a `place` of its domain; a category has a `position` among
    `count` values, none of which is missing or in a hierarchy. `count` is 0 for numbers."""

    position: NDArray[np.int32]
    place: NDArray[np.float64]
    count: NDArray[np.int64]
    row: NDArray[np.int64]
    start: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.position)

    @property
    def rows(self) -> NDArray[np.int64]:
        return np.diff(self.start)


def cells_of(table: Table) -> Cells:
    columns = table.select(table.quasi)
    if any((column.codes < 0).any() or (column.codes >= len(column.values)).any() for column in columns):
        raise ValueError("A cell is missing.")
    cell = places([column.codes for column in columns])
    row = np.argsort(cell, kind="stable")
    start = np.searchsorted(cell[row], np.arange(int(cell.max()) + 2))
    first = row[start[:-1]]
    position = np.stack([column.codes[first] for column in columns], axis=1).astype(np.int32)
    place = np.zeros(position.shape)
    for axis, column in enumerate(columns):
        if column.kind.numeric:
            low, high = column.domain or (0.0, 0.0)
            place[:, axis] = (np.asarray(column.values, dtype=float)[position[:, axis]] - low) / ((high - low) or 1.0)
    count = np.array([0 if column.kind.numeric else len(column.values) for column in columns], dtype=np.int64)
    return Cells(np.ascontiguousarray(position), place, count, row.astype(np.int64), start.astype(np.int64))
