"""Every figure that a gate looks at, measured on the published form of one table and on nothing else."""

from __future__ import annotations

from headgate.core.distance import Distance
from headgate.core.errors import InputRejected
from headgate.core.published import PublishedTable
from headgate.principles.k_anonymity import k_anonymity
from headgate.utility.loss import discernibility, information_loss
from policies.gates.attackers import Threat
from policies.gates.every_gate import GATES
from policies.gates.figures import TableFigures
from policies.gates.gate import GatedTable
from policies.sealed.promise import Promise
from policies.sealed.specs import domains_of


def measure_table(
    promise: Promise,
    published: PublishedTable,
    threats: tuple[Threat, ...] = (),
    *,
    suppressed: int = 0,
    distance: Distance | None = None,
    path: str = "",
) -> TableFigures:
    """`threats`: what attackers learn of the table. `suppressed` rows of the input are in no table. `distance` is the callable's, where the
    promise names one; without it the composite cannot be measured."""
    if not published.sensitive:
        raise InputRejected(f"Table '{published.name}' has no sensitive column.", "Publish at least one per table.")
    composite = distance if promise.callable is not None else composite_of(promise)
    table = GatedTable(published, threats, composite, promise.power)
    groups = k_anonymity(table.classes)
    return TableFigures(
        name=published.name,
        sensitive=tuple(published.sensitive),
        insensitive=tuple(published.insensitive),
        path=path,
        rows=published.rows,
        groups=groups.groups,
        mean_group=groups.mean_group,
        discernibility=discernibility(table.classes, published.rows + suppressed),
        ncp=information_loss(published, domains_of(promise), suppressed).ncp,
        measured=tuple(figure for gate in GATES for figure in gate.measure(promise.of(gate.name), table)),
    )


def composite_of(promise: Promise) -> Distance:
    """Δ as the promise composes it, with the weights of its attributes."""
    weights = {attribute.name: attribute.weight for attribute in promise.sensitive}
    return Distance(p=promise.power, weights=weights, combine=promise.combine)
