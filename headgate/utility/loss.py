"""Information loss of a published table: NCP, discernibility, mean group (DEFINITIONS §4, §8), from the published texts alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from headgate.core.cells import Everything, Interval, Members, Missing, Single, parse_cell
from headgate.core.columns import Codes, Column
from headgate.core.errors import InputRejected
from headgate.core.published_form.cell_reader import CellReader
from headgate.core.published_form.published_table import PublishedTable
from headgate.counting.class_counts import class_sizes
from headgate.counting.figure import Figure


@dataclass(frozen=True, eq=False)
class InformationLoss:
    """`ncp` over all input rows, a suppressed one counting 1; `figure` by group number; `per_attribute` over released rows."""

    ncp: float
    figure: Figure
    per_attribute: Mapping[str, float]


def information_loss(published: PublishedTable, domains: Mapping[str, Column], suppressed: int = 0) -> InformationLoss:
    """`domains` holds a column for each quasi-identifier: its kind, values, domain and hierarchy are read, not its rows."""
    if not published.cells:
        raise InputRejected("No attribute is a quasi-identifier.", "Declare at least one attribute with role: quasi.")
    total = np.zeros(published.rows)
    per_attribute: dict[str, float] = {}
    for name, cells in published.cells.items():
        reader = CellReader(domains[name])
        losses = np.array([cell_loss(text, reader) for text in cells.texts])[cells.codes]
        per_attribute[name] = float(losses.mean())
        total += losses
    per_row = total / len(published.cells)
    sizes = np.bincount(published.group)
    per_group = np.bincount(published.group, weights=per_row) / np.maximum(sizes, 1)
    ncp = float((per_row.sum() + suppressed) / (published.rows + suppressed))
    return InformationLoss(ncp, Figure.cost("information loss", per_group, sizes), per_attribute)


def cell_loss(text: str, reader: CellReader) -> float:
    """The share of the domain that a cell spans; 0 for one value, 1 for everything."""
    column = reader.column
    match parse_cell(text):
        case Missing():
            return 0.0
        case Everything():
            return 1.0
        case Members(labels):
            return len(labels) / (len(column.values) + (None in labels))
        case Single() | Interval() as cell:
            return column.kind.rules.cell_loss(cell, reader)


def discernibility(classes: Sequence[Codes], rows: int | None = None) -> int:
    """Σ|E|² + n per suppressed row, n the input rows; by group number, the first reading."""
    released = len(classes[0])
    total = released if rows is None else rows
    if total < released:
        raise InputRejected(f"{released} rows are released of {total} input rows.", "Give the number of rows of the input.")
    return int((class_sizes(classes[0]) ** 2).sum()) + (total - released) * total
