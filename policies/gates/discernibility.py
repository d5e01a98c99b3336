"""Discernibility: CODIP's bound on what grouping may cost (Σ|E|², and the whole table for each suppressed row; DEFINITIONS §6)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import Field

from headgate.core.columns import Table
from policies.gates.amounts import amounts
from policies.gates.figures import TableFigures
from policies.gates.gate import Gate
from policies.gates.reader_words import Question, Unit
from policies.gates.verdict import Comparison, Requirement, Verdict
from policies.words.fields import Positive, Section


class DiscernibilityKeys(Section):
    discernibility: Annotated[
        Positive | None,
        Field(
            description="CODIP's d_m: the largest sum of squared group sizes of a table, each suppressed row counting as many as there are "
            "rows. Method `full-domain` comes closest to it with `objective: discernibility`"
        ),
    ] = None


class Discernibility(Gate):
    name = "discernibility"
    keys = DiscernibilityKeys
    comparison = Comparison.AT_MOST
    meaning = "Groups are not much larger than they must be: the sum of their squared sizes has a bound."
    question = Question.COST
    unit = Unit.NUMBER
    plain = {
        None: "Groups are not much larger than they must be: the sum of their squared sizes is at most %(required)s.",
    }
    cure = "Lower k, δ or the gates on single attributes, use fewer quasi-identifiers, or accept a higher gates.discernibility."

    def requirements(self, keys: Any, table: Table) -> Iterator[Requirement]:
        if keys.discernibility is not None:
            yield Requirement(gate=self.name, required=str(keys.discernibility))

    def reached(self, requirement: Requirement, figures: TableFigures) -> float | None:
        return float(figures.discernibility)

    def sentence(self, verdict: Verdict) -> str:
        measured, required = amounts(verdict)
        return f"the sum of squared group sizes is {measured}; at most {required} is allowed"

    def monotone(self, requirement: Requirement) -> bool:
        """Other groups are made for a merged table, which may be smaller by chance."""
        return False
