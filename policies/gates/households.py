"""k counted in households: nobody is hidden among their own family (DEFINITIONS §13)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from headgate.core.columns import Table
from headgate.counting.class_counts import count
from headgate.principles.households import households
from policies.gates.amounts import amounts
from policies.gates.gate import ADVISE, Gate, GatedTable, GateFigure
from policies.gates.reader_words import Question, Unit
from policies.gates.verdict import Comparison, Measured, Requirement, Verdict
from policies.words.fields import Section


class HouseholdKeys(Section):
    """None: k itself is required, where an attribute has role: household."""


class Households(Gate):
    name = "households"
    of_every_group = True
    section = "anonymize"
    keys = HouseholdKeys
    comparison = Comparison.AT_LEAST
    figures = (
        GateFigure(
            "households",
            "households",
            "Households in the group that has the fewest: k, with each household counted once.",
            worst=Comparison.AT_LEAST,
            whole=True,
        ),
        GateFigure(
            "family_share",
            "family share",
            "The largest share of a group that one household makes up: whoever belongs to it can rule out so many of its rows.",
            worst=Comparison.AT_MOST,
        ),
    )
    meaning = "Everybody shares their published quasi-identifiers with people of k households or more: nobody hides among their own family."
    question = Question.RECOGNIZED
    unit = Unit.HOUSEHOLDS
    plain = {
        None: "By %(known)s, everybody looks like people of at least %(required)s: nobody hides among their own family.",
    }
    cure = f"Lower anonymize.k, or leave the household empty for institutions with very many people. {ADVISE}"
    verified = "no: who lives together is not published"

    def requirements(self, keys: Any, table: Table) -> Iterator[Requirement]:
        if table.household is not None:
            yield Requirement(gate=self.name, required=str(keys.k))

    def measure(self, required: Sequence[Requirement], table: GatedTable) -> Iterator[Measured]:
        if table.beside.household is not None:
            seen = households(count(table.beside.household, table.classes))
            yield Measured(figure="households", value=seen.k)
            yield Measured(figure="family_share", value=seen.family.value)

    def sentence(self, verdict: Verdict) -> str:
        measured, required = amounts(verdict, "household")
        return f"some group has people of only {measured}; at least {required} are required"

    def rests_on(self, measured: Measured, distance: str | None, weighed: bool = False) -> str:
        return "who lives together, which is not published"
