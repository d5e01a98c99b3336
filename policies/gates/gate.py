"""What a gate is: one requirement on what is published, with everything that is said and done about it in one file.

From the tuple of gates (`every_gate.py`) follow the keys of the policy file, the promise of a release, what is measured, verdicts, what a
method may look at while it works, the report, MLflow's names, what `verify` measures again, and the reference page.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from headgate.core.columns import Codes, Column, Kind, Table
from headgate.core.distance import Distance
from headgate.core.published_form.published_table import PublishedTable
from headgate.core.tolerance import exact
from headgate.counting.class_counts import Counted, count
from headgate.grouping.conditions import Condition
from headgate.grouping.limits import NeighbourhoodLimit
from headgate.principles.dissimilarity import Dissimilarity, dissimilarity
from policies.attackers.attacker import Threat
from policies.attackers.attackers_key import AttackersKey
from policies.gates.beside import NOTHING, Beside
from policies.gates.figures import ReleaseFigures, TableFigures
from policies.gates.reader_words import Question, Unit
from policies.gates.verdict import ASKED, Comparison, Measured, Requirement, Verdict
from policies.words.fields import KeyPath, Section

SHOWN = "{:.4g}".format
ADVISE = "`headgate advise` shows what this data supports."


class Per(StrEnum):
    """What there is one such figure of."""

    TABLE = "table"
    ATTRIBUTE = "attribute"
    DICTIONARY = "dictionary"


@dataclass(frozen=True)
class GateFigure:
    """One number that a gate measures. `name` is its key in `--json` and in MLflow, `title` what pages call it; without one they leave it
    out. `worst` says which of several tables is worst off."""

    name: str
    title: str = ""
    meaning: str = ""
    per: Per = Per.TABLE
    worst: Comparison | None = None  # at most: the largest is the worst
    whole: bool = False

    @property
    def worst_name(self) -> str:
        """What MLflow calls the worst of all tables."""
        if self.per is not Per.ATTRIBUTE:
            return self.name
        return f"{self.name}_{'max' if self.worst is Comparison.AT_MOST else 'min'}"


@dataclass(frozen=True, eq=False)
class GatedTable:
    """What a gate may look at: the published form, what attackers learn of it, and Δ; None where it is a callable that was not given.
    `beside`: what is known of its rows and not published there."""

    published: PublishedTable
    threats: tuple[Threat, ...] = ()
    composite: Distance | None = None
    power: float = 1.0
    beside: Beside = NOTHING

    @cached_property
    def classes(self) -> Sequence[Codes]:
        return self.published.classes()

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        return tuple(self.published.sensitive.values())

    @cached_property
    def counted(self) -> Mapping[str, Counted]:
        return {column.name: count(column, self.classes) for column in self.columns}

    @cached_property
    def _composed(self) -> dict[tuple[str, str], Dissimilarity]:
        return {}

    def composed(self, epsilon: str, delta: str) -> Dissimilarity | None:
        """(ε, δ)-dissimilarity under Δ, computed once: gates take its figures, pictures its groups."""
        if self.composite is None:
            return None
        if (epsilon, delta) not in self._composed:
            self._composed[epsilon, delta] = dissimilarity(self.columns, self.classes, self.composite, epsilon, delta)
        return self._composed[epsilon, delta]


class Gate:
    """A gate has no state, so a single instance is in the tuple."""

    name: ClassVar[str]
    section: ClassVar[str] = "gates"  # of the policy file
    keys: ClassVar[type[Section]]  # its piece of that section
    comparison: ClassVar[Comparison]
    figures: ClassVar[tuple[GateFigure, ...]] = ()
    meaning: ClassVar[str]  # one sentence for a person who is no statistician
    question: ClassVar[Question] = Question.LEARNED  # that it answers for approvers
    plain: ClassVar[Mapping[str | None, str]] = {}  # by bound: the same with what is required of a release, as `%(required)s`
    plain_of_one: ClassVar[str] = ""  # of a gate that looks at all attributes together: the same of `%(attributes)s` alone
    unit: ClassVar[Unit] = Unit.SHARE  # of its figures
    cure: ClassVar[str]  # what to do where it refuses
    kinds: ClassVar[tuple[Kind, ...]] = tuple(Kind)  # of attributes that it can be asked of
    of_tables: ClassVar[bool] = True  # or of the release as a whole
    only_of_releases: ClassVar[bool] = False  # needs what only a release has: finished tables, and the versions before
    bounds: ClassVar[tuple[str | None, ...]] = (None,)  # of a gate that has several: their keys
    of_every_group: ClassVar[bool] = False  # every method makes groups that keep it, without a limit or condition
    verified: ClassVar[str] = "yes"  # for the reference page: can anybody measure it again from the published files

    # The policy file

    def attributes(self, keys: Any) -> Iterator[tuple[KeyPath, str]]:
        """Every attribute that the policy names for this gate, and where."""
        given = getattr(keys, self.name, None)
        for name in given if isinstance(given, Mapping) else ():
            yield (self.section, self.name, name), name

    def requirements(self, keys: Any, table: Table) -> Iterator[Requirement]:
        """What the policy's section requires of the columns of `table`; empty if the policy does not use the gate."""
        raise NotImplementedError

    def attackers(self, keys: Any) -> AttackersKey | None:
        """What the policy's section says of attackers, if the gate reckons with them: their dictionaries are read, and `measure` is told
        what they learn."""
        return None

    # Measuring and judging

    def measure(self, required: Sequence[Requirement], table: GatedTable) -> Iterator[Measured]:
        """The figures of one table, whether they are required or not, as far as they can be measured. What is infinite is left out, and a
        requirement on it has not passed."""
        return iter(())

    def reached(self, requirement: Requirement, figures: TableFigures) -> float | None:
        """The figure that is compared."""
        name = self.name if requirement.bound is None else f"{self.name}_{requirement.bound}"
        return figures.figure(name, requirement.attribute or requirement.dictionary or "")

    def reached_by_release(self, requirement: Requirement, release: ReleaseFigures) -> float | None:
        """The same for a gate that is not of tables."""
        raise NotImplementedError

    def compared(self, bound: str | None) -> Comparison:
        return self.comparison

    def judge(self, required: Sequence[Requirement], figures: TableFigures) -> Iterator[Verdict]:
        """One verdict for each requirement that concerns this table."""
        for requirement in required:
            if requirement.attribute is None or requirement.attribute in figures.sensitive:
                yield self.verdict(requirement, figures.name, self.reached(requirement, figures))

    def judge_release(self, requirement: Requirement, release: ReleaseFigures) -> Verdict:
        """The verdict of a gate that is not of tables."""
        return self.verdict(requirement, "", self.reached_by_release(requirement, release))

    def verdict(self, requirement: Requirement, table: str, measured: float | None, least: Fraction | None = None) -> Verdict:
        """`least`: in place of what is required. What could not be measured has not passed."""
        required = float(exact(requirement.required) if least is None else least)
        asked = None if ASKED not in requirement.settings else float(exact(requirement.settings[ASKED]))
        comparison = self.compared(requirement.bound)
        known = measured if measured is not None and math.isfinite(measured) else None
        passed = known is not None and comparison.holds(known, required)
        remedy = "" if passed else self.remedy(requirement)
        if known is None:
            remedy = f"It could not be measured, so it has not passed. {remedy}".strip()
        elif asked is not None and not comparison.holds(known, asked):
            remedy = f"{SHOWN(known)} reached; asked {SHOWN(asked)}, allowed from {SHOWN(required)}. {remedy}".strip()
        return Verdict(
            gate=self.name,
            table=table,
            attribute=requirement.attribute,
            dictionary=requirement.dictionary,
            bound=requirement.bound,
            comparison=comparison,
            measured=known,
            required=required,
            asked=asked,
            passed=passed,
            remedy=remedy,
        )

    def remedy(self, requirement: Requirement) -> str:
        return self.cure

    def remark(self, verdict: Verdict, figures: TableFigures) -> str:
        """What a reader of this line should know, though the gate passed; empty where there is nothing."""
        return ""

    def sentence(self, verdict: Verdict) -> str:
        """What was measured and what is required, without the table, beginning with a small letter."""
        raise NotImplementedError

    def refusal(self, verdict: Verdict, where: str = "") -> str:
        """The whole sentence about a verdict that refuses. `where`, such as "in table-1", is the verdict's table unless it is given."""
        said = f"{verdict.name} could not be measured" if verdict.measured is None else self.sentence(verdict)
        place = where or (f"in {verdict.table}" if verdict.table else "")
        whole = f"{place}, {said}." if place else f"{said}."
        return whole[0].upper() + whole[1:]

    # Pages for approvers

    def asks(self, bound: str | None) -> Question:
        return self.question

    def counts(self, bound: str | None) -> Unit:
        return self.unit

    # Methods that make groups, and the search for a plan

    def table_limits(self, required: Sequence[Requirement], columns: Sequence[Column], distance: Distance) -> Iterator[NeighbourhoodLimit]:
        """What every method can keep while it makes groups: limits on the whole of a table's sensitive columns."""
        return iter(())

    def column_limits(self, required: Sequence[Requirement], column: Column, distance: Distance) -> Iterator[NeighbourhoodLimit]:
        """The same for one sensitive column."""
        return iter(())

    def conditions(self, required: Sequence[Requirement], names: Sequence[str]) -> Iterator[Condition]:
        """What methods that cut or climb can keep beside the limits, for these columns."""
        return iter(())

    def least_k(self, requirement: Requirement) -> int:
        """The smallest group size that the requirement leaves."""
        return 1

    def monotone(self, requirement: Requirement) -> bool:
        """Can a merged table never pass where one of its parts failed?"""
        return True

    # Others than who released it

    def rests_on(self, measured: Measured, distance: str | None, weighed: bool = False) -> str:
        """Of a figure that nobody can measure from the published files alone: what it rests on. `distance` is the promise's callable;
        `weighed`: the table publishes the weights."""
        return ""

    def parameters(self, requirement: Requirement) -> Mapping[str, str]:
        """What MLflow notes of a requirement, by name."""
        return {self.name if requirement.bound is None else f"{self.name}_{requirement.bound}": requirement.required}


def of_attribute(required: Iterable[Requirement], name: str) -> Iterator[Requirement]:
    return (requirement for requirement in required if requirement.attribute == name)
