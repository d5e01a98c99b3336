"""Prosecutor risk: the chance of picking the right row of a person who is known to be in the table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from pydantic import Field, model_validator

from headgate.core.columns import Table
from headgate.core.tolerance import exact
from headgate.risk.reidentification.prosecutor import reidentification
from policies.gates.amounts import shares
from policies.gates.gate import Gate, GatedTable, GateFigure
from policies.gates.reader_words import Question
from policies.gates.verdict import Comparison, Measured, Requirement, Verdict
from policies.words.fields import PositiveShare, Problem, Problems, Section, decimal_text

MAX, MEAN = "max", "mean"


class ReidentificationKey(Section):
    """Prosecutor risk 1/|group|: the largest of any row, and the mean over rows."""

    max: PositiveShare | None = None
    mean: PositiveShare | None = None

    @model_validator(mode="after")
    def _bounds_something(self) -> ReidentificationKey:
        if self.mean is None and self.max is None:
            raise Problems([Problem((), "a reidentification gate without a bound", "mean: …, max: … or both")])
        return self


class ReidentificationKeys(Section):
    reidentification: Annotated[
        ReidentificationKey | None,
        Field(description="`{max: 0.1, mean: 0.05}`: 1/size of a row's group, at worst and on average"),
    ] = None


class Reidentification(Gate):
    name = "reidentification"
    keys = ReidentificationKeys
    comparison = Comparison.AT_MOST
    figures = (
        GateFigure(
            "reidentification_max",
            "re-identification, max",
            "One divided by the smallest group: the best chance to pick the right row of a person.",
            worst=Comparison.AT_MOST,
        ),
        GateFigure(
            "reidentification_mean",
            "re-identification, mean",
            "The same chance on average over rows: groups divided by rows.",
        ),
    )
    bounds = (MAX, MEAN)
    meaning = "Somebody who knows that a person is in the table, and picks a row for them, is right with at most this chance."
    question = Question.RECOGNIZED
    plain = {
        MAX: "Somebody who knows that a person is in the table, and picks a row for them, is right with a chance of at most %(required)s.",
        MEAN: "On average over all rows, the chance to pick the right row of a person is at most %(required)s.",
    }
    cure = "Raise anonymize.k: the risk is 1 over the size of a group."

    def requirements(self, keys: Any, table: Table) -> Iterator[Requirement]:
        for bound in (MAX, MEAN):
            most = None if keys.reidentification is None else getattr(keys.reidentification, bound)
            if most is not None:
                yield Requirement(gate=self.name, bound=bound, required=decimal_text(most))

    def measure(self, required: Sequence[Requirement], table: GatedTable) -> Iterator[Measured]:
        seen = reidentification(table.classes)
        yield Measured(figure="reidentification_max", value=seen.max)
        yield Measured(figure="reidentification_mean", value=seen.mean)

    def sentence(self, verdict: Verdict) -> str:
        whose = "somebody's row" if verdict.bound == MAX else "a person's row on average"
        measured, required = shares(verdict)
        return f"the chance to pick {whose} is {measured}; at most {required} is allowed"

    def least_k(self, requirement: Requirement) -> int:
        return math.ceil(1 / exact(requirement.required)) if requirement.bound == MAX else 1

    def monotone(self, requirement: Requirement) -> bool:
        """No search looks at it: a table with more attributes may get larger groups."""
        return False
