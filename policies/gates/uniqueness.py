"""Uniqueness: what is published besides the quasi-identifiers singles few people out (DEFINITIONS §12)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from pydantic import Field, model_validator

from headgate.core.columns import Column, Kind, Table
from headgate.core.tolerance import at_most
from headgate.risk.reidentification.singled_out import unique_rows, unique_values
from policies.gates.amounts import shares
from policies.gates.figures import TableFigures
from policies.gates.gate import Gate, GatedTable, GateFigure, Per
from policies.gates.per_attribute import PerAttributeShare, bounds_by_column
from policies.gates.reader_words import Question
from policies.gates.verdict import Comparison, Measured, Requirement, Verdict
from policies.words.fields import KeyPath, Problem, Problems, Section, Share, decimal_text

UNIQUENESS = "uniqueness"
ROWS, VALUES = "rows", "values"
NEARLY = "0.9"  # where more of a column's values than this occur once, it may as well be an identifier
NUMBERS = (Kind.NUMBER, Kind.INTEGER)


class UniquenessKey(Section):
    """`rows`: of all rows, those that no other row equals. `values`: of the values of one attribute, those that occur once."""

    rows: Share | None = None
    values: PerAttributeShare | None = None

    @model_validator(mode="after")
    def _bounds_something(self) -> UniquenessKey:
        if self.rows is None and self.values is None:
            raise Problems([Problem((), "a uniqueness gate without a bound", "rows: …, values: … or both")])
        return self


class UniquenessKeys(Section):
    uniqueness: Annotated[
        UniquenessKey | None,
        Field(
            description="`{rows: 0.05, values: 0.1}`, or one of them: the share of rows that no other row equals in all published columns; "
            "the share of a sensitive number's values that occur once, or `{attribute: share}`. Without it, no published column may have "
            f"more than {NEARLY} of its values once, unless its attribute says `unique: accepted`"
        ),
    ] = None


class Uniqueness(Gate):
    name = UNIQUENESS
    keys = UniquenessKeys
    comparison = Comparison.AT_MOST
    figures = (
        GateFigure(
            "uniqueness_rows",
            "unique rows",
            "Share of rows that no other row equals in all published columns: whoever knows that much of a person finds their row.",
            worst=Comparison.AT_MOST,
        ),
        GateFigure(
            "uniqueness_values",
            "unique values",
            "Share of the column's values that occur once in the table: whoever knows the value of a person finds their row.",
            per=Per.ATTRIBUTE,
            worst=Comparison.AT_MOST,
        ),
    )
    bounds = (ROWS, VALUES)
    meaning = "By everything that is published, few people can be singled out; and no column is as good as an identifier."
    question = Question.RECOGNIZED
    plain = {
        ROWS: "By everything that is published, at most %(required)s of the rows are the only one of their kind.",
        VALUES: "No column is as good as an identifier: at most %(required)s of its values occur only once.",
    }
    cure = "Round numbers (publish_as), drop a column, or make quasi-identifiers coarser."
    kinds = tuple(kind for kind in Kind if kind.rules.single)

    def attributes(self, keys: Any) -> Iterator[tuple[KeyPath, str]]:
        named = getattr(keys.uniqueness, VALUES, None)
        for name in named if isinstance(named, dict) else ():
            yield (self.section, self.name, VALUES, name), name

    def requirements(self, keys: Any, table: Table) -> Iterator[Requirement]:
        given = keys.uniqueness or UniquenessKey.model_construct()
        if given.rows is not None:
            yield Requirement(gate=self.name, bound=ROWS, required=decimal_text(given.rows))
        asked = dict(bounds_by_column(table, given.values, NUMBERS))
        for name, most in (asked | _nearly_identifiers(table, asked)).items():
            yield Requirement(gate=self.name, attribute=name, bound=VALUES, required=most)

    def measure(self, required: Sequence[Requirement], table: GatedTable) -> Iterator[Measured]:
        yield Measured(figure="uniqueness_rows", value=unique_rows(table.published))
        for column in (*table.columns, *table.published.insensitive.values()):
            if _is_measured(column):
                yield Measured(figure="uniqueness_values", of=column.name, value=unique_values(column))

    def judge(self, required: Sequence[Requirement], figures: TableFigures) -> Iterator[Verdict]:
        """Of insensitive columns too."""
        for requirement in required:
            if requirement.attribute is None or requirement.attribute in (*figures.sensitive, *figures.insensitive):
                yield self.verdict(requirement, figures.name, self.reached(requirement, figures))

    def sentence(self, verdict: Verdict) -> str:
        measured, required = shares(verdict)
        if verdict.bound == ROWS:
            return f"{measured} of the rows equal no other row in what is published; at most {required} may"
        return f"{measured} of the values of {verdict.attribute} occur once, so a value is as good as a name; at most {required} may"

    def remedy(self, requirement: Requirement) -> str:
        if requirement.attribute is None:
            return self.cure
        name = requirement.attribute
        rounded = f"round it, if it is a sensitive number (publish_as: {{round: …}} at {name})"
        return f"Give {name} role: dropped; {rounded}; or write unique: accepted there, if whoever knows a value may find its row."

    def monotone(self, requirement: Requirement) -> bool:
        """A table with more attributes may get larger groups; a column is the same in every table."""
        return requirement.bound == VALUES


def foreseen(required: Sequence[Requirement], table: Table, suppressible: int) -> Iterator[Verdict]:
    """What no grouping can change is known before any is made: `table` is the source, of which so many rows may be left out."""
    gate = Uniqueness()
    for requirement in required:
        if requirement.attribute is not None:
            yield gate.verdict(requirement, "the source", unique_values(table[requirement.attribute], suppressible))


def _nearly_identifiers(table: Table, asked: dict[str, str]) -> dict[str, str]:
    """Columns that are as good as an identifier, and that no bound of the policy is about."""
    columns = table.select((*table.sensitive, *table.insensitive))
    return {
        column.name: NEARLY
        for column in columns
        if column.name not in asked and _is_measured(column) and not at_most(unique_values(column), float(NEARLY))
    }


def _is_measured(column: Column) -> bool:
    """Bits have two values; of a vector, every row has its own."""
    return column.origin is None and not column.kind.rules.components
