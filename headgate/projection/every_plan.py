"""Every projection plan of a few attributes, by exposure. Γα and Γβ are sums over the tables of a plan, so a figure for each of the
2^n − 1 tables gives those of all plans."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import loop
from headgate.core.tolerance import TOLERANCE
from headgate.projection.information import NOTHING, Associations, Plan
from headgate.projection.rounding import rounded_up

MOST_EXACT = 12  # attributes of which every plan is looked at: 4,213,597 plans, made of 4,095 tables
BITS = 4  # a plan is the table number of each attribute, four bits each


class EveryPlan:
    """`exposure` and `kept` (1 − Γα) of all plans, `tables` how many each has, `code` which it is: attributes in order, each in a table
    that is there or in the next new one."""

    def __init__(self, figures: Associations) -> None:
        self.size = len(figures.names)
        exposure, kept = _of_tables(figures)
        number = _bell(self.size)
        self.code = np.empty(number, dtype=np.int64)
        self.exposure, self.loss = np.empty(number), np.empty(number)
        self.tables = np.empty(number, dtype=np.int64)
        _list_plans(self.size, exposure, kept, self.code, self.exposure, self.loss, self.tables)
        if figures.total_information < NOTHING:
            self.loss[:] = 0.0

    def within(self, alpha: float, beta: float) -> NDArray[np.int64]:
        """The plans within both thresholds, least exposed first; equally exposed ones by number of tables, then as they are listed."""
        plans = np.flatnonzero((self.loss <= alpha + TOLERANCE) & (self.exposure <= beta + TOLERANCE))
        key = np.rint(self.exposure[plans] / NOTHING).astype(np.int64) * (self.size + 1) + self.tables[plans]
        return plans[np.argsort(key, kind="stable")]

    def next(self, places: NDArray[np.int64], start: int, refused: NDArray[np.bool_]) -> int:
        """The first of `places` from `start` on that has no refused table."""
        return int(_next(self.size, self.code, places, start, refused))

    def plan(self, place: int) -> Plan:
        numbers = [int(self.code[place]) >> BITS * i & (1 << BITS) - 1 for i in range(self.size)]
        return tuple(tuple(i for i, table in enumerate(numbers) if table == number) for number in range(max(numbers) + 1))

    def cures(self, alpha: float, beta: float) -> list[str]:
        """How far to raise one threshold so that there is a plan within both."""
        loss, exposure = self.loss[self.exposure <= beta + TOLERANCE].min(), self.exposure[self.loss <= alpha + TOLERANCE].min()
        return [
            f"raise association_loss to {rounded_up(float(loss))} or more",
            f"raise join_threat to {rounded_up(float(exposure))} or more",
        ]


def _of_tables(figures: Associations) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For each table (a set of attributes as bits), its share in Γβ, and the share of all mutual information that lies inside it."""
    size, total = len(figures.names), figures.total_information
    exposure, kept = np.zeros(1 << size), np.zeros(1 << size)
    for mask in range(1, 1 << size):
        table = [i for i in range(size) if mask >> i & 1]
        exposure[mask] = figures.exposure_of(table)
        inside = [float(figures.information[i, j]) for n, i in enumerate(table) for j in table[n + 1 :]]
        kept[mask] = math.fsum(inside) / total if total >= NOTHING else 0.0
    return exposure, kept


def _bell(size: int) -> int:
    """How many ways there are to divide `size` attributes."""
    row = [1]
    for _ in range(size - 1):
        following = [row[-1]]
        for number in row:
            following.append(following[-1] + number)
        row = following
    return row[-1]


@loop
def _list_plans(
    size: int,
    exposure: NDArray[np.float64],
    kept: NDArray[np.float64],
    code: NDArray[np.int64],
    exposures: NDArray[np.float64],
    losses: NDArray[np.float64],
    tables: NDArray[np.int64],
) -> None:  # pragma: no cover - compiled
    """Restricted growth strings in lexicographic order."""
    table_of, most = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)  # most: the largest number among earlier attributes
    masks = np.zeros(size, dtype=np.int64)
    for place in range(len(code)):
        masks[:] = 0
        packed, used = 0, 0
        for i in range(size):
            masks[table_of[i]] |= 1 << i
            packed |= table_of[i] << BITS * i
            used = max(used, table_of[i] + 1)
        exposed, inside = 0.0, 0.0
        for table in range(used):
            exposed += exposure[masks[table]]
            inside += kept[masks[table]]
        code[place], exposures[place], losses[place], tables[place] = packed, exposed, 1.0 - inside, used
        i = size - 1
        while i > 0 and table_of[i] > most[i]:
            i -= 1
        if i == 0:
            return
        table_of[i] += 1
        for j in range(i + 1, size):
            most[j] = max(most[j - 1], table_of[j - 1])
            table_of[j] = 0


@loop
def _next(
    size: int, code: NDArray[np.int64], places: NDArray[np.int64], start: int, refused: NDArray[np.bool_]
) -> int:  # pragma: no cover - compiled
    masks = np.zeros(size, dtype=np.int64)
    for place in range(start, len(places)):
        masks[:] = 0
        for i in range(size):
            masks[code[places[place]] >> BITS * i & (1 << BITS) - 1] |= 1 << i
        stands = True
        for table in range(size):
            if refused[masks[table]]:
                stands = False
                break
        if stands:
            return place
    return len(places)
