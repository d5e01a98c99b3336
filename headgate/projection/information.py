"""What a projection plan loses and exposes: mutual information, association loss ratio Γα, information exposure ratio Γβ
(paper "codip", section 4; DEFINITIONS §6)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.columns import Column
from headgate.errors import InputRejected

NOTHING = 1e-12  # sums of information below this are 0
DENSE = 4  # joint values are counted in an array if there are at most so many a row

Plan = tuple[tuple[int, ...], ...]  # attributes by number, one tuple a table


@dataclass(frozen=True, eq=False)
class Associations:
    """Pairwise figures of the sensitive attributes, in nats: symmetric matrices with 0 on the diagonal."""

    names: tuple[str, ...]
    entropy: NDArray[np.float64]
    information: NDArray[np.float64]  # I(A_i, A_j)
    exposable: NDArray[np.float64]  # E(A_i, A_j)

    def average_information(self, attributes: Sequence[int]) -> float:
        """AvgI: the mean mutual information over all pairs."""
        chosen = sorted(attributes)
        pairs = [float(self.information[i, j]) for n, i in enumerate(chosen) for j in chosen[n + 1 :]]
        return math.fsum(pairs) / len(pairs) if pairs else 0.0

    def association_loss(self, plan: Plan) -> float:
        """Γα: the share of mutual information between attributes that are published apart."""
        table_of = _table_of(plan, len(self.names))
        pairs = _pairs(len(self.names))
        total = math.fsum(float(self.information[i, j]) for i, j in pairs)
        lost = math.fsum(float(self.information[i, j]) for i, j in pairs if table_of[i] != table_of[j])
        return 0.0 if total < NOTHING else lost / total

    def information_exposure(self, plan: Plan) -> float:
        """Γβ: what a background join on one attribute exposes of others in its table, weighted by the table's share of attributes."""
        _table_of(plan, len(self.names))
        total = math.fsum(float(self.exposable[i, j]) for i, j in _pairs(len(self.names)))
        if total < NOTHING:
            return 0.0
        terms = []
        for table in plan:
            chosen = sorted(table)
            exposed = math.fsum(float(self.exposable[i, j]) for n, i in enumerate(chosen) for j in chosen[n + 1 :])
            terms.append(exposed / total * (len(table) / len(self.names)))
        return math.fsum(terms)


def associations(columns: Sequence[Column]) -> Associations:
    """From the empirical joint distributions. A missing cell is a value of its own; which values are sensitive comes from the columns.

    E(i, j) = P_i·(H_i − I) + P_j·(H_j − I), P = share of rows with a sensitive value: the paper's four cases summed (its last one is
    misprinted as H_j + H_j)."""
    if not columns or len(columns[0]) == 0:
        raise InputRejected("There are no rows or no sensitive attributes to project.", "Give at least one of each.")
    size = len(columns)
    entropies = np.array([entropy(column) for column in columns])
    sensitive = np.array([float(column.sensitive[column.codes].mean()) for column in columns])
    information, exposable = np.zeros((size, size)), np.zeros((size, size))
    for i, j in _pairs(size):
        shared = mutual_information(columns[i], columns[j])
        information[i, j] = information[j, i] = shared
        new = sensitive[i] * max(0.0, entropies[i] - shared) + sensitive[j] * max(0.0, entropies[j] - shared)
        exposable[i, j] = exposable[j, i] = new
    return Associations(tuple(column.name for column in columns), entropies, information, exposable)


def entropy(column: Column) -> float:
    """H in nats."""
    counts = column.counts()
    shares = counts[counts > 0] / len(column)
    return -math.fsum((shares * np.log(shares)).tolist()) + 0.0


def mutual_information(one: Column, other: Column) -> float:
    """I in nats, Σ p(v, v')·ln(p(v, v')/(p(v)·p(v'))); never negative."""
    if len(one) != len(other):
        raise InputRejected("Two attributes have different numbers of rows.", "Take both from one table.")
    rows = len(one)
    width = len(other.values) + 1
    joint = (one.codes.astype(np.int64) + 1) * width + other.codes + 1
    if (len(one.values) + 1) * width <= DENSE * rows + 1024:
        counts = np.bincount(joint, minlength=0)
        cells = np.flatnonzero(counts)
        counts = counts[cells]
    else:
        cells, counts = np.unique(joint, return_counts=True)
    left = np.bincount(one.codes + 1, minlength=len(one.values) + 1)[cells // width]
    right = np.bincount(other.codes + 1, minlength=width)[cells % width]
    terms = counts / rows * np.log(counts * float(rows) / (left.astype(np.float64) * right))
    return max(0.0, math.fsum(terms.tolist()))


def _pairs(size: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(size) for j in range(i + 1, size)]


def _table_of(plan: Plan, size: int) -> list[int]:
    """The table of each attribute. A plan is complete and disjoint, or it is none."""
    found = [-1] * size
    for number, table in enumerate(plan):
        for attribute in table:
            if not 0 <= attribute < size or found[attribute] >= 0:
                raise InputRejected(
                    "A plan names an attribute twice, or one that is not there.", "Put every attribute in exactly one table."
                )
            found[attribute] = number
    if -1 in found or not all(plan):
        raise InputRejected("A plan leaves an attribute out, or has an empty table.", "Put every attribute in exactly one table.")
    return found
