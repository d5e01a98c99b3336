"""Linkability: no sensitive value of anybody is certain (DEFINITIONS §3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from pydantic import Field

from headgate.core.columns import Column, Table
from headgate.core.distance import Distance
from headgate.core.tolerance import exact
from headgate.grouping import limits
from headgate.grouping.limits import NeighbourhoodLimit
from headgate.principles.linkability import worst_linkability
from policies.gates.amounts import shares
from policies.gates.gate import Gate, GatedTable, GateFigure
from policies.gates.reader_words import Question
from policies.gates.verdict import Comparison, Measured, Requirement, Verdict
from policies.words.fields import PositiveShare, Section, decimal_text

IMPOSSIBLE = "Raise gates.linkability, list a value that is no secret under `nonsensitive`"  # another ε or δ does not help


class LinkabilityKeys(Section):
    """Mandatory: a composite (ε, δ) can hide an attribute that is equal for a whole group."""

    linkability: Annotated[PositiveShare, Field(description="required. Largest share of a group that has one sensitive value")]


class Linkability(Gate):
    name = "linkability"
    keys = LinkabilityKeys
    comparison = Comparison.AT_MOST
    figures = (
        GateFigure(
            "linkability",
            "linkability",
            "Largest share of a group that has the same sensitive value: how certain an attacker can be of anyone's.",
            worst=Comparison.AT_MOST,
        ),
        GateFigure("linkability_all", "linkability, all values", "The same figure counted over non-sensitive values too."),
    )
    meaning = "Somebody who finds a person's group cannot be more certain than this about any of the person's sensitive values."
    question = Question.LEARNED
    plain = {
        None: "Somebody who finds a person's group is at most %(required)s certain of any of the person's sensitive values.",
    }
    cure = "Raise k, declare what is not sensitive (nonsensitive), or accept a higher gates.linkability."

    def requirements(self, keys: Any, table: Table) -> Iterator[Requirement]:
        yield Requirement(gate=self.name, required=decimal_text(keys.linkability))

    def measure(self, required: Sequence[Requirement], table: GatedTable) -> Iterator[Measured]:
        certain = worst_linkability(table.counted.values())
        yield Measured(figure="linkability", value=certain.linkability)
        yield Measured(figure="linkability_all", value=certain.linkability_all)

    def sentence(self, verdict: Verdict) -> str:
        measured, required = shares(verdict)
        return f"{measured} of the people in some group share a sensitive value; at most {required} may"

    def column_limits(self, required: Sequence[Requirement], column: Column, distance: Distance) -> Iterator[NeighbourhoodLimit]:
        for requirement in required:
            if exact(requirement.required) < 1:
                yield limits.linkability(column, requirement.required, cure=IMPOSSIBLE)
