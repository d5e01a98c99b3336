"""What a projection plan loses and exposes: mutual information, association loss ratio Γα, information exposure ratio Γβ
(paper "codip", section 4; DEFINITIONS §6)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Column
from headgate.core.errors import InputRejected
from headgate.projection.contingency import Joint, Whole, count_alone, joints

NOTHING = 1e-12  # sums of information below this are 0

Plan = tuple[tuple[int, ...], ...]  # attributes by number, one tuple a table


@dataclass(frozen=True, eq=False)
class Associations:
    """Pairwise figures of the sensitive attributes, in nats: symmetric matrices with 0 on the diagonal."""

    names: tuple[str, ...]
    entropy: NDArray[np.float64]
    information: NDArray[np.float64]  # I(A_i, A_j)
    exposable: NDArray[np.float64]  # E(A_i, A_j)

    @cached_property
    def total_information(self) -> float:
        """I_Σ: over all pairs."""
        return math.fsum(_upper(self.information))

    @cached_property
    def total_exposable(self) -> float:
        """E_Σ: over all pairs."""
        return math.fsum(_upper(self.exposable))

    def average_information(self, attributes: Sequence[int]) -> float:
        """AvgI: the mean mutual information over all pairs."""
        between = _upper(_within(self.information, attributes))
        return math.fsum(between) / len(between) if between else 0.0

    def association_loss(self, plan: Plan) -> float:
        """Γα: the share of mutual information between attributes that are published apart."""
        table_of = np.array(_table_of(plan, len(self.names)))
        apart = np.triu(table_of[:, None] != table_of[None, :], 1)
        lost = math.fsum(self.information[apart].tolist())
        return 0.0 if self.total_information < NOTHING else lost / self.total_information

    def information_exposure(self, plan: Plan) -> float:
        """Γβ: what a background join on one attribute exposes of others in its table, weighted by the table's share of attributes."""
        _table_of(plan, len(self.names))
        return math.fsum(self.exposure_of(table) for table in plan)

    def figures(self, plan: Plan) -> tuple[float, float]:
        """Γα and Γβ."""
        return self.association_loss(plan), self.information_exposure(plan)

    def exposure_of(self, table: Sequence[int]) -> float:
        """The share of one table in Γβ: E_β(A_u)/E_Σ · |A_u|/|A|."""
        if self.total_exposable < NOTHING:
            return 0.0
        return math.fsum(_upper(_within(self.exposable, table))) / self.total_exposable * (len(table) / len(self.names))


def associations(columns: Sequence[Column]) -> Associations:
    """From the empirical joint distributions. A missing cell is a value of its own; which values are sensitive comes from the columns.

    E(i, j) = P_i·(H_i − I) + P_j·(H_j − I), P = share of rows with a sensitive value: the paper's four cases summed (its last one is
    misprinted as H_j + H_j)."""
    size, entropies = len(columns), np.array([entropy(column) for column in columns])
    information, exposable = np.zeros((size, size)), np.zeros((size, size))
    for i, j, shared, new in _pairs(columns, entropies):
        information[i, j] = information[j, i] = shared
        exposable[i, j] = exposable[j, i] = new
    return Associations(tuple(column.name for column in columns), entropies, information, exposable)


def figures_of(columns: Sequence[Column], plan: Plan) -> tuple[float, float]:
    """Γα and Γβ of one plan. If everything is in one table or each attribute in its own, all is lost or nothing, and all is exposed or
    nothing: then pairs are looked at only until there is something to lose or to expose. There may be millions of pairs."""
    together, apart = len(plan) == 1, len(plan) == len(columns)
    if not together and not apart:
        return associations(columns).figures(plan)
    _table_of(plan, len(columns))
    whole = 0.0
    for _, _, shared, new in _pairs(columns, np.array([entropy(column) for column in columns])):
        whole += new if together else shared
        if whole >= NOTHING:
            return (0.0, 1.0) if together else (1.0, 0.0)
    return 0.0, 0.0


def _pairs(columns: Sequence[Column], entropies: NDArray[np.float64]) -> Iterator[tuple[int, int, float, float]]:
    """I and E of each pair."""
    alone = [count_alone(column) for column in columns]
    rows = int(alone[0].sum()) if alone else 0
    if rows == 0:
        raise InputRejected("The table has no rows or no sensitive attributes to project.", "Give at least one of each.")
    flags = [np.roll(column.sensitive, 1) for column in columns]
    sensitive = np.array([counts[flag].sum() / rows for counts, flag in zip(alone, flags, strict=True)])
    for i, j, joint in joints(columns):
        shared = _shared(joint, alone[i], alone[j], rows)
        yield i, j, shared, sensitive[i] * max(0.0, entropies[i] - shared) + sensitive[j] * max(0.0, entropies[j] - shared)


def entropy(column: Column) -> float:
    """H in nats."""
    return _entropy(count_alone(column))


def _entropy(counts: Whole) -> float:
    shares = counts[counts > 0] / int(counts.sum())
    return -math.fsum((shares * np.log(shares)).tolist()) + 0.0


def _shared(joint: Joint, first: Whole, second: Whole, rows: int) -> float:
    """I in nats, Σ p(v, v')·ln(p(v, v')/(p(v)·p(v'))); never negative."""
    left, right = first[joint.cells // len(second)], second[joint.cells % len(second)]
    terms = joint.counts / rows * np.log(joint.counts * float(rows) / (left.astype(np.float64) * right))
    return max(0.0, math.fsum(terms.tolist()))


def _within(figures: NDArray[np.float64], attributes: Sequence[int]) -> NDArray[np.float64]:
    chosen = sorted(attributes)
    return figures[np.ix_(chosen, chosen)]


def _upper(figures: NDArray[np.float64]) -> list[float]:
    return [float(x) for n, row in enumerate(figures) for x in row[n + 1 :].tolist()]


def _table_of(plan: Plan, size: int) -> list[int]:
    """The table of each attribute. A plan is complete and disjoint, or it is none."""
    tables = [-1] * size
    for number, table in enumerate(plan):
        for attribute in table:
            if not 0 <= attribute < size or tables[attribute] >= 0:
                raise InputRejected(
                    "A plan names an attribute twice, or names an unknown one.", "Put every attribute in exactly one table."
                )
            tables[attribute] = number
    if -1 in tables or not all(plan):
        raise InputRejected("A plan leaves an attribute out, or has an empty table.", "Put every attribute in exactly one table.")
    return tables
