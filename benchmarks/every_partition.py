"""Small tables with promises about them, and every partition that keeps these, by the definitions alone.

Nothing here knows how groups are made: similarity is a matrix computed from the cells, a promise is a number of similar rows per group
size computed from decimals, and what is published is written down as sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
import pandas as pd

from headgate.core.columns import Kind, Role, Table
from headgate.core.distance import Distance
from headgate.core.encode import ColumnSpec, encode_table
from headgate.grouping.limits import NeighbourhoodLimit, dissimilarity, linkability
from headgate.methods.settings import Infeasible, Settings

OLDEST, MOST_PAY = 99, 100  # domains of the numbers


@dataclass(frozen=True)
class Promised:
    """(ε, δ) over some sensitive attributes, with equal weights; or, if `share` is given, a largest share of each value of one."""

    columns: tuple[str, ...]
    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(1, 2)
    share: Fraction | None = None

    def most(self, rows: int) -> int:
        """Similar rows that a group may hold around a row, the row included."""
        if self.share is not None:
            return int(self.share * rows)
        return 0 if rows == 1 and self.delta > 0 else int((1 - self.delta) * (rows - 1)) + 1


@dataclass(frozen=True)
class Case:
    """`age` and `sex` are quasi-identifiers; `word`, `other` and `pay` are sensitive. `edges`: which pairs of words are similar although
    they differ. `planted`: the groups that were there first."""

    k: int
    age: Sequence[int]
    sex: Sequence[str]
    promises: tuple[Promised, ...]
    word: Sequence[str]
    other: Sequence[str] = ()
    pay: Sequence[int] = ()
    edges: frozenset[tuple[str, str]] | None = None
    planted: Sequence[Sequence[int]] = field(default=(), compare=False)

    @property
    def rows(self) -> int:
        return len(self.age)

    @cached_property
    def table(self) -> Table:
        sensitive = {"word": self.word, "other": self.other, "pay": self.pay}
        cells = {"age": self.age, "sex": self.sex, **{name: values for name, values in sensitive.items() if len(values)}}
        specs = {
            "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI, domain=(0, OLDEST)),
            "sex": ColumnSpec("sex", Kind.CATEGORY, Role.QUASI),
            "word": ColumnSpec("word", Kind.CATEGORY, Role.SENSITIVE),
            "other": ColumnSpec("other", Kind.CATEGORY, Role.SENSITIVE),
            "pay": ColumnSpec("pay", Kind.INTEGER, Role.SENSITIVE, domain=(0, MOST_PAY)),
        }
        return encode_table(pd.DataFrame(cells), {name: spec for name, spec in specs.items() if name in cells})

    def settings(self, infeasible: object = "fail", delta: Fraction | None = None) -> Settings:
        """`delta`: another one for the first promise."""
        promises = self.promises if delta is None else (replace(self.promises[0], delta=delta), *self.promises[1:])
        return Settings(self.k, tuple(map(self._limit, promises)), infeasible=Infeasible.of(infeasible))

    def _limit(self, promised: Promised) -> NeighbourhoodLimit:
        columns = self.table.select(promised.columns)
        if promised.share is not None:
            return linkability(columns[0], promised.share)
        distance = None
        if self.edges is not None:
            edges = self.edges
            distance = Distance(function=lambda one, two: float(one != two and (min(one, two), max(one, two)) not in edges))
        return dissimilarity(columns, promised.epsilon, promised.delta, distance, name="" if promised is self.promises[0] else "each")

    def near(self, promised: Promised) -> np.ndarray:
        """Who is similar to whom, row by row."""
        if self.edges is not None:
            words = list(self.word)
            return np.array([[a == b or (min(a, b), max(a, b)) in self.edges for b in words] for a in words])
        total = np.zeros((self.rows, self.rows), dtype=np.int64)  # in hundredths of an attribute
        for name in promised.columns:
            values = np.asarray(getattr(self, name))
            total += 100 * (values[:, None] != values[None, :]) if name != "pay" else np.abs(values[:, None] - values[None, :])
        most = promised.epsilon * 100 * len(promised.columns)
        return total * most.denominator <= most.numerator

    @cached_property
    def _near(self) -> list[np.ndarray]:
        return [self.near(promised) for promised in self.promises]

    def keeps(self, group: Sequence[int]) -> bool:
        """All promises in one group, whatever its size."""
        return all(
            int(near[np.ix_(group, group)].sum(axis=1).max()) <= promised.most(len(group))
            for near, promised in zip(self._near, self.promises, strict=True)
        )

    def form(self, group: Sequence[int]) -> tuple[int, int, frozenset[str]]:
        """What is published of a group's quasi-identifiers."""
        ages = [self.age[row] for row in group]
        return min(ages), max(ages), frozenset(self.sex[row] for row in group)

    def classes(self, groups: Sequence[Sequence[int]]) -> list[list[int]]:
        """Groups that are published alike as one."""
        united: dict[object, list[int]] = {}
        for group in groups:
            united.setdefault(self.form(group), []).extend(group)
        return list(united.values())

    def holds(self, groups: Sequence[Sequence[int]]) -> bool:
        """In both readings: by group, and by what is published."""
        return all(len(group) >= self.k and self.keeps(group) for group in groups) and all(map(self.keeps, self.classes(groups)))

    def loss(self, groups: Sequence[Sequence[int]]) -> float:
        """NCP: loss(G) of each row's group, as a mean over rows and both quasi-identifiers."""
        sexes, total = len(set(self.sex)), 0.0
        for group in groups:
            low, high, own = self.form(group)
            total += len(group) * ((high - low) / OLDEST + (len(own) / sexes if len(own) > 1 else 0.0))
        return total / (2 * sum(map(len, groups)))

    def delta(self, groups: Sequence[Sequence[int]]) -> Fraction:
        """The largest δ of the first promise that these groups keep, in both readings."""
        near = self._near[0]
        parts = [*groups, *self.classes(groups)]
        return min(1 - Fraction(int(near[np.ix_(part, part)].sum(axis=1).max()) - 1, max(len(part) - 1, 1)) for part in parts)


def groups_of(groups: np.ndarray) -> list[list[int]]:
    return [np.flatnonzero(groups == group).tolist() for group in range(int(groups.max(initial=-1)) + 1)]


class EveryPartition:
    """All partitions of a case's rows into groups of at least k with different forms. Groups of one form may as well be one: what holds for
    both readings holds for their union, whose form and loss are the same."""

    def __init__(self, case: Case, keeps: Callable[[Sequence[int]], bool] | None = None) -> None:
        self.case, self.by_lowest = case, [[] for _ in range(case.rows)]  # type: ignore[var-annotated]
        kept = keeps or case.keeps
        for mask in range(1, 1 << case.rows):
            if mask.bit_count() >= case.k:
                group = [row for row in range(case.rows) if mask >> row & 1]
                if kept(group):
                    self.by_lowest[group[0]].append((mask, group, case.form(group)))

    def among(self, rows: int) -> Iterator[list[list[int]]]:
        """The partitions of the rows whose bits are set."""
        return self._divide(rows, [], set())

    def all(self) -> Iterator[list[list[int]]]:
        return self.among((1 << self.case.rows) - 1)

    def _divide(self, left: int, groups: list[list[int]], forms: set[object]) -> Iterator[list[list[int]]]:
        if left == 0:
            yield list(groups)
            return
        for mask, group, form in self.by_lowest[(left & -left).bit_length() - 1]:
            if mask & ~left == 0 and form not in forms:
                groups.append(group)
                forms.add(form)
                yield from self._divide(left & ~mask, groups, forms)
                groups.pop()
                forms.remove(form)

    def exists(self) -> bool:
        return any(True for _ in self.all())

    def least_loss(self) -> float | None:
        return min(map(self.case.loss, self.all()), default=None)

    def fewest_suppressed(self) -> int:
        """All rows, if no part of them can be grouped."""
        masks = sorted(range(1, 1 << self.case.rows), key=lambda mask: -mask.bit_count())
        kept = next((mask for mask in masks if any(True for _ in self.among(mask))), 0)
        return self.case.rows - kept.bit_count()


def largest_delta(case: Case) -> Fraction | None:
    """The largest δ of the first promise with which some partition keeps all; None if the other promises cannot be kept."""
    others = Case(**{**vars_of(case), "promises": case.promises[1:]})

    def rest(group: Sequence[int]) -> bool:
        return others.keeps(group) if others.promises else True

    return max(map(case.delta, EveryPartition(case, rest).all()), default=None)


def vars_of(case: Case) -> dict[str, object]:
    return {name: getattr(case, name) for name in case.__dataclass_fields__}
