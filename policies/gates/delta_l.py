"""(δ, l)-diversity: not too many of a group have values near each other (DEFINITIONS §5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from headgate.core.columns import Column, Kind, Table
from headgate.core.distance import Distance
from headgate.grouping import limits
from headgate.grouping.limits import NeighbourhoodLimit
from headgate.principles.delta_l import delta_l
from policies.gates.amounts import amounts
from policies.gates.gate import ADVISE, Gate, GatedTable, GateFigure, Per, of_attribute
from policies.gates.per_attribute import AtLeastOne, published_columns
from policies.gates.verdict import Comparison, Measured, Requirement, Verdict
from policies.words.fields import NotNegative, Section, decimal_text

INTERVAL = "interval"


class DeltaLKey(Section):
    """Values within 2·interval of each other are similar. For dates the interval is in days."""

    interval: NotNegative
    l: AtLeastOne  # noqa: E741 - the literature's name


class DeltaLKeys(Section):
    delta_l: Annotated[
        dict[str, DeltaLKey],
        Field(
            description="`{attribute: {interval: 5000, l: 2}}`: at most 1/l of a group within 2 × interval of a value. "
            "For dates the interval is in days"
        ),
    ] = {}


class DeltaL(Gate):
    name = "delta_l"
    keys = DeltaLKeys
    comparison = Comparison.AT_LEAST
    figures = (
        GateFigure(
            "delta_l",
            "(δ, l)",
            "Group size divided by the largest number of rows within the interval of one row's value, at worst.",
            per=Per.ATTRIBUTE,
            worst=Comparison.AT_LEAST,
        ),
        GateFigure("delta_l_all", "(δ, l), all values", "The same figure counted over non-sensitive values too.", per=Per.ATTRIBUTE),
    )
    meaning = "At most one in l people of a group has a value near any one value of the attribute."
    cure = f"Raise k, or ask for a smaller interval or l in gates.delta_l. {ADVISE}"
    kinds = tuple(kind for kind in Kind if kind.numeric)

    def requirements(self, keys: Any, table: Table) -> Iterator[Requirement]:
        for name, bound in keys.delta_l.items():
            for column in published_columns(table, name):
                yield self.required(column, decimal_text(bound.interval), decimal_text(bound.l))

    def required(self, attribute: str, interval: str, least: str) -> Requirement:
        return Requirement(gate=self.name, attribute=attribute, required=least, settings={INTERVAL: interval})

    def measure(self, required: Sequence[Requirement], table: GatedTable) -> Iterator[Measured]:
        for requirement in required:
            name = requirement.attribute
            if name is None or name not in table.counted:
                continue
            spread = delta_l(table.counted[name], requirement.settings[INTERVAL])
            # Where no value is sensitive nothing can be told apart too well; |E| is the largest l there is.
            yield Measured(figure="delta_l", of=name, value=min(spread.definition.value, float(table.published.rows)))
            yield Measured(figure="delta_l_all", of=name, value=spread.definition_all)

    def sentence(self, verdict: Verdict) -> str:
        measured, required = amounts(verdict)
        return f"some group has one in {measured} people near one value of {verdict.attribute}; at most one in {required} is allowed"

    def column_limits(self, required: Sequence[Requirement], column: Column, distance: Distance) -> Iterator[NeighbourhoodLimit]:
        for own in of_attribute(required, column.name):
            yield limits.delta_l(column, own.settings[INTERVAL], own.required)

    def parameters(self, requirement: Requirement) -> Mapping[str, str]:
        return {"delta_l_interval": requirement.settings[INTERVAL], "delta_l": requirement.required}
