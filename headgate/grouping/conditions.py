"""What a group must hold beside k and the neighbourhood limits: one predicate a principle and sensitive attribute.

While groups are made they are decided by compiled loops (condition_rules, condition_checks); `shortfall` measures the finished partition
by the principle's own code, which shares nothing with those loops but the transport on a line with missing cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes, Column, Table
from headgate.core.errors import InputRejected
from headgate.core.published_form.published_table import publish_form
from headgate.core.tolerance import exact, is_whole
from headgate.counting.class_counts import Counted, count
from headgate.counting.figure import Shortfall
from headgate.grouping.limits import HOUSEHOLDS, NeighbourhoodLimit, linkability
from headgate.principles.closeness import closeness
from headgate.principles.diversity import diversity
from headgate.principles.households import households
from headgate.principles.recursive import recursive_c


@dataclass(frozen=True)
class DistinctL:
    """At least l distinct values; capped at the number of distinct values in the released table (DEFINITIONS §5)."""

    column: str
    l: Fraction  # noqa: E741 the literature's letter

    @property
    def name(self) -> str:
        return f"distinct l of {self.column}"

    def shortfall(self, counted: Counted) -> Shortfall:
        return diversity(counted).distinct.short_of(self.l)


@dataclass(frozen=True)
class EntropyL:
    """e to the entropy of the values is at least l."""

    column: str
    l: Fraction  # noqa: E741 the literature's letter

    @property
    def name(self) -> str:
        return f"entropy l of {self.column}"

    def shortfall(self, counted: Counted) -> Shortfall:
        return diversity(counted).entropy.short_of(self.l)


@dataclass(frozen=True)
class RecursiveCL:
    """r₁ < c·(r_l + … + r_m), counts descending."""

    column: str
    c: Fraction
    l: int  # noqa: E741 the literature's letter

    @property
    def name(self) -> str:
        return f"recursive (c, l) of {self.column}"

    def shortfall(self, counted: Counted) -> Shortfall:
        return recursive_c(counted, self.l).c.short_of(self.c)


@dataclass(frozen=True)
class Closeness:
    """The earth mover's distance from the released table's values is at most t."""

    column: str
    t: Fraction

    @property
    def name(self) -> str:
        return f"closeness of {self.column}"

    def shortfall(self, counted: Counted) -> Shortfall:
        return closeness(counted).figure.short_of(self.t)


@dataclass(frozen=True)
class Households:
    """At least k households. Nothing lowers k: a table with fewer is refused."""

    column: str
    k: int

    @property
    def name(self) -> str:
        return HOUSEHOLDS

    def shortfall(self, counted: Counted) -> Shortfall:
        return households(counted).figure.short_of(self.k)


Condition = DistinctL | EntropyL | RecursiveCL | Closeness | Households
Bounds = Mapping[str, Any] | Any  # one bound for every sensitive attribute, or a bound for each that is named


def conditions_of(
    names: Sequence[str], *, distinct_l: Bounds = None, entropy_l: Bounds = None, recursive: Any = None, closeness: Bounds = None
) -> tuple[Condition, ...]:
    """The conditions for these sensitive attributes; `recursive` is (c, l), or one such pair for each that is named."""
    made: list[Condition] = []
    for name, bound in each_bound(names, distinct_l, "distinct_l"):
        made.append(DistinctL(name, _from_one(bound, "Distinct l")))
    for name, bound in each_bound(names, entropy_l, "entropy_l"):
        made.append(EntropyL(name, _from_one(bound, "Entropy l")))
    for name, pair in each_bound(names, recursive, "recursive"):
        made.append(_recursive(name, pair))
    for name, bound in each_bound(names, closeness, "closeness"):
        t = exact(bound)
        if t < 0:
            raise InputRejected("No group can have a closeness below 0.", "Give t ≥ 0, such as 0.3.")
        made.append(Closeness(name, t))
    return tuple(made)


def frequencies_of(columns: Sequence[Column], frequency: Bounds) -> tuple[NeighbourhoodLimit, ...]:
    """Frequency l, |E|/max count ≥ l, is the neighbourhood limit that no sensitive value makes up more than 1/l of a group."""
    by_name = {column.name: column for column in columns}
    return tuple(
        linkability(by_name[name], 1 / _from_one(bound, "Frequency l"), f"frequency l of {name}")
        for name, bound in each_bound(tuple(by_name), frequency, "frequency")
    )


class Measurable(Protocol):
    """A condition that the finished partition can be measured by."""

    @property
    def column(self) -> str: ...

    @property
    def name(self) -> str: ...

    def shortfall(self, counted: Counted) -> Shortfall: ...


def broken_conditions(
    table: Table, groups: Codes, conditions: Sequence[Measurable], levels: Mapping[str, int] | None = None
) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """The name of each condition that some group, or class of groups that are published alike, does not keep, and which published rows
    are in such ones."""
    if not conditions:
        return
    names = tuple(dict.fromkeys(condition.column for condition in conditions))
    published = publish_form(table, groups, "measured again", names, levels=levels)
    classes = published.classes()
    measured = {name: count(published.sensitive[name], classes) for name in names}
    for condition in conditions:
        short = condition.shortfall(measured[condition.column])
        if not short.met:
            yield condition.name, np.isin(classes[int(short.by_values)], short.groups)


def each_bound(names: Sequence[str], bounds: Any, what: str) -> Sequence[tuple[str, Any]]:
    """The bound of each attribute: one for all of these names, or those that are given by name."""
    if bounds is None:
        return ()
    if not isinstance(bounds, Mapping):
        return [(name, bounds) for name in names]
    unknown = [name for name in bounds if name not in names]
    if unknown:
        raise InputRejected(f"'{what}' names '{unknown[0]}', which is not sensitive here.", "Name sensitive attributes.")
    return list(bounds.items())


def _from_one(bound: Any, what: str) -> Fraction:
    least = exact(bound)
    if least < 1:
        raise InputRejected(f"{what} = {bound} is below 1.", "Give l ≥ 1.")
    return least


def _recursive(name: str, pair: Any) -> RecursiveCL:
    if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
        raise InputRejected("Recursive diversity needs both c and l.", "Give recursive=(c, l), such as (3, 2).")
    c, l = exact(pair[0]), pair[1]  # noqa: E741 the literature's letter
    if c <= 0:
        raise InputRejected("The c of recursive (c, l)-diversity is not above 0.", "Give a decimal such as 3 or 0.5.")
    if not is_whole(l, 2):
        raise InputRejected("The l of recursive (c, l)-diversity is not a whole number of at least 2.", "Give l ≥ 2; (c, 1) always holds.")
    return RecursiveCL(name, c, int(l))
