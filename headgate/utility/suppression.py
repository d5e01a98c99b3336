"""What was not published: suppressed rows (DEFINITIONS §1, §8), and cells that are `*`, which say nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from headgate.core.cells import EVERYTHING
from headgate.core.errors import InputRejected
from headgate.core.published_form.published_table import PublishedTable
from headgate.counting.figure import Figure


@dataclass(frozen=True, eq=False)
class Suppression:
    """Shares. A suppressed row counts once, as a row; `cells` and what follows are of released rows only."""

    suppressed_share: float  # of input rows
    cells: float  # of all quasi-identifier cells
    per_attribute: Mapping[str, float]
    figure: Figure  # of the group's cells, by group number


def suppression(published: PublishedTable, input_rows: int) -> Suppression:
    if not published.cells or published.rows == 0:
        raise InputRejected("The table has no published cells to measure.", "Publish rows with at least one quasi-identifier.")
    if published.rows > input_rows:
        raise InputRejected(f"{published.rows} rows are published of {input_rows} input rows.", "Give the number of rows of the input.")
    hidden = {name: (cells.texts == EVERYTHING)[cells.codes] for name, cells in published.cells.items()}
    per_row = np.sum(list(hidden.values()), axis=0) / len(hidden)
    sizes = np.bincount(published.group)
    return Suppression(
        (input_rows - published.rows) / input_rows,
        float(per_row.mean()),
        {name: float(flags.mean()) for name, flags in hidden.items()},
        Figure.cost("suppressed cells", np.bincount(published.group, weights=per_row) / np.maximum(sizes, 1), sizes),
    )
