"""What the report says of one table against one dictionary: how the risk is spread over people, and what a single step would buy."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.published import PublishedTable
from headgate.risk.decision import RiskDistribution, risk_distribution
from headgate.risk.disclosure import DisclosureRisk
from headgate.risk.what_if import what_if
from headgate.tolerance import at_least, at_most
from policies.attackers import Attacker
from policies.disclosure import DisclosureGate
from policies.manifest import Verdict

DISCLOSURE = "disclosure"


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
        return {"mean": self.mean, "max": self.max, "share": self.share, "candidates": self.candidates}.get(bound)


@dataclass(frozen=True)
class Exposure:
    table: str
    dictionary: str
    fields: tuple[str, ...]
    spread: RiskDistribution
    steps: tuple[Step, ...]


def exposures(
    published: PublishedTable, attackers: Iterable[Attacker], gate: DisclosureGate, people: NDArray[np.int64] | None = None
) -> tuple[Exposure, ...]:
    return tuple(_exposure(published, attacker, gate, people) for attacker in attackers)


def _exposure(published: PublishedTable, attacker: Attacker, gate: DisclosureGate, people: NDArray[np.int64] | None) -> Exposure:
    cost = attacker.cost(published, people)
    risk = attacker.risk(published, people)
    # Nothing is bought against a dictionary that fits nobody: it is written otherwise.
    tried = what_if(published, attacker.dictionary, attacker.fields, cost, attacker.similar) if risk.unmatched < 1.0 else ()
    steps = tuple(_step(one.change, one.risk, gate) for one in tried)
    return Exposure(published.name, attacker.name, attacker.fields, risk_distribution(risk.per_record), steps)


def _step(change: str, risk: DisclosureRisk, gate: DisclosureGate) -> Step:
    share = None if gate.share is None else risk.share_above(gate.share.above)
    enough = all(
        (
            gate.mean is None or gate.by_prior or at_most(risk.mean, float(gate.mean)),
            gate.max is None or at_most(risk.max, float(gate.max)),
            gate.share is None or (share is not None and at_most(share, float(gate.share.at_most))),
            gate.min_candidates is None or at_least(risk.fewest, gate.min_candidates),
            risk.unmatched < 1.0,
        )
    )
    return Step(change, risk.mean, risk.max, share, risk.fewest, enough)


def with_cures(verdicts: Iterable[Verdict], found: Iterable[Exposure]) -> tuple[Verdict, ...]:
    """Where a table discloses too much, the remedy says which single step would be enough, or which comes nearest."""
    known = {(one.table, one.dictionary): one for one in found}
    return tuple(_with_cure(verdict, known) for verdict in verdicts)


def _with_cure(verdict: Verdict, known: dict[tuple[str, str], Exposure]) -> Verdict:
    name, _, bound = verdict.gate.removeprefix(f"{DISCLOSURE}:").rpartition(".")
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
    return math.inf if figure is None else -figure if bound == "candidates" else figure
