"""Bounds on what the release as a whole may lose. They protect its users, not its people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import Field

from headgate.core.columns import Table
from policies.gates.amounts import shares
from policies.gates.figures import ReleaseFigures
from policies.gates.gate import Gate
from policies.gates.reader_words import Question
from policies.gates.verdict import Comparison, Requirement, Verdict
from policies.words.fields import NotNegative, Section, Share, decimal_text

MAX_ERROR, MAX_LOSS = "max_error", "max_loss"
WHAT = {MAX_ERROR: "the mean error of count queries, by the upper end of its 95 % interval,", MAX_LOSS: "the information loss (NCP)"}


class UtilityBounds(Section):
    max_error: Annotated[
        NotNegative | None, Field(description="largest mean relative error of count queries, by the upper end of its 95 % interval")
    ] = None
    max_loss: Annotated[Share | None, Field(description="largest information loss (NCP)")] = None


class Utility(Gate):
    name = "utility"
    section = "utility"
    keys = UtilityBounds
    comparison = Comparison.AT_MOST
    of_tables = False
    bounds = (MAX_ERROR, MAX_LOSS)
    verified = "the loss; count queries need the source"
    meaning = "The published tables still answer count queries about as the source does, and lose no more detail than this."
    question = Question.COST
    plain = {
        MAX_ERROR: "Counts that are taken from the published tables are wrong by at most %(required)s on average.",
        MAX_LOSS: "At most %(required)s of the detail is lost by making cells coarser.",
    }
    cure = "Lower k or delta, use fewer quasi-identifiers, or accept a higher utility."

    def requirements(self, keys: Any, table: Table) -> Iterator[Requirement]:
        for bound in (MAX_ERROR, MAX_LOSS):
            most = getattr(keys, bound)
            if most is not None:
                yield Requirement(gate=self.name, bound=bound, required=decimal_text(most))

    def reached_by_release(self, requirement: Requirement, release: ReleaseFigures) -> float | None:
        return release.utility.query_error_judged if requirement.bound == MAX_ERROR else release.utility.ncp

    def remedy(self, requirement: Requirement) -> str:
        more = "" if requirement.bound == MAX_LOSS else " More queries (utility.queries) make the interval narrower."
        return f"{self.cure.removesuffix('.')}.{requirement.bound}.{more}"

    def sentence(self, verdict: Verdict) -> str:
        measured, required = shares(verdict)
        return f"{WHAT[verdict.bound or MAX_LOSS]} is {measured}; at most {required} is allowed"
