"""The result of every measure: the figure of the table and of each group, and which groups miss a requirement, and by how much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.tolerance import TOLERANCE, exact


class Bound(StrEnum):
    AT_LEAST = "at least"
    AT_MOST = "at most"


@dataclass(frozen=True, eq=False)
class Shortfall:
    """The groups that do not meet a requirement, and how far each is from it, in the unit of the figure."""

    required: float
    groups: NDArray[np.int64]
    missing: NDArray[np.float64]
    people: int  # the number of rows in these groups
    by_values: bool = False  # whether the group numbers are those of equal published quasi-identifiers

    @property
    def met(self) -> bool:
        return len(self.groups) == 0


Lacking = tuple[NDArray[np.int64], NDArray[np.float64]]  # groups that fall short in one reading, and how far each is from the requirement


def worst_shortfall(required: float, readings: Sequence[Lacking], sizes: Sequence[NDArray[np.int64]]) -> Shortfall:
    """The shortfall in the reading that concerns more people; on a tie, in the first reading, by group number."""
    shortfalls = [
        Shortfall(required, groups, missing, int(rows[groups].sum()), by_values=place > 0)
        for place, ((groups, missing), rows) in enumerate(zip(readings, sizes, strict=True))
    ]
    return max(shortfalls, key=lambda shortfall: shortfall.people)


@dataclass(frozen=True, eq=False)
class Figure:
    """One number per class, in one or two readings of "class": by group number, and by published quasi-identifiers.

    A class with nothing to protect has the best possible figure: infinity if a minimum is required, otherwise 0."""

    name: str
    bound: Bound
    per_class: tuple[NDArray[np.float64], ...]
    sizes: tuple[NDArray[np.int64], ...]

    @classmethod
    def cost(cls, name: str, per_group: NDArray[np.float64], sizes: NDArray[np.int64]) -> Figure:
        """The loss of utility in each group. The figure of the table is a mean, and is given separately."""
        return cls(name, Bound.AT_MOST, (per_group,), (sizes,))

    @property
    def value(self) -> float:
        """The figure of the table: that of its worst class in the worse reading."""
        if self.bound is Bound.AT_LEAST:
            return min(float(figures.min()) for figures in self.per_class)
        return max(float(figures.max()) for figures in self.per_class)

    @property
    def sign(self) -> str:
        """The sign between a figure and its requirement."""
        return "≥" if self.bound is Bound.AT_LEAST else "≤"

    @property
    def per_group(self) -> NDArray[np.float64]:
        """The figure of each group, by group number."""
        return self.per_class[0]

    def short_of(self, required: Any) -> Shortfall:
        """The shortfall in the reading that concerns more people. A NaN never meets a requirement."""
        wanted = float(exact(required))
        return worst_shortfall(wanted, [self._short(figures, wanted) for figures in self.per_class], self.sizes)

    def _short(self, figures: NDArray[np.float64], wanted: float) -> Lacking:
        lacking = wanted - figures if self.bound is Bound.AT_LEAST else figures - wanted
        near = TOLERANCE * np.maximum(max(1.0, abs(wanted)), np.where(np.isfinite(figures), np.abs(figures), 0.0))
        groups = np.flatnonzero(~(lacking <= near))
        return groups, lacking[groups]


@dataclass(frozen=True, eq=False)
class Capped(Figure):
    """A figure that is nowhere larger than for the whole table. A larger requirement is lowered to the figure of the table (DEFINITIONS
    §5)."""

    attainable: int

    @property
    def value(self) -> float:
        return min(super().value, float(self.attainable))

    def short_of(self, required: Any) -> Shortfall:
        return super().short_of(min(exact(required), Fraction(self.attainable)))
