"""Every figure that a gate looks at, measured on the published form of one table and on nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.core.cells import EVERYTHING
from headgate.core.distance import Distance
from headgate.core.errors import InputRejected
from headgate.core.published_form.published_table import PublishedCells, PublishedTable
from headgate.principles.k_anonymity import k_anonymity
from headgate.utility.loss import discernibility, information_loss
from policies.attackers.attacker import Threat
from policies.gates.beside import NOTHING, Beside
from policies.gates.dissimilarity import DISSIMILARITY, EPSILON
from policies.gates.every_gate import GATES
from policies.gates.figures import TableFigures
from policies.gates.gate import GatedTable
from policies.sealed.promise import Promise
from policies.sealed.specs import domains_of


@dataclass(frozen=True, eq=False)
class MeasuredClosely:
    """The figures of one table, and what two of them summarize."""

    figures: TableFigures
    group_risks: NDArray[np.float64] | None  # of the composite, group by group; None where no (ε, δ) was promised
    loss: Mapping[str, float]  # NCP of each quasi-identifier alone


def measure_table(
    promise: Promise,
    published: PublishedTable,
    threats: tuple[Threat, ...] = (),
    *,
    suppressed: int = 0,
    distance: Distance | None = None,
    path: str = "",
    parts: tuple[int, ...] = (),
    beside: Beside = NOTHING,
) -> TableFigures:
    return measure_closely(
        promise, published, threats, suppressed=suppressed, distance=distance, path=path, parts=parts, beside=beside
    ).figures


def measure_closely(
    promise: Promise,
    published: PublishedTable,
    threats: tuple[Threat, ...] = (),
    *,
    suppressed: int = 0,
    distance: Distance | None = None,
    path: str = "",
    parts: tuple[int, ...] = (),
    beside: Beside = NOTHING,
) -> MeasuredClosely:
    """`threats`: what attackers learn of the table. `suppressed` rows of the input are in no table. `distance` is the callable's, where the
    promise names one; without it the composite cannot be measured. `beside`: what else is known of its rows."""
    if not published.sensitive:
        raise InputRejected(f"Table '{published.name}' has no sensitive column.", "Publish at least one per table.")
    composite = distance if promise.callable is not None else composite_of(promise)
    table = GatedTable(published, threats, composite, promise.power, _weighed(promise, published, beside))
    groups = k_anonymity(table.classes)
    lost = information_loss(published, domains_of(promise), suppressed)
    figures = TableFigures(
        name=published.name,
        sensitive=tuple(published.sensitive),
        insensitive=tuple(published.insensitive),
        path=path,
        parts=parts,
        rows=published.rows,
        groups=groups.groups,
        mean_group=groups.mean_group,
        discernibility=discernibility(table.classes, published.rows + suppressed),
        ncp=lost.ncp,
        everything={name: hidden_share(cells) for name, cells in published.cells.items()},
        measured=tuple(figure for gate in GATES for figure in gate.measure(promise.of(gate.name), table)),
    )
    whole = promise.required(DISSIMILARITY)
    composed = None if whole is None else table.composed(whole.settings[EPSILON], whole.required)
    return MeasuredClosely(figures, None if composed is None else composed.per_group, lost.per_attribute)


def _weighed(promise: Promise, published: PublishedTable, beside: Beside) -> Beside:
    weight = promise.weight
    return beside if weight is None else beside.least(published, weight.name, weight.half_step)


def hidden_share(cells: PublishedCells) -> float:
    """The share of the rows whose cell is `*`."""
    hidden = np.array([text == EVERYTHING for text in cells.texts], dtype=bool)
    return float(hidden[cells.codes].mean()) if len(cells.codes) else 0.0


def composite_of(promise: Promise) -> Distance:
    """Δ as the promise composes it, with the weights of its attributes."""
    weights = {attribute.name: attribute.weight for attribute in promise.sensitive}
    return Distance(p=promise.power, weights=weights, combine=promise.combine)
