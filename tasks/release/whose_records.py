"""Disclosure beside the gate: whose records a table holds, what a step would buy, and which patterns are riskiest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.attacks.matching import translated
from headgate.core.columns import Column
from headgate.core.errors import Defect
from headgate.core.published import PublishedTable
from headgate.risk.candidates.runs import cell_runs
from headgate.risk.disclosure.patterns import riskiest
from policies.gates.attackers import Threat
from policies.judging.exposure import exposures
from tasks.release.workbench import Workbench, present


def whose_records(bench: Workbench, published: PublishedTable) -> NDArray[np.int64] | None:
    """The row of the source that each published record is, as the writing step noted it, and believed only as far as the files bear it out:
    every sensitive cell is that row's, and every published cell covers the row's own. None where nobody asks."""
    people = bench.people.get(published.name)
    if people is None:
        return None
    table = present(bench.table, "encoded source")
    if len(people) != published.rows or len(np.unique(people)) != published.rows:
        raise Defect(f"Whose records {published.name} holds was noted for other rows.", "Run the release again.")
    source = table.take(people)
    for column in published.sensitive.values():
        if (translated(source[column.name], column) != _last_for_missing(column)).any():
            raise Defect(f"The records of {published.name} are not whose they were noted to be.", "Run the release again.")
    for name, cells in published.cells.items():
        if not cell_runs(cells, source[name]).cover(cells.codes, source[name].codes).all():
            raise Defect(f"The records of {published.name} are not whose they were noted to be.", "Run the release again.")
    return people


def _last_for_missing(column: Column) -> NDArray[np.int64]:
    return np.where(column.codes < 0, len(column.values), column.codes).astype(np.int64)


def expose(bench: Workbench, published: PublishedTable, found: tuple[Threat, ...]) -> None:
    """For the report, and for the remedy of a gate that fails."""
    gate = bench.loaded.policy.gates.disclosure
    if gate is None:
        return
    bench.exposures[published.name] = exposures(published, found, gate)
    for threat in found:
        bench.patterns[published.name, threat.attacker.name] = riskiest(published, threat.attacker.fields, threat.risk)
