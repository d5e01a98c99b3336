"""What a single step would gain: the disclosure risk of a published table if one attribute were coarser or suppressed and everything else
stayed the same.

The estimate says where to look. It does not predict the next release, whose groups would differ. A coarser cell is the next node of its
hierarchy or of the calendar, or an interval of twice the width around the same middle, moved inside the domain. A category without a
hierarchy can only be suppressed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.cells import (
    EVERYTHING,
    Everything,
    Members,
    Missing,
    parse_cell,
)
from headgate.core.columns import Column
from headgate.core.published_form.cell_reader import CellReader
from headgate.core.published_form.published_table import PublishedCells, PublishedTable
from headgate.risk.disclosure.expected_loss import (
    Dictionary,
    DisclosureRisk,
    candidates,
    disclosed_attributes,
    domains_of,
    risk_of,
    shown,
)
from headgate.risk.disclosure.sensitivity import Form, Sensitivity

COARSER, SUPPRESS = "make", "suppress"  # how a step's words begin


@dataclass(frozen=True, eq=False)
class WhatIf:
    """The result of one step. `coarser`: the attribute is one step coarser; otherwise it is suppressed in every record."""

    attribute: str
    coarser: bool
    risk: DisclosureRisk

    @property
    def change(self) -> str:
        return f"{COARSER} {self.attribute} one step coarser" if self.coarser else f"{SUPPRESS} {self.attribute}"


def what_if(
    published: PublishedTable,
    dictionary: Dictionary,
    fields: Sequence[str],
    sensitivity: Sensitivity,
    consistent: NDArray[Any],
    similar: Mapping[str, float] | None = None,
) -> tuple[WhatIf, ...]:
    """Every single step on an attribute that is shared, or that costs something to disclose, in the order of the table. `consistent` is
    |ρ| of every record as it is; attributes that are not shared do not change it."""
    domains = domains_of(dictionary)
    disclosed = disclosed_attributes(published, domains)
    costly = published.attributes if sensitivity.form is Form.COUNT else sensitivity.attributes

    def after(name: str, coarser: bool, cells: PublishedCells | None, left: NDArray[Any]) -> WhatIf:
        still = np.zeros(published.rows, dtype=bool) if cells is None else shown(cells, domains[name])
        return WhatIf(name, coarser, risk_of(sensitivity.of({**disclosed, name: still}, published.rows), left))

    def left(name: str, cells: PublishedCells) -> NDArray[Any]:
        return candidates({**published.cells, name: cells}, dictionary, fields, similar)

    everything = PublishedCells(np.zeros(published.rows, dtype=np.int32), np.array([EVERYTHING], dtype=object))
    steps = []
    for name in published.attributes:
        if name in fields:
            wider = coarser_cells(published.cells[name], domains[name])
            if wider is not None:
                steps.append(after(name, True, wider, left(name, wider)))
            steps.append(after(name, False, None, left(name, everything)))
        elif name in costly:
            steps.append(after(name, False, None, consistent))
    return tuple(steps)


def coarser_cells(cells: PublishedCells, column: Column) -> PublishedCells | None:
    """The cells one step coarser; None if there is no step between the cells and `*`."""
    reader = CellReader(column)
    texts = [_coarser(str(text), column, reader) for text in cells.texts]
    if all(text == EVERYTHING for text in texts):
        return None
    distinct, codes = np.unique(np.array(texts, dtype=object), return_inverse=True)
    return PublishedCells(codes.astype(np.int32)[cells.codes], distinct)


def _coarser(text: str, column: Column, reader: CellReader) -> str:
    cell, in_tree = parse_cell(text), column.hierarchy is not None
    if isinstance(cell, Everything | Missing) or (isinstance(cell, Members) and (None in cell.labels or not in_tree)):
        return EVERYTHING
    if in_tree:
        return _node_above(reader.covers(text)[:-1], column)
    return column.kind.rules.wider(column, text, reader.interval(text) if column.kind.ordered else None)


def _node_above(covered: Any, column: Column) -> str:
    """The smallest node that covers more than the cell does."""
    labels = column.hierarchy.labels if column.hierarchy is not None else np.empty((0, 0), dtype=object)
    for level in range(labels.shape[1] - 1):
        nodes = set(labels[covered, level])
        if len(nodes) == 1:
            under = labels[:, level] == nodes.pop()
            if int(under.sum()) > int(covered.sum()):
                label = str(labels[under, level][0])
                return column.kind.rules.node_text(label, level)
    return EVERYTHING
