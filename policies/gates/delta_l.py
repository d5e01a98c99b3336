"""(δ, l)-diversity: not too many of a group have values near each other (DEFINITIONS §5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from headgate.core.columns import Column, Kind, Table
from headgate.core.distance import Distance
from headgate.core.tolerance import exact
from headgate.grouping import limits
from headgate.grouping.limits import NeighbourhoodLimit
from headgate.principles.delta_l import delta_l
from policies.gates.amounts import amounts
from policies.gates.figures import TableFigures
from policies.gates.gate import ADVISE, Gate, GatedTable, GateFigure, Per, of_attribute
from policies.gates.per_attribute import AtLeastOne, published_columns
from policies.gates.reader_words import Question, Unit
from policies.gates.verdict import Comparison, Measured, Requirement, Verdict
from policies.words.fields import NotNegative, Section, decimal_text

INTERVAL, READING, WINDOW = "interval", "reading", "window"


class DeltaLKey(Section):
    """Values within 2·interval of each other are similar. For dates the interval is in days. `reading: window` counts only rows that are
    all similar to each other."""

    interval: NotNegative
    l: AtLeastOne  # noqa: E741 - the literature's name
    reading: Literal["definition", "window"] = "definition"


class DeltaLKeys(Section):
    delta_l: Annotated[
        dict[str, DeltaLKey],
        Field(
            description="`{attribute: {interval: 5000, l: 2}}`: at most 1/l of a group within 2 × interval of a value. "
            "For dates the interval is in days. With method `full-domain`, `reading: window` means any stretch of that length instead"
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
        GateFigure(
            "delta_l_window",
            "(δ, l), window",
            "Group size divided by the largest number of rows that are all within twice the interval of each other, at worst.",
            per=Per.ATTRIBUTE,
            worst=Comparison.AT_LEAST,
        ),
        GateFigure("delta_l_all", "(δ, l), all values", "The same figure counted over non-sensitive values too.", per=Per.ATTRIBUTE),
    )
    meaning = "At most one in l people of a group has a value near any one value of the attribute."
    question = Question.LEARNED
    unit = Unit.ONE_IN
    plain = {
        None: "In each group, at most %(required)s people has a value of %(attributes)s that is near any one value.",
    }
    cure = f"Raise k, or ask for a smaller interval or l in gates.delta_l. {ADVISE}"
    kinds = tuple(kind for kind in Kind if kind.numeric)

    def requirements(self, keys: Any, table: Table) -> Iterator[Requirement]:
        for name, bound in keys.delta_l.items():
            for column in published_columns(table, name):
                yield self.required(column, decimal_text(bound.interval), decimal_text(bound.l), bound.reading == WINDOW)

    def required(self, attribute: str, interval: str, least: str, window: bool = False) -> Requirement:
        settings = {INTERVAL: interval, READING: WINDOW} if window else {INTERVAL: interval}
        return Requirement(gate=self.name, attribute=attribute, required=least, settings=settings)

    def reached(self, requirement: Requirement, figures: TableFigures) -> float | None:
        return figures.figure("delta_l_window" if _by_window(requirement) else "delta_l", requirement.attribute or "")

    def measure(self, required: Sequence[Requirement], table: GatedTable) -> Iterator[Measured]:
        for requirement in required:
            name = requirement.attribute
            if name is None or name not in table.counted:
                continue
            spread = delta_l(table.counted[name], requirement.settings[INTERVAL])
            # Where no value is sensitive nothing can be told apart too well; |E| is the largest l there is.
            yield Measured(figure="delta_l", of=name, value=min(spread.definition.value, float(table.published.rows)))
            yield Measured(figure="delta_l_all", of=name, value=spread.definition_all)
            if _by_window(requirement):
                yield Measured(figure="delta_l_window", of=name, value=min(spread.window.value, float(table.published.rows)))

    def sentence(self, verdict: Verdict) -> str:
        measured, required = amounts(verdict)
        return f"some group has one in {measured} people near one value of {verdict.attribute}; at most one in {required} is allowed"

    def column_limits(self, required: Sequence[Requirement], column: Column, distance: Distance) -> Iterator[NeighbourhoodLimit]:
        for own in of_attribute(required, column.name):
            if not _by_window(own):
                yield limits.delta_l(column, own.settings[INTERVAL], own.required)

    def conditions(self, required: Sequence[Requirement], names: Sequence[str]) -> Iterator[Any]:
        """Of whole levels alone: a policy asks for it with no other method."""
        from headgate.methods.full_domain.windows import WindowL

        for own in required:
            if _by_window(own) and own.attribute in names:
                yield WindowL(str(own.attribute), exact(own.settings[INTERVAL]), exact(own.required))

    def parameters(self, requirement: Requirement) -> Mapping[str, str]:
        reading = {"delta_l_reading": WINDOW} if _by_window(requirement) else {}
        return {"delta_l_interval": requirement.settings[INTERVAL], "delta_l": requirement.required, **reading}


def _by_window(requirement: Requirement) -> bool:
    return requirement.settings.get(READING) == WINDOW
