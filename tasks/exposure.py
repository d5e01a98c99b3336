"""Disclosure beside the gate: what a step would buy, which patterns are riskiest, and which dictionary bounds which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from headgate.attacks.matching import translated
from headgate.columns import Column, Table
from headgate.errors import Defect
from headgate.published import PublishedTable
from headgate.risk.consistency import cell_masks
from headgate.risk.decision import agrees, bound_holds, refines
from headgate.risk.marginals import Marginals
from headgate.risk.patterns import riskiest
from policies.attackers import Attacker, Threat
from policies.exposure import exposures
from tasks.registers import Keys
from tasks.workbench import Workbench, present


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
        covered = cell_masks(cells, source[name])[cells.codes, _last_for_missing(source[name])]
        if not covered.all():
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


def bounds(bench: Workbench) -> Iterator[str]:
    """Theorem 1, of every pair of dictionaries whose people can be compared: R against the one that refines the other is the larger one."""
    held = {attacker.name: attacker for attacker in bench.attackers if not isinstance(attacker.dictionary, Marginals)}
    keys = dict(present(bench.dictionaries, "dictionaries").keys)
    people, own = _released(bench)
    for estimate in held.values():
        for true in held.values():
            if estimate is true:
                continue
            sentence = _bound(bench, estimate, true, keys, people, own)
            if sentence:
                yield sentence


def _released(bench: Workbench) -> tuple[Table, Mapping[str, NDArray[np.object_]]]:
    ingested, kept = present(bench.ingested, "encoded source"), np.flatnonzero(present(bench.kept, "plan"))
    named = {name: ingested.identifiers.of(name) for name in bench.loaded.policy.attributes}
    table = present(bench.original, "encoded source").take(kept)
    return table, {name: texts[kept] for name, texts in named.items() if texts is not None}


def _bound(
    bench: Workbench,
    estimate: Attacker,
    true: Attacker,
    keys: dict[str, Keys],
    people: Table,
    own: Mapping[str, NDArray[np.object_]],
) -> str:
    """Whose keys cannot be compared, nothing is said of; nor where neither refines the other, or the one that does takes more texts for
    the same."""
    if isinstance(estimate.dictionary, Marginals) or isinstance(true.dictionary, Marginals):
        return ""
    theirs = keys.get(true.name)
    if theirs is None or theirs.name not in own:
        return ""
    if estimate.name not in present(bench.dictionaries, "dictionaries").encoded:  # the source itself
        everybody = present(bench.ingested, "encoded source").identifiers.of(theirs.name)
    else:
        mine = keys.get(estimate.name)
        everybody = mine.texts if mine is not None and mine.name == theirs.name else None
    if everybody is None or not set(true.fields) <= set(estimate.fields):
        return ""
    known = people.columns
    if not refines(estimate.dictionary, true.dictionary, everybody, theirs.texts, true.fields):
        return ""
    if not agrees(estimate.dictionary, everybody, known, own[theirs.name], estimate.fields):
        return ""
    if any(estimate.similar.get(name, 1.0) < true.similar.get(name, 1.0) for name in true.fields):
        return ""
    pairs = [(figures.disclosure_mean.get(true.name), figures.disclosure_mean.get(estimate.name)) for figures in bench.figures]
    measured = [(real, bound) for real, bound in pairs if real is not None and bound is not None]
    if not measured:
        return ""
    if not all(bound_holds(real, bound) for real, bound in measured):
        raise Defect(f"The risk against {true.name} is above its bound.", "Please report this: Theorem 1 excludes it.")
    worst = max(measured)
    return (
        f"{estimate.name} bounds {true.name}: everybody in it is there too, and no cell there contradicts it, so no table can risk more "
        f"against {true.name} (Theorem 1). Measured, in the table that is worst off: {worst[0]:.6g}, at most {worst[1]:.6g}."
    )
