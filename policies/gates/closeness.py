"""t-closeness: no group's values are distributed far from the whole table's (DEFINITIONS §5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from pydantic import Field

from headgate.core.columns import Kind, Table
from headgate.grouping.conditions import Condition, conditions_of
from headgate.principles.closeness import closeness
from policies.gates.amounts import amounts
from policies.gates.gate import Gate, GatedTable, GateFigure, Per, of_attribute
from policies.gates.per_attribute import PerAttribute, bounds_by_column
from policies.gates.reader_words import Question, Unit
from policies.gates.verdict import Comparison, Measured, Requirement, Verdict
from policies.words.fields import Section


class ClosenessKeys(Section):
    closeness: Annotated[
        PerAttribute | None, Field(description="a number for every sensitive attribute but set values, or `{attribute: t}`")
    ] = None


class Closeness(Gate):
    name = "closeness"
    keys = ClosenessKeys
    comparison = Comparison.AT_MOST
    figures = (
        GateFigure(
            "closeness",
            "closeness",
            "How far a group's distribution of the attribute is from the whole table's, at worst; 0 is the same, 1 the farthest.",
            per=Per.ATTRIBUTE,
            worst=Comparison.AT_MOST,
        ),
    )
    meaning = "Knowing somebody's group says little more about the attribute than the whole table says about everybody."
    question = Question.LEARNED
    unit = Unit.NUMBER
    plain = {
        None: "In %(attributes)s, each group looks almost like the whole table: they differ by at most %(required)s, from 0 to 1.",
    }
    cure = "Raise k so that groups resemble the whole table, or accept a higher gates.closeness."
    kinds = tuple(kind for kind in Kind if kind.rules.ground_distance)

    def requirements(self, keys: Any, table: Table) -> Iterator[Requirement]:
        for column, most in bounds_by_column(table, keys.closeness, self.kinds):
            yield Requirement(gate=self.name, attribute=column, required=most)

    def measure(self, required: Sequence[Requirement], table: GatedTable) -> Iterator[Measured]:
        for name, counted in table.counted.items():
            yield Measured(figure="closeness", of=name, value=closeness(counted).t)

    def sentence(self, verdict: Verdict) -> str:
        measured, required = amounts(verdict)
        return f"the {verdict.attribute} of some group differs by {measured} from the whole table's; at most {required} is allowed"

    def conditions(self, required: Sequence[Requirement], names: Sequence[str]) -> Iterator[Condition]:
        yield from conditions_of(names, closeness={name: own.required for name in names for own in of_attribute(required, name)})
