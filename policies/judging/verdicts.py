"""Figures against promises: one verdict a gate and table. What could not be measured has not passed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from headgate.core.errors import InputRejected, RequirementNotMet
from headgate.core.tolerance import at_least, at_most, exact
from policies.schema.disclosure_key import CANDIDATES, DISCLOSURE, MAX, MEAN, PRIOR, Bound, DisclosureGate
from policies.schema.requirements import UtilityKey
from policies.sealed.manifest import TableFigures, Utility, Verdict
from policies.sealed.promise import Promise

ADVISE = "`headgate advise` shows what these data can carry."
INFINITE = (
    "The loss is infinite: a cell whose weight is .inf is disclosed of somebody who can be found. Give the attribute role: dropped, or "
    "have suppress_cells take such cells out."
)
REMEDIES = {
    "k": f"Raise anonymize.k, or allow suppression with infeasible: {{suppress: …}}. {ADVISE}",
    "dissimilarity": f"Lower anonymize.epsilon or delta, split the table (projection), or allow infeasible: {{relax: …}}. {ADVISE}",
    "dissimilarity:": f"Lower epsilon or delta in anonymize.each, or raise k. {ADVISE}",
    "linkability": "Raise k, declare what is not sensitive (nonsensitive), or accept a higher gates.linkability.",
    "delta_l:": f"Raise k, or ask for a smaller interval or l in gates.delta_l. {ADVISE}",
    "closeness:": "Raise k so that groups resemble the whole table, or accept a higher gates.closeness.",
    "distinct_l:": "Raise k, or ask for a smaller gates.distinct_l.",
    "reidentification": "Raise anonymize.k: the risk is 1 over the size of a group.",
    "disclosure.mean": "Raise anonymize.k, coarsen the quasi-identifiers, or accept a higher gates.disclosure.mean.",
    "disclosure.max": "Raise anonymize.k, coarsen the quasi-identifiers, or accept a higher gates.disclosure.max.",
    "disclosure.share": "Raise anonymize.k, coarsen the quasi-identifiers, or accept a higher gates.disclosure.share.at_most.",
    "disclosure.candidates": "Raise anonymize.k, coarsen the quasi-identifiers, or accept a lower gates.disclosure.min_candidates.",
    "utility.max_error": "Lower k or delta, use fewer quasi-identifiers, or accept a higher utility.max_error.",
    "utility.max_loss": "Lower k or delta, use fewer quasi-identifiers, or accept a higher utility.max_loss.",
}


def judge(promise: Promise, figures: Iterable[TableFigures], disclosure: DisclosureGate | None = None) -> tuple[Verdict, ...]:
    """Every gate of the promise on every table. Disclosure needs the dictionaries, which are not published: its bounds come from the
    policy, and only the release itself can judge it."""
    tables = tuple(figures)
    published = [name for table in tables for name in table.sensitive]
    if len(set(published)) != len(published):
        raise InputRejected(
            "A sensitive column is published in two tables.", "Put each in one table: joined, they would tell more than either."
        )
    return tuple(verdict for table in tables for verdict in _of_table(promise, table, disclosure))


def _of_table(promise: Promise, table: TableFigures, disclosure: DisclosureGate | None) -> Iterator[Verdict]:
    yield _floor("k", table, table.k, promise.k)
    if promise.dissimilarity is not None:
        yield _floor("dissimilarity", table, _complement(table.risk), promise.dissimilarity.delta)
    for name in _here(promise.each, table):
        yield _floor(f"dissimilarity:{name}", table, _complement(table.single_risk.get(name)), promise.each[name].delta)
    yield _ceiling("linkability", table, table.linkability, promise.linkability)
    for name in _here(promise.delta_l, table):
        yield _floor(f"delta_l:{name}", table, table.delta_l.get(name), promise.delta_l[name].l)
    for name in _here(promise.closeness, table):
        yield _ceiling(f"closeness:{name}", table, table.closeness.get(name), promise.closeness[name])
    for name in _here(promise.distinct_l, table):
        yield _distinct(table, name, promise.distinct_l[name])
    if promise.reidentification.max is not None:
        yield _ceiling("reidentification.max", table, table.reidentification_max, promise.reidentification.max)
    if promise.reidentification.mean is not None:
        yield _ceiling("reidentification.mean", table, table.reidentification_mean, promise.reidentification.mean)
    if disclosure is not None:
        yield from _disclosed(table, disclosure)


def _disclosed(table: TableFigures, gate: DisclosureGate) -> Iterator[Verdict]:
    """Against every dictionary, so that the worst of them decides; where priors say how likely each is, the mean is their expectation."""
    names = [dictionary.called for dictionary in gate.held]
    if gate.by_prior and gate.mean is not None:
        yield _explained(_bounded(table, PRIOR, Bound(MEAN, gate.mean)), table, names)
    for name in names:
        for bound in gate.bounds:
            yield _explained(_bounded(table, name, bound), table, (name,))
        if name in _infinite(table) and not {MEAN, MAX} & {bound.name for bound in gate.bounds}:
            # `.inf` forbids whatever else is asked for.
            forbidden = Verdict(gate=f"{DISCLOSURE}:{name}.{MAX}", table=table.name, measured=None, required=None, passed=False)
            yield _explained(forbidden, table, (name,))


def _bounded(table: TableFigures, dictionary: str, bound: Bound) -> Verdict:
    way = _floor if bound.name == CANDIDATES else _ceiling
    return way(f"{DISCLOSURE}:{dictionary}.{bound.name}", table, table.disclosed(dictionary, bound.name), bound.required)


def _explained(verdict: Verdict, table: TableFigures, names: Iterable[str]) -> Verdict:
    """Of a dictionary that fits nobody, or of a loss that is infinite, the cure is another than of one that is too large."""
    foreign = [name for name in names if table.disclosure_unmatched.get(name) == 1.0]
    if foreign:
        cure = f"Nobody in '{foreign[0]}' fits any record, so nothing was measured: write its cells as the source does, or name another."
        return verdict.model_copy(update={"remedy": cure})
    if verdict.measured is None and _infinite(table) & set(names):
        return verdict.model_copy(update={"remedy": INFINITE})
    return verdict


def _infinite(table: TableFigures) -> set[str]:
    """The dictionaries that were measured and in which somebody whose cell weighs `.inf` can be found."""
    return table.disclosure_candidates.keys() - table.disclosure_max.keys()


def judge_utility(wanted: UtilityKey, reached: Utility) -> tuple[Verdict, ...]:
    """Bounds on what the release as a whole may lose; both are the policy's choice."""
    verdicts = []
    if wanted.max_error is not None:
        verdicts.append(_verdict("utility.max_error", "", reached.query_error_mean, exact(wanted.max_error), at_most_bound=True))
    if wanted.max_loss is not None:
        verdicts.append(_verdict("utility.max_loss", "", reached.ncp, exact(wanted.max_loss), at_most_bound=True))
    return tuple(verdicts)


def require_passed(verdicts: Iterable[Verdict]) -> None:
    """Raises for the first gate that has not passed. A release without verdicts has passed nothing."""
    found = tuple(verdicts)
    if not found:
        raise RequirementNotMet("gates", None, None, "Judge every table before anything is sealed.")
    for verdict in found:
        if not verdict.passed:
            raise RequirementNotMet(verdict.gate, verdict.measured, verdict.required, verdict.remedy, verdict.table)


def _here(promised: Mapping[str, object], table: TableFigures) -> Iterator[str]:
    return (name for name in promised if name in table.sensitive)


def _complement(risk: float | None) -> float | None:
    """δ reached."""
    return None if risk is None else 1.0 - risk


def _floor(gate: str, table: TableFigures, measured: float | None, required: object) -> Verdict:
    return _verdict(gate, table.name, measured, exact(required), at_most_bound=False)


def _ceiling(gate: str, table: TableFigures, measured: float | None, required: object) -> Verdict:
    return _verdict(gate, table.name, measured, exact(required), at_most_bound=True)


def _distinct(table: TableFigures, name: str, required: str) -> Verdict:
    """The required l is capped at the distinct values in the table: a bit has two, and no group can hold a third."""
    wanted, attainable = exact(required), table.distinct_attainable.get(name)
    if attainable is None or attainable >= wanted:
        return _floor(f"distinct_l:{name}", table, table.distinct_l.get(name), wanted)
    verdict = _floor(f"distinct_l:{name}", table, table.distinct_l.get(name), attainable)
    capped = f"The required l of {required} is capped at {attainable}, the number of distinct values in the table."
    return verdict.model_copy(update={"remedy": f"{capped} {verdict.remedy}".strip()})


def _verdict(gate: str, table: str, measured: float | None, required: Fraction, at_most_bound: bool) -> Verdict:
    known = measured if measured is not None and math.isfinite(measured) else None
    holds = known is not None and (at_most if at_most_bound else at_least)(known, float(required))
    remedy = "" if holds else _remedy(gate)
    if known is None:
        remedy = f"It could not be measured, which is not passed. {remedy}".strip()
    return Verdict(gate=gate, table=table, measured=known, required=float(required), passed=holds, remedy=remedy)


def _remedy(gate: str) -> str:
    kind, bound = gate.split(":")[0], gate.rpartition(".")[2]
    known = (gate, f"{kind}:", f"{kind}.{bound}", gate.split(".")[0])
    return next(REMEDIES[name] for name in known if name in REMEDIES)
