"""Every figure that a gate looks at, measured on the published form of one table and on nothing else."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from headgate.core.columns import Codes, Column
from headgate.core.distance import Distance
from headgate.core.errors import InputRejected
from headgate.core.published import PublishedTable
from headgate.counting.class_counts import count
from headgate.principles.closeness import closeness
from headgate.principles.delta_l import delta_l
from headgate.principles.dissimilarity import dissimilarity
from headgate.principles.diversity import diversity
from headgate.principles.k_anonymity import k_anonymity
from headgate.principles.linkability import worst_linkability
from headgate.risk.disclosure.decision import bayes_risk
from headgate.risk.disclosure.expected_loss import DisclosureRisk
from headgate.risk.reidentification.prosecutor import reidentification
from headgate.utility.loss import discernibility, information_loss
from policies.gates.attackers import Threat
from policies.sealed.manifest import TableFigures
from policies.sealed.promise import Promise
from policies.sealed.specs import domains_of


def measure_table(
    promise: Promise,
    published: PublishedTable,
    found: tuple[Threat, ...] = (),
    *,
    suppressed: int = 0,
    distance: Distance | None = None,
    path: str = "",
) -> TableFigures:
    """`found`: what attackers learn of the table. `suppressed` rows of the input are in no table. `distance` is the callable's, where the
    promise names one; without it the composite cannot be measured, and stays None."""
    if not published.sensitive:
        raise InputRejected(f"Table '{published.name}' has no sensitive column.", "Publish at least one a table.")
    classes = published.classes()
    columns = tuple(published.sensitive.values())
    groups = k_anonymity(classes)
    seen = reidentification(classes)
    counted = {column.name: count(column, classes) for column in columns}
    certain = worst_linkability(counted.values())
    diversities = {name: diversity(one) for name, one in counted.items()}
    spreads = {name: delta_l(counted[name], gate.interval) for name, gate in promise.delta_l.items() if name in counted}
    # A dictionary that matches nobody, say one in another coding, would show no risk at all: it has measured nothing.
    matched = {threat.attacker.name: threat.risk for threat in found if threat.risk.unmatched < 1.0}
    composed = None
    composite = distance if promise.callable is not None else composite_of(promise)
    if promise.dissimilarity is not None and composite is not None:
        composed = dissimilarity(columns, classes, composite, promise.dissimilarity.epsilon, promise.dissimilarity.delta)
    return TableFigures(
        name=published.name,
        sensitive=tuple(published.sensitive),
        insensitive=tuple(published.insensitive),
        path=path,
        rows=published.rows,
        groups=groups.groups,
        k=groups.k,
        mean_group=groups.mean_group,
        discernibility=discernibility(classes, published.rows + suppressed),
        risk=None if composed is None else composed.risk,
        risk_all=None if composed is None else composed.risk_all,
        delta_reached=None if composed is None else composed.delta_reached,
        vulnerability=None if composed is None else composed.vulnerability,
        single_risk=_alone(promise, columns, classes),
        linkability=certain.linkability,
        linkability_all=certain.linkability_all,
        closeness={name: closeness(one).t for name, one in counted.items()},
        distinct_l={name: found.distinct_l for name, found in diversities.items()},
        distinct_l_all={name: found.distinct_l_all for name, found in diversities.items()},
        distinct_attainable={name: found.attainable for name, found in diversities.items()},
        # Where no value is sensitive nothing can be told apart too well; |E| is the largest l there is.
        delta_l={name: min(found.definition.value, float(published.rows)) for name, found in spreads.items()},
        delta_l_all={name: found.definition_all for name, found in spreads.items()},
        reidentification_max=seen.max,
        reidentification_mean=seen.mean,
        # An infinite figure is left out, which is not passed.
        disclosure_mean={name: risk.mean for name, risk in matched.items() if math.isfinite(risk.mean)},
        disclosure_max={name: risk.max for name, risk in matched.items() if math.isfinite(risk.max)},
        disclosure_share={
            threat.attacker.name: threat.risk.share_above(threat.attacker.above)
            for threat in found
            if threat.attacker.above is not None and threat.attacker.name in matched
        },
        disclosure_candidates={name: risk.fewest for name, risk in matched.items()},
        disclosure_unmatched={threat.attacker.name: threat.risk.unmatched for threat in found},
        disclosure_prior=_by_prior(found, matched),
        ncp=information_loss(published, domains_of(promise), suppressed).ncp,
    )


def composite_of(promise: Promise) -> Distance:
    """Δ as the promise composes it, with the weights of its attributes."""
    weights = {attribute.name: attribute.weight for attribute in promise.sensitive}
    return Distance(p=promise.power, weights=weights, combine=promise.combine)


def _alone(promise: Promise, columns: tuple[Column, ...], classes: Sequence[Codes]) -> dict[str, float]:
    """Risk of each sensitive attribute by itself, at its own ε or else the composite's: a composite can hide a homogeneous one."""
    risks = {}
    for column in columns:
        asked = promise.each.get(column.name, promise.dissimilarity)
        if asked is not None:
            single = Distance(p=promise.power, weights={column.name: 1.0})
            risks[column.name] = dissimilarity([column], classes, single, asked.epsilon, asked.delta).risk
    return risks


def _by_prior(found: tuple[Threat, ...], matched: Mapping[str, DisclosureRisk]) -> float | None:
    """The expected risk where the policy says how likely each dictionary is; not measured if one of them could not be."""
    priors = [threat.attacker.prior for threat in found if threat.attacker.prior is not None]
    if not priors or len(matched) < len(found):
        return None
    expected = bayes_risk([threat.risk.mean for threat in found], priors)
    return expected if math.isfinite(expected) else None
