"""One form for every promise that the anonymizer enforces: around each sensitive row of a group, few rows may be similar.

(ε, δ) of a table or of one attribute, linkability and (δ, l) differ in three things only: the distance, its radius, and how
many rows a group of a given size may hold within that radius. The counts are whole numbers, computed from the decimals that a
person wrote, never from floats.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes, Column, Table
from headgate.core.distance import DISCRETE, LINE, Distance, DistanceLayout, radius
from headgate.core.distinct import distinct_rows
from headgate.core.errors import InputRejected
from headgate.core.kinds.kind_rules import shrunk
from headgate.core.tolerance import exact, floors, neighbours_allowed
from headgate.counting.neighbours import must_agree

DISSIMILARITY = "dissimilarity"  # the composite of a table, the only one that `relax` lowers
HOUSEHOLDS = "k households"  # how methods call it that k counts households too


@dataclass(frozen=True, eq=False)
class NeighbourhoodLimit:
    """At most `allowed[s]` rows of a group of s rows lie within `radius` of any centre, the centre included.

    `distinct` holds the distinct values that occur (as codes for `layout`), `value[row]` their number, `centre` says which of
    them are centres: values with something sensitive in them."""

    name: str
    columns: tuple[str, ...]
    layout: DistanceLayout
    distinct: Codes
    value: Codes
    centre: NDArray[np.bool_]
    radius: float
    allowed: NDArray[np.int64]
    delta: Fraction | None = None  # of (ε, δ) only
    share: Fraction | None = None  # of a limit on the share of one value only
    cure: str = ""  # what to do where no partition keeps it: the first part of a sentence
    stricter: bool = False  # than what is promised: it steers a method, and that it cannot be kept proves nothing

    @property
    def rows(self) -> int:
        return len(self.value)

    def centres(self) -> NDArray[np.bool_]:
        """One flag a row: can this row be harmed?"""
        return self.centre[self.value]

    def take(self, rows: NDArray[Any]) -> NeighbourhoodLimit:
        """The same limit over some of the rows."""
        kept = self.value[rows]
        return replace(self, value=kept, allowed=self.allowed[: len(kept) + 1])

    def with_delta(self, delta: Any) -> NeighbourhoodLimit:
        """The same neighbourhoods under another δ."""
        if self.delta is None:
            raise InputRejected(f"'{self.name}' has no δ to change.", "Only (ε, δ) promises can be relaxed.")
        share = _share(delta, "δ")
        return replace(self, delta=share, allowed=allowed_dissimilar(self.rows, share))


def allowed_dissimilar(rows: int, delta: Any) -> NDArray[np.int64]:
    """f(s) = ⌊(1−δ)(s−1)⌋ + 1 for s = 0 … rows; a group of one is no group unless δ = 0 (DEFINITIONS §3)."""
    sizes = np.arange(rows + 1, dtype=np.int64)
    counts = neighbours_allowed(sizes, delta) + 1
    counts[0] = 0
    if rows >= 1 and exact(delta) > 0:
        counts[1] = 0
    return counts


def allowed_share(rows: int, share: Fraction) -> NDArray[np.int64]:
    """⌊share·s⌋ for s = 0 … rows."""
    return floors(np.arange(rows + 1, dtype=np.int64), share)


def dissimilarity(
    columns: Sequence[Column], epsilon: Any, delta: Any, distance: Distance | None = None, name: str = ""
) -> NeighbourhoodLimit:
    """(ε, δ) over the composite of the columns, or over one of them."""
    reach = _nonnegative(epsilon, "ε")
    share = _share(delta, "δ")
    codes, value = _distinct(columns)
    composite, distinct, near = (distance or Distance()).around(columns, codes, reach)
    limit = NeighbourhoodLimit(
        name=name or DISSIMILARITY,
        columns=tuple(column.name for column in columns),
        layout=composite.layout,
        distinct=distinct,
        value=value,
        centre=_sensitive(columns, codes),
        radius=near,
        allowed=allowed_dissimilar(len(value), share),
        delta=share,
        cure="Lower δ or ε",
    )
    return _in_line(limit)


def _in_line(limit: NeighbourhoodLimit) -> NeighbourhoodLimit:
    """Values numbered so that similar ones follow each other, where an order does that: then no table of pairs is needed."""
    free = free_component(limit.layout, limit.distinct, limit.radius)
    last = limit.distinct.shape[1] - 1
    if free is None or free in (-1, last):
        return limit
    order = np.lexsort((limit.distinct[:, free], *(limit.distinct[:, i] for i in range(last, -1, -1) if i != free)))
    number = np.empty(len(order), dtype=np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return replace(limit, distinct=np.ascontiguousarray(limit.distinct[order]), centre=limit.centre[order], value=number[limit.value])


def free_component(layout: DistanceLayout, distinct: Codes, reach: float) -> int | None:
    """The number of the only component in which similar values may differ, if it is a line; −1 if similar values must be equal; None in
    all other cases."""
    agreed = must_agree(layout, reach)
    free = np.flatnonzero(~agreed)
    if len(free) == 0:
        return -1
    return int(free[0]) if len(free) == 1 and layout.mode[free[0]] == LINE else None


def linkability(column: Column, share: Any, name: str = "", cure: str = "Raise the largest share") -> NeighbourhoodLimit:
    """No sensitive value makes up more than this share of a group."""
    bound = _share(share, "linkability")
    if bound == 0:
        raise InputRejected("Linkability 0 cannot be kept by any group.", "Give a share above 0.")
    codes, value = _distinct([column])
    layout = DistanceLayout(np.array([DISCRETE]), np.array([0]), np.array([len(column.values)]), np.empty(0), np.array([1.0]), 1.0, False)
    centre = _sensitive([column], codes)
    return NeighbourhoodLimit(
        name or f"linkability of {column.name}",
        (column.name,),
        layout,
        codes,
        value,
        centre,
        radius(0.0),
        allowed_share(len(value), bound),
        share=bound,
        cure=cure,
    )


def spread_households(column: Column, k: int) -> NeighbourhoodLimit:
    """For methods that count neighbours, not values: so few rows of each household that any group has k households. If none has more than
    m of s rows, there are at least ⌈s/m⌉ households, which is k or more as long as m ≤ ⌊(s−1)/(k−1)⌋; no larger m ensures it."""
    codes, value = _distinct([column])
    layout = DistanceLayout(np.array([DISCRETE]), np.array([0]), np.array([len(column.values)]), np.empty(0), np.array([1.0]), 1.0, False)
    sizes = np.arange(len(value) + 1, dtype=np.int64)
    allowed = sizes if k < 2 else np.maximum(sizes - 1, 0) // (k - 1)
    centre = np.ones(len(codes), dtype=bool)
    return NeighbourhoodLimit(HOUSEHOLDS, (column.name,), layout, codes, value, centre, radius(0.0), allowed, cure="Lower k", stricter=True)


def household_limits(table: Table, k: int) -> tuple[NeighbourhoodLimit, ...]:
    """The same of a table; none where it knows no households."""
    return () if table.household is None else (spread_households(table[table.household], k),)


def delta_l(column: Column, interval: Any, diversity: Any, name: str = "") -> NeighbourhoodLimit:
    """(δ, l): at most |E|/l rows within 2δ of a value on the column's own scale; a missing value is similar to missing ones only."""
    half = _nonnegative(interval, "the interval of (δ, l)")
    least = exact(diversity)
    if least < 1:
        raise InputRejected(f"l = {diversity} asks for nothing.", "Give l ≥ 1.")
    if not column.kind.ordered:
        raise InputRejected(f"(δ, l) needs numbers, and '{column.name}' is {column.kind}.", "Use it on a number, a date or an ordinal.")
    codes, value = _distinct([column])
    line, unit = column.kind.rules.line(column)
    stretched, reach = shrunk(line, radius(float(2 * half)) * unit)
    layout = DistanceLayout(np.array([LINE]), np.array([0]), np.array([len(line)]), stretched, np.array([1.0]), 1.0, False)
    allowed = allowed_share(len(value), 1 / least)
    return NeighbourhoodLimit(
        name or f"delta_l of {column.name}",
        (column.name,),
        layout,
        codes,
        value,
        _sensitive([column], codes),
        reach,
        allowed,
        cure="Lower l or the interval of (δ, l)",
    )


def _distinct(columns: Sequence[Column]) -> tuple[Codes, Codes]:
    """The distinct rows of codes in lexicographic order (missing first), and the number of each row's own."""
    if not columns:
        raise InputRejected("A promise needs at least one sensitive attribute.", "Name the sensitive attributes.")
    return distinct_rows(np.stack([column.codes for column in columns], axis=1))


def _sensitive(columns: Sequence[Column], codes: Codes) -> NDArray[np.bool_]:
    flags = np.zeros(len(codes), dtype=bool)
    for i, column in enumerate(columns):
        flags |= column.sensitive[codes[:, i]]
    return flags


def _share(text: Any, what: str) -> Fraction:
    try:
        share = exact(text)
    except (ValueError, TypeError, ZeroDivisionError):
        raise InputRejected(f"{what} is not a number.", "Give a decimal between 0 and 1.") from None
    if not 0 <= share <= 1:
        raise InputRejected(f"{what} = {text} is outside 0 … 1.", "Give a decimal between 0 and 1.")
    return share


def _nonnegative(text: Any, what: str) -> Fraction:
    try:
        number = exact(text)
    except (ValueError, TypeError, ZeroDivisionError):
        raise InputRejected(f"{what} is not a number.", "Give a decimal that is not negative.") from None
    if number < 0 or not math.isfinite(float(number)):
        raise InputRejected(f"{what} = {text} is negative.", "Give a decimal that is not negative.")
    return number
