"""Distinct l-diversity: enough different values in every group (DEFINITIONS §5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Annotated, Any

from pydantic import Field

from headgate.core.columns import Table
from headgate.core.tolerance import exact
from headgate.grouping.conditions import Condition, conditions_of
from headgate.principles.diversity import diversity
from policies.gates.amounts import amounts
from policies.gates.figures import TableFigures
from policies.gates.gate import Gate, GatedTable, GateFigure, Per, of_attribute
from policies.gates.per_attribute import PerAttributeFromOne, bounds_by_column
from policies.gates.reader_words import Question, Unit
from policies.gates.verdict import Comparison, Measured, Requirement, Verdict
from policies.words.fields import Section


class DistinctLKeys(Section):
    distinct_l: Annotated[PerAttributeFromOne | None, Field(description="a number, or `{attribute: l}`: distinct values in each group")] = (
        None
    )


class DistinctL(Gate):
    name = "distinct_l"
    keys = DistinctLKeys
    comparison = Comparison.AT_LEAST
    figures = (
        GateFigure(
            "distinct_l",
            "distinct l",
            "Fewest different values of the attribute in a group.",
            per=Per.ATTRIBUTE,
            worst=Comparison.AT_LEAST,
            whole=True,
        ),
        GateFigure(
            "distinct_l_all",
            "distinct l, all values",
            "The same figure counted over non-sensitive values too.",
            per=Per.ATTRIBUTE,
            whole=True,
        ),
        GateFigure("distinct_attainable", per=Per.ATTRIBUTE, whole=True),  # distinct values in the table
    )
    meaning = "Every group has at least this many different values of the attribute."
    question = Question.LEARNED
    unit = Unit.VALUES
    plain = {
        None: "In each group there are at least %(required)s of %(attributes)s.",
    }
    cure = "Raise k, or ask for a smaller gates.distinct_l."

    def requirements(self, keys: Any, table: Table) -> Iterator[Requirement]:
        for column, least in bounds_by_column(table, keys.distinct_l):
            yield Requirement(gate=self.name, attribute=column, required=least)

    def measure(self, required: Sequence[Requirement], table: GatedTable) -> Iterator[Measured]:
        for name, counted in table.counted.items():
            figures = diversity(counted)
            yield Measured(figure="distinct_l", of=name, value=figures.distinct_l)
            yield Measured(figure="distinct_l_all", of=name, value=figures.distinct_l_all)
            yield Measured(figure="distinct_attainable", of=name, value=figures.attainable)

    def judge(self, required: Sequence[Requirement], figures: TableFigures) -> Iterator[Verdict]:
        """The required l is capped at the distinct values in the table: a bit has two, and no group can hold a third."""
        for requirement in required:
            if requirement.attribute is None or requirement.attribute not in figures.sensitive:
                continue
            reached, attainable = self.reached(requirement, figures), figures.figure("distinct_attainable", requirement.attribute)
            if attainable is None or attainable >= exact(requirement.required):
                yield self.verdict(requirement, figures.name, reached)
                continue
            verdict = self.verdict(requirement, figures.name, reached, Fraction(attainable))
            capped = f"The required l of {requirement.required} is capped at {attainable:g}, the number of distinct values in the table."
            yield verdict.model_copy(update={"remedy": f"{capped} {verdict.remedy}".strip()})

    def sentence(self, verdict: Verdict) -> str:
        measured, required = amounts(verdict, "different value")
        return f"some group has only {measured} of {verdict.attribute}; at least {required} are required"

    def conditions(self, required: Sequence[Requirement], names: Sequence[str]) -> Iterator[Condition]:
        yield from conditions_of(names, distinct_l={name: own.required for name in names for own in of_attribute(required, name)})
