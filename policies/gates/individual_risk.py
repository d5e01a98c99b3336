"""Individual risk: the chance that a row found in the population is the right person's, from how many people each row stands for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from pydantic import Field, model_validator

from headgate.core.columns import Table
from headgate.risk.reidentification.prosecutor import individual_risk
from policies.gates.amounts import shares
from policies.gates.gate import Gate, GatedTable, GateFigure
from policies.gates.reader_words import Question
from policies.gates.verdict import Comparison, Measured, Requirement, Verdict
from policies.words.fields import PositiveShare, Problem, Problems, Section, decimal_text

MAX, MEAN = "max", "mean"


class IndividualRiskKey(Section):
    """E[1/F | f] of Benedetti and Franconi: the largest of any row, and the mean over rows."""

    max: PositiveShare | None = None
    mean: PositiveShare | None = None

    @model_validator(mode="after")
    def _bounds_something(self) -> IndividualRiskKey:
        if self.mean is None and self.max is None:
            raise Problems([Problem((), "an individual_risk gate without a bound", "mean: …, max: … or both")])
        return self


class IndividualRiskKeys(Section):
    individual_risk: Annotated[
        IndividualRiskKey | None,
        Field(
            description="`{max: 0.05, mean: 0.01}`: the chance to name the person of a row, for somebody who does not know who is in the "
            "table; estimated from the attribute with `role: weight`, at worst and on average"
        ),
    ] = None


class IndividualRisk(Gate):
    name = "individual_risk"
    keys = IndividualRiskKeys
    comparison = Comparison.AT_MOST
    figures = (
        GateFigure(
            "individual_risk_max",
            "individual risk, max",
            "The best chance to name the person of a row, for somebody who knows the population but not who is in the table.",
            worst=Comparison.AT_MOST,
        ),
        GateFigure("individual_risk_mean", "individual risk, mean", "The same chance on average over rows."),
    )
    bounds = (MAX, MEAN)
    meaning = (
        "Somebody who finds people of the population that match a row, without knowing who is in the table, names the right one with at "
        "most this chance."
    )
    question = Question.RECOGNIZED
    plain = {
        MAX: "Somebody who does not know who is in the table names the person of a row with a chance of at most %(required)s.",
        MEAN: "On average over all rows, the chance to name the person of a row is at most %(required)s.",
    }
    cure = "Raise anonymize.k, or make quasi-identifiers coarser: more people of the population then match each row."
    verified = "in the table that publishes the weights; elsewhere not"

    def requirements(self, keys: Any, table: Table) -> Iterator[Requirement]:
        for bound in (MAX, MEAN):
            most = None if keys.individual_risk is None else getattr(keys.individual_risk, bound)
            if most is not None:
                yield Requirement(gate=self.name, bound=bound, required=decimal_text(most))

    def measure(self, required: Sequence[Requirement], table: GatedTable) -> Iterator[Measured]:
        if table.beside.weights is not None:
            seen = individual_risk(table.classes, table.beside.weights)
            yield Measured(figure="individual_risk_max", value=seen.max)
            yield Measured(figure="individual_risk_mean", value=seen.mean)

    def sentence(self, verdict: Verdict) -> str:
        measured, required = shares(verdict)
        chance = "the chance to name somebody in the population by a row"
        if verdict.bound == MEAN:
            chance = "on average over the rows, the chance to name the person"
        return f"{chance} is {measured}; at most {required} is allowed"

    def monotone(self, requirement: Requirement) -> bool:
        """No search looks at it: a table with more attributes may get larger groups."""
        return False

    def rests_on(self, measured: Measured, distance: str | None, weighed: bool = False) -> str:
        return "" if weighed else "the weights, which another table publishes"
