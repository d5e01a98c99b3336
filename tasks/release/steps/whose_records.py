"""Whose records a table holds: what the writing step noted, as far as the files bear it out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.attacks.matching import translated
from headgate.core.columns import Column, Table
from headgate.core.errors import Defect
from headgate.core.published_form.published_table import PublishedTable
from headgate.risk.candidates.runs import cell_runs
from policies.attackers.attacker import needs_whose
from tasks.reading.prepare import PreparedSource


def asks_whose(encoded: PreparedSource) -> bool:
    """Whether a gate asks: where people weigh their own records, or rows have weights or households."""
    table = encoded.table
    return needs_whose(encoded.attackers) or table.weight is not None or table.household is not None


def whose_records(noted: NDArray[np.int64] | None, published: PublishedTable, table: Table) -> NDArray[np.int64] | None:
    """The row of the source that each published record is, as the writing step noted it, and believed only as far as the files bear it out:
    every sensitive cell is that row's, and every published cell covers the row's own. None where nothing was noted, for nobody asks."""
    if noted is None:
        return None
    if len(noted) != published.rows or len(np.unique(noted)) != published.rows:
        raise Defect(f"Whose records {published.name} holds was noted for other rows.", "Run the release again.")
    source = table.only((*published.sensitive, *published.cells)).take(noted)
    for column in published.sensitive.values():
        if (translated(source[column.name], column) != _last_for_missing(column)).any():
            raise Defect(f"The records of {published.name} are not whose they were noted to be.", "Run the release again.")
    for name, cells in published.cells.items():
        if not cell_runs(cells, source[name]).cover(cells.codes, source[name].codes).all():
            raise Defect(f"The records of {published.name} are not whose they were noted to be.", "Run the release again.")
    return noted


def _last_for_missing(column: Column) -> NDArray[np.int64]:
    return np.where(column.codes < 0, len(column.values), column.codes).astype(np.int64)
