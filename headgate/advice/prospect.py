"""What is known about one k and ε before grouping: the largest δ that is guaranteed, and the δ above which groups are refuted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from headgate.advice.rungs import largest, rungs
from headgate.bounds.certificates import Certificate
from headgate.bounds.cliques import Cliques
from headgate.bounds.feasibility import Feasibility, feasibility
from headgate.core.columns import Column
from headgate.grouping.limits import NeighbourhoodLimit


@dataclass(frozen=True, eq=False)
class Prospect:
    """`limit` is (ε, δ) under any δ; `others` are the limits that every partition must keep as well. `cliques`: of `limit` and of each of
    the others."""

    k: int
    limit: NeighbourhoodLimit
    others: Sequence[NeighbourhoodLimit]
    columns: Sequence[Column]
    quasi: Sequence[Column]
    cliques: Sequence[Cliques]
    known: dict[Fraction, Feasibility] = field(default_factory=dict)

    def at(self, delta: Fraction) -> Feasibility:
        if delta not in self.known:
            limits = (self.limit.with_delta(delta), *self.others)
            self.known[delta] = feasibility(limits, self.k, self.columns, self.quasi, self.cliques)
        return self.known[delta]

    @cached_property
    def possible(self) -> Fraction | None:
        """The largest hundredth that no certificate refutes; None: not even δ = 0."""
        return largest(lambda delta: self.at(delta).certificate is None)

    @cached_property
    def guaranteed(self) -> Fraction | None:
        """The largest hundredth at which groups that keep all limits exist; None: no δ."""
        return None if self.possible is None else largest(lambda delta: self.at(delta).guaranteed)

    @property
    def certificate(self) -> Certificate | None:
        """The proof against the smallest δ that is refuted."""
        above = Fraction(0) if self.possible is None else self.possible + Fraction(1, 100)
        return self.at(above).certificate if above <= 1 else None

    def open_rungs(self, more: Sequence[Fraction]) -> list[Fraction]:
        """Those δ to try that no certificate refutes, falling."""
        return [] if self.possible is None else [delta for delta in rungs(self.k, more) if delta <= self.possible]
