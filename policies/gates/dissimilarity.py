"""(ε, δ)-dissimilarity: in everybody's group enough others have different sensitive values (DEFINITIONS §3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from headgate.core.columns import Column, Table
from headgate.core.distance import Distance
from headgate.core.tolerance import at_least
from headgate.grouping import limits
from headgate.grouping.limits import NeighbourhoodLimit
from headgate.principles.dissimilarity import dissimilarity
from policies.gates.amounts import shares
from policies.gates.figures import TableFigures
from policies.gates.gate import ADVISE, Gate, GatedTable, GateFigure, Per, of_attribute
from policies.gates.per_attribute import published_columns
from policies.gates.reader_words import Question
from policies.gates.verdict import ASKED, Comparison, Measured, Requirement, Verdict
from policies.words.fields import KeyPath, NotNegative, Problem, Problems, Section, Share, decimal_text

DISSIMILARITY = "dissimilarity"
EPSILON = "epsilon"
UNITS, OWN = "units", "own"  # of a requirement whose ε is in the attribute's own units, not a share
NONE = "none"  # in the place of an ε: an attribute that no (ε, δ) is promised of
COMPOSITE = ("risk", "risk_all", "delta_reached", "vulnerability")
MOST_NAMED = 2

OwnWidth = Annotated[
    Annotated[Literal["none"], Tag(NONE)] | Annotated[NotNegative, Tag("width")],
    Discriminator(lambda width: NONE if width == NONE else "width"),
]
Epsilon = Annotated[
    Annotated[NotNegative, Tag("all")] | Annotated[dict[str, OwnWidth], Field(min_length=1), Tag("each")],
    Discriminator(lambda given: "each" if isinstance(given, Mapping) else "all"),
]


class ProximityKey(Section):
    """(ε, δ) for one sensitive attribute alone."""

    epsilon: NotNegative
    delta: Share


class DissimilarityKeys(Section):
    epsilon: Annotated[
        Epsilon | None,
        Field(
            description="(ε, δ)-dissimilarity of each table: values within this distance of each other are similar. A number is a share of "
            "the largest distance. `{attribute: 5000}` is a width in the attribute's own units, and that attribute alone is judged: a "
            "number's unit, days, levels; with `scale: log` 0.1 is 10 %. Every sensitive attribute is named there or in `each`; `none` "
            "promises nothing of it"
        ),
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
        twice = [name for name in self.alone if name in self.each]
        if twice:
            raise Problems(Problem((EPSILON, name), f"'{name}' here and in 'each'", "one of the two") for name in twice)
        return self

    @property
    def alone(self) -> Mapping[str, Any]:
        """Attributes that have an ε in their own units, or `none`."""
        return self.epsilon if isinstance(self.epsilon, Mapping) else {}


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
    meaning = "In each person's group, at least a share δ of the others have sensitive values that are unlike theirs."
    question = Question.LEARNED
    plain = {
        None: "In everybody's group, at least %(required)s of the others have sensitive values that are unlike theirs.",
    }
    plain_of_one = "In everybody's group, at least %(required)s of the others have values of %(attributes)s that are unlike theirs."
    cure = f"Lower anonymize.epsilon or delta, split the table (projection), or allow infeasible: {{relax: …}}. {ADVISE}"

    def attributes(self, keys: Any) -> Iterator[tuple[KeyPath, str]]:
        for name in keys.each:
            yield (self.section, "each", name), name
        for name in keys.alone:
            yield (self.section, EPSILON, name), name

    def requirements(self, keys: Any, table: Table) -> Iterator[Requirement]:
        if keys.epsilon is not None and not keys.alone and keys.delta is not None:
            yield self.required(decimal_text(keys.epsilon), decimal_text(keys.delta))
        for name, width in keys.alone.items():
            for column in published_columns(table, name) if width != NONE else ():
                own = self.required(decimal_text(width), decimal_text(keys.delta), column)
                yield own.model_copy(update={"settings": {**own.settings, UNITS: OWN}})
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
                single = Distance(p=table.power, weights={column.name: 1.0}, own_units=in_own_units(applicable))
                alone = dissimilarity([column], table.classes, single, applicable.settings[EPSILON], applicable.required)
                yield Measured(figure="single_risk", of=column.name, value=alone.risk)

    def reached(self, requirement: Requirement, figures: TableFigures) -> float | None:
        """δ reached."""
        risk = figures.figure("risk") if requirement.attribute is None else figures.figure("single_risk", requirement.attribute)
        return None if risk is None else 1.0 - risk

    def remedy(self, requirement: Requirement) -> str:
        if requirement.attribute is None:
            return self.cure
        where = "of anonymize" if in_own_units(requirement) else "in anonymize.each"
        return f"Lower epsilon or delta {where}, or raise k. {ADVISE}"

    def remark(self, verdict: Verdict, figures: TableFigures) -> str:
        """A composite can hide an attribute in which a whole group is alike."""
        if verdict.attribute is not None or not verdict.passed or len(figures.sensitive) < 2:
            return ""
        alike = [name for name, risk in figures.each("single_risk").items() if at_least(risk, 1.0)]
        if not alike:
            return ""
        named = alike if len(alike) <= MOST_NAMED else [*alike[: MOST_NAMED - 1], f"{len(alike) - MOST_NAMED + 1} others"]
        return f"by {' or '.join(named)} alone, somebody is like a whole group"

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
            name, alone = f"dissimilarity of {column.name}", replace(single, own_units=in_own_units(own))
            yield limits.dissimilarity([column], own.settings[EPSILON], own.required, alone, name)

    def monotone(self, requirement: Requirement) -> bool:
        """Merging can make the composite easier."""
        return requirement.attribute is not None

    def rests_on(self, measured: Measured, distance: str | None, weighed: bool = False) -> str:
        return f"the distance {distance}, and no code is run to verify a folder" if distance and measured.figure in COMPOSITE else ""

    def parameters(self, requirement: Requirement) -> Mapping[str, str]:
        asked = {"delta_asked": requirement.settings[ASKED]} if ASKED in requirement.settings else {}
        units = {"epsilon_units": OWN} if in_own_units(requirement) else {}
        return {"epsilon": requirement.settings[EPSILON], **units, "delta": requirement.required, **asked}


def in_own_units(requirement: Requirement) -> bool:
    """Whether its ε is a width in the units of its attribute."""
    return requirement.settings.get(UNITS) == OWN
