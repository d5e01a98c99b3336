"""What is known of the rows of a published table and not published in it: how many people each stands for, and who lives together."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Column, Table
from headgate.core.published_form.published_table import PublishedTable
from headgate.core.published_form.weights import positive_numbers


@dataclass(frozen=True, eq=False)
class Beside:
    """One entry per row of the published table. `weights` are the fewest people that a row may stand for."""

    weights: NDArray[np.float64] | None = field(default=None, repr=False)
    household: Column | None = field(default=None, repr=False)

    @classmethod
    def of(cls, table: Table, rows: NDArray[np.int64]) -> Beside:
        """As the source has it; `rows` are those of the published table, in its order."""
        weights = None if table.weight is None else positive_numbers(table[table.weight].take(rows))
        return cls(weights, None if table.household is None else table[table.household].take(rows))

    def least(self, published: PublishedTable, weight: str | None, half_step: float) -> Beside:
        """With the weights that the table itself publishes, where it does. What was rounded up stood for fewer people: half a step less
        overstates no population, so no risk is understated."""
        weights = self.weights
        if weight is not None and weight in published.insensitive:
            weights = positive_numbers(published.insensitive[weight])
        return replace(self, weights=None if weights is None else weights - half_step)


NOTHING = Beside()
