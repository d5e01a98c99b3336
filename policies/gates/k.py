"""k-anonymity: nobody can be distinguished from at least k − 1 others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from pydantic import Field

from headgate.core.columns import Table
from headgate.principles.k_anonymity import k_anonymity
from policies.gates.amounts import amounts
from policies.gates.gate import ADVISE, Gate, GatedTable, GateFigure
from policies.gates.reader_words import Question, Unit
from policies.gates.verdict import Comparison, Measured, Requirement, Verdict
from policies.words.fields import Section, Whole


class KKeys(Section):
    k: Annotated[Whole, Field(ge=2, description="smallest group, at least 2; required")]


class K(Gate):
    name = "k"
    of_every_group = True
    section = "anonymize"
    keys = KKeys
    comparison = Comparison.AT_LEAST
    figures = (
        GateFigure(
            "k",
            "k",
            "Rows in the smallest group: by this table alone nobody can be told from fewer than k − 1 others.",
            worst=Comparison.AT_LEAST,
            whole=True,
        ),
    )
    meaning = "Everybody shares their published quasi-identifiers with at least this many people, themselves included."
    question = Question.RECOGNIZED
    unit = Unit.PEOPLE
    plain = {
        None: "By %(known)s, everybody looks like at least %(required)s in the table, themselves included.",
    }
    cure = f"Raise anonymize.k, or allow suppression with infeasible: {{suppress: …}}. {ADVISE}"

    def requirements(self, keys: Any, table: Table) -> Iterator[Requirement]:
        yield Requirement(gate=self.name, required=str(keys.k))

    def measure(self, required: Sequence[Requirement], table: GatedTable) -> Iterator[Measured]:
        yield Measured(figure="k", value=k_anonymity(table.classes).k)

    def sentence(self, verdict: Verdict) -> str:
        measured, required = amounts(verdict, "row")
        return f"the smallest group has {measured}; at least {required} are required"
