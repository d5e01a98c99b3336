"""What the report says of one table against one dictionary: how the risk is spread over people, and what a single step would buy."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from headgate.core.published_form.published_table import PublishedTable
from headgate.risk.disclosure.decision import RiskDistribution, risk_distribution
from headgate.risk.disclosure.expected_loss import DisclosureRisk
from headgate.risk.disclosure.what_if import COARSER, SUPPRESS, what_if
from policies.attackers.attacker import Threat
from policies.attackers.attackers_key import PRIOR
from policies.gates.disclosure_key import CANDIDATES, MAX, MEAN, SHARE, DisclosureBound, DisclosureKey
from policies.gates.verdict import Verdict
from policies.schema.requirements import Gates


@dataclass(frozen=True)
class AttributeChange:
    """One attribute coarser or suppressed, all else the same. `enough`: with it every bound on this dictionary would be kept."""

    change: str
    mean: float
    max: float
    share: float | None
    candidates: float
    enough: bool

    def figure(self, bound: str) -> float | None:
        return {MEAN: self.mean, MAX: self.max, SHARE: self.share, CANDIDATES: self.candidates}.get(bound)


@dataclass(frozen=True)
class Exposure:
    table: str
    dictionary: str
    fields: tuple[str, ...]
    spread: RiskDistribution
    now: AttributeChange
    steps: tuple[AttributeChange, ...]
    prior: float | None = None
    personal: bool = False  # people weigh their own records: a single loss would tell what somebody minds

    def after(self, change: str) -> AttributeChange:
        """What does not concern this dictionary leaves all as it is."""
        return next((step for step in self.steps if step.change == change), self.now)


def exposures(published: PublishedTable, threats: Iterable[Threat], gates: Gates) -> tuple[Exposure, ...]:
    """None where the policy bounds no disclosure."""
    gate = gates.disclosure
    return () if gate is None else tuple(_exposure(published, threat, gate) for threat in threats)


def _exposure(published: PublishedTable, threat: Threat, gate: DisclosureKey) -> Exposure:
    attacker, risk = threat.attacker, threat.risk
    # Nothing is bought against a dictionary that fits nobody: it is written otherwise.
    tried = (
        what_if(published, attacker.dictionary, attacker.fields, threat.cost, risk.consistent, attacker.similar)
        if risk.unmatched < 1.0
        else ()
    )
    steps = tuple(_step(trial.change, trial.risk, gate) for trial in tried)
    now = _step("as it is", risk, gate)
    spread, personal = risk_distribution(risk.per_record), attacker.own is not None
    return Exposure(published.name, attacker.name, attacker.fields, spread, now, steps, attacker.prior, personal)


def _step(change: str, risk: DisclosureRisk, gate: DisclosureKey) -> AttributeChange:
    share = None if gate.share is None else risk.share_above(gate.share.above)
    step = AttributeChange(change, risk.mean, risk.max, share, risk.fewest, False)
    measured = risk.unmatched < 1.0 and math.isfinite(risk.max)
    return replace(step, enough=measured and all(bound.holds(step.figure(bound.name)) for bound in gate.bounds))


def with_cures(verdicts: Iterable[Verdict], exposures: Iterable[Exposure], gates: Gates) -> tuple[Verdict, ...]:
    """Where a table discloses too much, the remedy says which single step would be enough, or which comes nearest."""
    gate = gates.disclosure
    if gate is None:
        return tuple(verdicts)
    tables: dict[str, list[Exposure]] = {}
    for exposure in exposures:
        tables.setdefault(exposure.table, []).append(exposure)
    return tuple(_with_cure(verdict, tables.get(verdict.table, []), gate) for verdict in verdicts)


def _with_cure(verdict: Verdict, table: list[Exposure], gate: DisclosureKey) -> Verdict:
    name, bound = verdict.dictionary, verdict.bound
    if verdict.passed or name is None or bound is None:
        return verdict
    own = [exposure for exposure in table if name in (exposure.dictionary, PRIOR)]
    if not own or any(not exposure.steps for exposure in own):
        return verdict
    changes = list(dict.fromkeys(step.change for exposure in own for step in exposure.steps))
    cure = _enough(table, own, changes, name, gate) or _nearest(own, changes, name, bound)
    return verdict.model_copy(update={"remedy": f"{cure} {verdict.remedy}"})


def _enough(table: list[Exposure], own: list[Exposure], changes: list[str], name: str, gate: DisclosureKey) -> str:
    """The changes with which every bound on the table is kept, or else every bound against this dictionary; empty if no change does it."""
    sufficing = [change for change in changes if all(exposure.after(change).enough for exposure in table)]
    enough = [change for change in sufficing if _expected_enough(table, change, gate)]
    if enough:
        return f"For this table, {_one_of(enough)} {_how(enough)}"
    here = [change for change in changes if name != PRIOR and all(exposure.after(change).enough for exposure in own)]
    if here:
        return f"Against '{name}' alone, {_one_of(here)} Another bound on this table would still be broken. {_how(here)}"
    return ""


def _nearest(own: list[Exposure], changes: list[str], name: str, bound: str) -> str:
    figures = {change: _expected(own, change) if name == PRIOR else own[0].after(change).figure(bound) for change in changes}
    best = min(changes, key=lambda change: _distance(figures[change], bound))
    return f"No single step is enough; the one that helps most: {best} ({bound} would be {figures[best]:.6g})."


HOW = {
    SUPPRESS: "To suppress an attribute, give it role: dropped and take it out of the gate.",
    COARSER: "To make an attribute coarser, write coarser cells in the source.",
}


def _one_of(changes: list[str]) -> str:
    return f"one of these steps is enough: {'; '.join(changes)}." if len(changes) > 1 else f"one step is enough: {changes[0]}."


def _how(changes: list[str]) -> str:
    return " ".join(way for verb, way in HOW.items() if any(change.startswith(verb) for change in changes))


def _expected(table: list[Exposure], change: str) -> float:
    """The mean loss over all dictionaries, each as likely as the policy says."""
    return sum(exposure.prior * exposure.after(change).mean for exposure in table if exposure.prior)


def _expected_enough(table: list[Exposure], change: str, gate: DisclosureKey) -> bool:
    return gate.mean is None or not gate.by_prior or DisclosureBound(MEAN, gate.mean).holds(_expected(table, change))


def _distance(figure: float | None, bound: str) -> float:
    """Less is nearer to the bound."""
    return math.inf if figure is None else -figure if bound == CANDIDATES else figure
