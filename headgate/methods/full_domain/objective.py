"""What a node of the lattice costs: NCP (DEFINITIONS §4), discernibility (§8) or ARX's default loss.

NCP and ARX's loss: a row's cost depends only on its own nodes, and a suppressed row costs 1, which is the most; so the sum without
suppression bounds a node's cost from below, and needs no groups. Discernibility grows as groups merge, and a suppressed row costs n: the
sum of squares of any finer node bounds it.

ARX's loss: an attribute's share is the part of the hierarchy's rows with the same label, averaged over the records and normalized from
[1/|D|, 1] to [0, 1]; over n attributes Π(1 + L)^(1/n) − 1. The interval of a node over numbers may be cut by the domain; shares are
taken as at most 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.published_form.levels import Levels

NCP, DISCERNIBILITY, ARX = "ncp", "discernibility", "arx"
OBJECTIVES = (NCP, DISCERNIBILITY, ARX)
SAME = 1e-12  # costs that differ by no more than rounding are a tie


@dataclass(frozen=True, eq=False)
class Objective:
    """`shares[attribute][level][node]`; `totals[attribute][level]` is their sum over all rows."""

    name: str
    rows: int
    levels: tuple[Levels, ...]
    shares: tuple[tuple[NDArray[np.float64], ...], ...]
    totals: tuple[NDArray[np.float64], ...]

    @classmethod
    def of(cls, name: str, levels: Sequence[Levels], counts: Sequence[NDArray[np.int64]]) -> Objective:
        """`counts` of the rows of each value, missing last."""
        shares = tuple(tuple(np.minimum(part, 1.0) for part in (column.arx if name == ARX else column.loss)) for column in levels)
        totals = tuple(
            np.array([float(count @ part[nodes]) for part, nodes in zip(own, column.nodes, strict=True)])
            for own, column, count in zip(shares, levels, counts, strict=True)
        )
        return cls(name, int(counts[0].sum()), tuple(levels), shares, totals)

    def least(self) -> NDArray[np.float64]:
        """A lower bound on the cost of every node, in the order of the lattice's numbers."""
        width = len(self.levels)
        if self.name == DISCERNIBILITY:
            return np.zeros([len(column) for column in self.levels])
        sums = [own.reshape([-1 if i == a else 1 for i in range(width)]) for a, own in enumerate(self.totals)]
        return np.asarray(self._cost(sums))

    def cost(self, level: NDArray[np.int64], code: NDArray[np.int32], sizes: NDArray[np.int64], failing: NDArray[np.bool_]) -> float:
        """The cost of a node whose `failing` groups are suppressed; `code` has one row of codes per group."""
        suppressed = int(sizes[failing].sum())
        if self.name == DISCERNIBILITY:
            return float((sizes[~failing] ** 2).sum()) + float(suppressed) * self.rows
        sums = []
        for a, column in enumerate(self.levels):
            own = self.totals[a][level[a]]
            if suppressed:
                own += suppressed - float(sizes[failing] @ self.shares[a][level[a]][column.nodes[level[a], code[failing, a]]])
            sums.append(own)
        return float(self._cost(sums))

    def _cost(self, sums: Sequence[Any]) -> Any:
        if self.name == NCP:
            return sum(sums) / (self.rows * len(sums))
        product: Any = 1.0
        for column, own in zip(self.levels, sums, strict=True):
            least = 1 / column.leaves
            share = (own / self.rows - least) / (1 - least) if column.leaves > 1 else 0.0 * own
            product = product * (1 + share)
        return product ** (1 / len(sums)) - 1
