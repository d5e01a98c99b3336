"""Disclosure risk against what somebody may hold: a register, published counts, or the source itself (DEFINITIONS §7)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any

from pydantic import Field

from headgate.core.columns import Table
from headgate.risk.disclosure.decision import bayes_risk
from policies.attackers.attackers_key import PRIOR, AttackersKey
from policies.gates.amounts import amounts, shares
from policies.gates.disclosure_key import CANDIDATES, MAX, MEAN, SHARE, DisclosureKey, compared
from policies.gates.figures import TableFigures
from policies.gates.gate import Gate, GatedTable, GateFigure, Per
from policies.gates.reader_words import Question, Unit
from policies.gates.verdict import Comparison, Measured, Requirement, Verdict
from policies.words.fields import Section, decimal_text

ABOVE = "above"
INFINITE = (
    "The loss is infinite: somebody who can be found has a disclosed cell of weight .inf. Give the attribute role: dropped, or "
    "let suppress_cells remove such cells."
)
CURES = {
    MEAN: "accept a higher gates.disclosure.mean.",
    MAX: "accept a higher gates.disclosure.max.",
    SHARE: "accept a higher gates.disclosure.share.at_most.",
    CANDIDATES: "accept a lower gates.disclosure.min_candidates.",
}


class DisclosureKeys(Section):
    disclosure: Annotated[DisclosureKey | None, Field(description="see below")] = None


class Disclosure(Gate):
    """Against every dictionary, so that the worst of them decides; where priors say how likely each is, the mean is their expectation."""

    name = "disclosure"
    keys = DisclosureKeys
    comparison = Comparison.AT_MOST  # but candidates
    figures = (
        GateFigure("disclosure_unmatched", per=Per.DICTIONARY),  # share of records that nobody in the dictionary is consistent with
        GateFigure("disclosure_mean", per=Per.DICTIONARY, worst=Comparison.AT_MOST),
        GateFigure("disclosure_max", per=Per.DICTIONARY, worst=Comparison.AT_MOST),
        GateFigure("disclosure_share", per=Per.DICTIONARY, worst=Comparison.AT_MOST),  # of records above the loss that the policy names
        GateFigure("disclosure_candidates", per=Per.DICTIONARY, worst=Comparison.AT_LEAST),  # fewest individuals that a record could be
        GateFigure("disclosure_prior", worst=Comparison.AT_MOST),  # expected over the dictionaries
    )
    bounds = (MEAN, MAX, SHARE, CANDIDATES)
    verified = "no: what attackers hold is not published"
    meaning = "Somebody who has such a list of people can name the person behind a record only rarely, weighted by the harm that this does."
    question = Question.RECOGNIZED
    unit = Unit.NUMBER
    plain = {
        MEAN: "Somebody who holds the list “%(dictionary)s” does little harm: a record costs at most %(required)s on average.",
        MAX: "Somebody who holds the list “%(dictionary)s” harms nobody much: no record costs more than %(required)s.",
        SHARE: "Somebody who holds the list “%(dictionary)s” learns more than the policy accepts from at most %(required)s of the records.",
        CANDIDATES: "Whoever holds the list “%(dictionary)s” finds at least %(required)s on it whom a record could be.",
    }
    cure = "Raise anonymize.k, coarsen the quasi-identifiers, or "

    def attackers(self, keys: Any) -> AttackersKey | None:
        gate: DisclosureKey | None = keys.disclosure
        return gate

    def counts(self, bound: str | None) -> Unit:
        return {SHARE: Unit.SHARE, CANDIDATES: Unit.PEOPLE}.get(bound or MEAN, self.unit)

    def requirements(self, keys: Any, table: Table) -> Iterator[Requirement]:
        gate: DisclosureKey | None = keys.disclosure
        if gate is None:
            return
        if gate.by_prior and gate.mean is not None:
            yield Requirement(gate=self.name, dictionary=PRIOR, bound=MEAN, required=decimal_text(gate.mean))
        for dictionary in gate.all_dictionaries:
            for bound in gate.bounds:
                settings = {ABOVE: decimal_text(gate.share.above)} if bound.name == SHARE and gate.share is not None else {}
                yield Requirement(
                    gate=self.name,
                    dictionary=dictionary.called,
                    bound=bound.name,
                    required=decimal_text(bound.required),
                    settings=settings,
                )

    def measure(self, required: Sequence[Requirement], table: GatedTable) -> Iterator[Measured]:
        """A dictionary that matches nobody, say one in another coding, would show no risk at all: it has measured nothing. An infinite
        figure is left out, which is not passed."""
        for threat in table.threats:
            yield Measured(figure="disclosure_unmatched", of=threat.attacker.name, value=threat.risk.unmatched)
        matched = [threat for threat in table.threats if threat.risk.unmatched < 1.0]
        for threat in matched:
            name, risk = threat.attacker.name, threat.risk
            if math.isfinite(risk.mean):
                yield Measured(figure="disclosure_mean", of=name, value=risk.mean)
            if math.isfinite(risk.max):
                yield Measured(figure="disclosure_max", of=name, value=risk.max)
            if threat.attacker.above is not None:
                yield Measured(figure="disclosure_share", of=name, value=risk.share_above(threat.attacker.above))
            yield Measured(figure="disclosure_candidates", of=name, value=risk.fewest)
        priors = [threat.attacker.prior for threat in table.threats if threat.attacker.prior is not None]
        if priors and len(matched) == len(table.threats):
            expected = bayes_risk([threat.risk.mean for threat in table.threats], priors)
            if math.isfinite(expected):
                yield Measured(figure="disclosure_prior", value=expected)

    def reached(self, requirement: Requirement, figures: TableFigures) -> float | None:
        if requirement.dictionary == PRIOR:
            return figures.figure("disclosure_prior")
        return super().reached(requirement, figures)

    def compared(self, bound: str | None) -> Comparison:
        return compared(bound or MEAN)

    def judge(self, required: Sequence[Requirement], figures: TableFigures) -> Iterator[Verdict]:
        promised = [requirement for requirement in required if requirement.dictionary != PRIOR]
        names = list(dict.fromkeys(requirement.dictionary for requirement in promised if requirement.dictionary is not None))
        for requirement in required:
            against = names if requirement.dictionary == PRIOR else [str(requirement.dictionary)]
            yield _explained(self.verdict(requirement, figures.name, self.reached(requirement, figures)), figures, against)
        bounds = {requirement.bound for requirement in promised}
        for name in names:
            if name in _infinite(figures) and not {MEAN, MAX} & bounds:
                # `.inf` forbids whatever else is asked for.
                yield Verdict(
                    gate=self.name,
                    table=figures.name,
                    dictionary=name,
                    bound=MAX,
                    comparison=Comparison.AT_MOST,
                    measured=None,
                    required=None,
                    passed=False,
                    remedy=INFINITE,
                )

    def remedy(self, requirement: Requirement) -> str:
        return f"{self.cure}{CURES[requirement.bound or MEAN]}"

    def sentence(self, verdict: Verdict) -> str:
        holder = "the dictionaries, each as likely as the policy says," if verdict.dictionary == PRIOR else f"'{verdict.dictionary}'"
        if verdict.bound == CANDIDATES:
            measured, required = amounts(verdict, "person", "people")
            return f"some record matches only {measured} in {holder}; at least {required} are required"
        if verdict.bound == SHARE:
            measured, required = shares(verdict)
            return f"{measured} of the records lose more than the policy allows against {holder}; at most {required} may"
        measured, required = amounts(verdict)
        loss = "the largest loss of a record" if verdict.bound == MAX else "the mean loss of a record"
        return f"{loss} against {holder} is {measured}; at most {required} is allowed"

    def monotone(self, requirement: Requirement) -> bool:
        return False

    def rests_on(self, measured: Measured, distance: str | None, weighed: bool = False) -> str:
        dictionary = f"the dictionary {measured.of}" if measured.of else "what attackers may hold"
        return f"{dictionary}, which is not published"


def _explained(verdict: Verdict, figures: TableFigures, names: Iterable[str]) -> Verdict:
    """A dictionary that matches nobody and an infinite loss have another cure than a loss that is too large."""
    against = set(names)
    foreign = [name for name, unmatched in figures.each("disclosure_unmatched").items() if name in against and unmatched == 1.0]
    if foreign:
        unmeasured = f"Nobody in '{foreign[0]}' matches any record, so nothing was measured: "
        cure = f"{unmeasured}write its cells as the source does, or name another dictionary."
        return verdict.model_copy(update={"remedy": cure})
    if verdict.measured is None and _infinite(figures) & against:
        return verdict.model_copy(update={"remedy": INFINITE})
    return verdict


def _infinite(figures: TableFigures) -> set[str]:
    """The dictionaries that were measured and in which somebody whose cell weighs `.inf` can be found."""
    return figures.each("disclosure_candidates").keys() - figures.each("disclosure_max").keys()
