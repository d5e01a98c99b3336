"""What the report says of one table against one dictionary: how the risk is spread over people, and what a single step would buy."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from headgate.published import PublishedTable
from headgate.risk.decision import RiskDistribution, risk_distribution
from headgate.risk.disclosure import DisclosureRisk
from headgate.risk.what_if import what_if
from policies.attackers import Threat
from policies.disclosure import CANDIDATES, DISCLOSURE, MAX, MEAN, SHARE, DisclosureGate
from policies.manifest import Verdict


@dataclass(frozen=True)
class Step:
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
    now: Step
    steps: tuple[Step, ...]


def exposures(published: PublishedTable, found: Iterable[Threat], gate: DisclosureGate) -> tuple[Exposure, ...]:
    return tuple(_exposure(published, threat, gate) for threat in found)


def _exposure(published: PublishedTable, threat: Threat, gate: DisclosureGate) -> Exposure:
    attacker, risk = threat.attacker, threat.risk
    # Nothing is bought against a dictionary that fits nobody: it is written otherwise.
    tried = (
        what_if(published, attacker.dictionary, attacker.fields, threat.cost, risk.consistent, attacker.similar)
        if risk.unmatched < 1.0
        else ()
    )
    steps = tuple(_step(one.change, one.risk, gate) for one in tried)
    now = _step("as it is", risk, gate)
    return Exposure(published.name, attacker.name, attacker.fields, risk_distribution(risk.per_record), now, steps)


def _step(change: str, risk: DisclosureRisk, gate: DisclosureGate) -> Step:
    share = None if gate.share is None else risk.share_above(gate.share.above)
    step = Step(change, risk.mean, risk.max, share, risk.fewest, False)
    return replace(step, enough=risk.unmatched < 1.0 and all(bound.holds(step.figure(bound.name)) for bound in gate.bounds))


def with_cures(verdicts: Iterable[Verdict], found: Iterable[Exposure]) -> tuple[Verdict, ...]:
    """Where a table discloses too much, the remedy says which single step would be enough, or which comes nearest."""
    known = {(one.table, one.dictionary): one for one in found}
    return tuple(_with_cure(verdict, known) for verdict in verdicts)


def _with_cure(verdict: Verdict, known: dict[tuple[str, str], Exposure]) -> Verdict:
    name, bound = verdict.against
    exposure = known.get((verdict.table, name))
    if verdict.passed or verdict.kind != DISCLOSURE or exposure is None or not exposure.steps:
        return verdict
    return verdict.model_copy(update={"remedy": f"{_cure(exposure.steps, bound)} {verdict.remedy}"})


def _cure(steps: tuple[Step, ...], bound: str) -> str:
    enough = [step.change for step in steps if step.enough]
    if enough:
        return f"In this table it would be enough to {', or to '.join(enough)}."
    best = min(steps, key=lambda step: _distance(step, bound))
    return f"No single step is enough; the nearest is to {best.change} ({bound} {best.figure(bound):.6g})."


def _distance(step: Step, bound: str) -> float:
    """Less is nearer to the bound."""
    figure = step.figure(bound)
    return math.inf if figure is None else -figure if bound == CANDIDATES else figure
