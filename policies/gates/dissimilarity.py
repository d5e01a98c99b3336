"""(ε, δ)-dissimilarity: in everybody's group enough others have different sensitive values (DEFINITIONS §3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field, model_validator

from headgate.core.columns import Column, Table
from headgate.core.distance import Distance
from headgate.grouping import limits
from headgate.grouping.limits import NeighbourhoodLimit
from headgate.principles.dissimilarity import dissimilarity
from policies.gates.amounts import shares
from policies.gates.figures import TableFigures
from policies.gates.gate import ADVISE, Gate, GatedTable, GateFigure, Per, of_attribute
from policies.gates.per_attribute import published_columns
from policies.gates.verdict import Comparison, Measured, Requirement, Verdict
from policies.words.fields import KeyPath, NotNegative, Problem, Problems, Section, Share, decimal_text

DISSIMILARITY = "dissimilarity"
EPSILON = "epsilon"
COMPOSITE = ("risk", "risk_all", "delta_reached", "vulnerability")


class ProximityKey(Section):
    """(ε, δ) for one sensitive attribute alone."""

    epsilon: NotNegative
    delta: Share


class DissimilarityKeys(Section):
    epsilon: Annotated[
        NotNegative | None, Field(description="(ε, δ)-dissimilarity of each table: values within this distance of each other are similar")
    ] = None
    delta: Annotated[
        Share | None, Field(description="… and at least this share of the others in everybody's group must not be similar. Both or neither")
    ] = None
    each: Annotated[
        dict[str, ProximityKey], Field(description="`{attribute: {epsilon: …, delta: …}}`: the same for one attribute alone")
    ] = {}

    @model_validator(mode="after")
    def _epsilon_with_delta(self) -> DissimilarityKeys:
        if (self.epsilon is None) is not (self.delta is None):
            lone, other = ("epsilon", "delta") if self.delta is None else ("delta", "epsilon")
            raise Problems([Problem((lone,), f"'{lone}' without '{other}'", "both, or neither")])
        return self


class Dissimilarity(Gate):
    name = DISSIMILARITY
    section = "anonymize"
    keys = DissimilarityKeys
    comparison = Comparison.AT_LEAST
    figures = (
        GateFigure(
            "risk",
            "risk",
            "Largest share of a group's other rows whose sensitive values are within ε of one person's; at most 1 − δ is required.",
            worst=Comparison.AT_MOST,
        ),
        GateFigure("risk_all", "risk, all values", "The same figure counted over non-sensitive values too."),
        GateFigure(
            "delta_reached",
            "δ reached",
            "1 − risk: the share of dissimilar rows that everyone's group really has.",
            worst=Comparison.AT_LEAST,
        ),
        GateFigure(
            "vulnerability", "vulnerability", "Share of groups in which the risk is above what is required.", worst=Comparison.AT_MOST
        ),
        GateFigure(
            "single_risk",
            "risk of one attribute",
            "The risk when only that sensitive attribute is looked at.",
            per=Per.ATTRIBUTE,
        ),
    )
    verified = "yes; not under a distance that is a callable"
    meaning = "In everybody's group, at least a share δ of the other people have sensitive values that are not similar to theirs."
    cure = f"Lower anonymize.epsilon or delta, split the table (projection), or allow infeasible: {{relax: …}}. {ADVISE}"

    def attributes(self, keys: Any) -> Iterator[tuple[KeyPath, str]]:
        for name in keys.each:
            yield (self.section, "each", name), name

    def requirements(self, keys: Any, table: Table) -> Iterator[Requirement]:
        if keys.epsilon is not None and keys.delta is not None:
            yield self.required(decimal_text(keys.epsilon), decimal_text(keys.delta))
        alone = {column: own for name, own in keys.each.items() for column in published_columns(table, name)}
        for column, own in alone.items():
            yield self.required(decimal_text(own.epsilon), decimal_text(own.delta), column)

    def required(self, epsilon: str, delta: str, attribute: str | None = None) -> Requirement:
        return Requirement(gate=self.name, attribute=attribute, required=delta, settings={EPSILON: epsilon})

    def measure(self, required: Sequence[Requirement], table: GatedTable) -> Iterator[Measured]:
        whole = next((requirement for requirement in required if requirement.attribute is None), None)
        composed = None if whole is None else table.composed(whole.settings[EPSILON], whole.required)
        if composed is not None:
            for figure in COMPOSITE:
                yield Measured(figure=figure, value=getattr(composed, figure))
        # Each by itself too, at its own ε or else the composite's: a composite can hide a homogeneous attribute.
        own = {requirement.attribute: requirement for requirement in required}
        for column in table.columns:
            applicable = own.get(column.name, whole)
            if applicable is not None:
                single = Distance(p=table.power, weights={column.name: 1.0})
                alone = dissimilarity([column], table.classes, single, applicable.settings[EPSILON], applicable.required)
                yield Measured(figure="single_risk", of=column.name, value=alone.risk)

    def reached(self, requirement: Requirement, figures: TableFigures) -> float | None:
        """δ reached."""
        risk = figures.figure("risk") if requirement.attribute is None else figures.figure("single_risk", requirement.attribute)
        return None if risk is None else 1.0 - risk

    def remedy(self, requirement: Requirement) -> str:
        return self.cure if requirement.attribute is None else f"Lower epsilon or delta in anonymize.each, or raise k. {ADVISE}"

    def sentence(self, verdict: Verdict) -> str:
        values = "sensitive values" if verdict.attribute is None else f"values of {verdict.attribute}"
        measured, required = shares(verdict)
        return f"only {measured} of the other rows in some group have {values} that differ enough; at least {required} must"

    def table_limits(self, required: Sequence[Requirement], columns: Sequence[Column], distance: Distance) -> Iterator[NeighbourhoodLimit]:
        for requirement in required:
            if requirement.attribute is None:
                yield limits.dissimilarity(columns, requirement.settings[EPSILON], requirement.required, distance)

    def column_limits(self, required: Sequence[Requirement], column: Column, distance: Distance) -> Iterator[NeighbourhoodLimit]:
        single = replace(distance, function=None, weights={column.name: 1.0}, combine="lp")
        for own in of_attribute(required, column.name):
            name = f"dissimilarity of {column.name}"
            yield limits.dissimilarity([column], own.settings[EPSILON], own.required, single, name)

    def monotone(self, requirement: Requirement) -> bool:
        """Merging can make the composite easier."""
        return requirement.attribute is not None

    def rests_on(self, measured: Measured, distance: str | None) -> str:
        return f"the distance {distance}, and no code is run to verify a folder" if distance and measured.figure in COMPOSITE else ""

    def parameters(self, requirement: Requirement) -> Mapping[str, str]:
        return {"epsilon": requirement.settings[EPSILON], "delta": requirement.required}
