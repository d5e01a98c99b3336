"""Counts, shares and means over published rows, with what generalized cells leave open: the lowest that can be, what is expected if values
are spread evenly inside each cell, and the highest that can be. Cells are taken one by one, each free within what it covers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes
from headgate.core.errors import InputRejected
from headgate.released.possible import Met

Floats = NDArray[np.float64]


class Measure(StrEnum):
    COUNT = "count"
    SHARE = "share"
    MEAN = "mean"


@dataclass(frozen=True)
class Spread:
    """`expected` is None where a mean may exist and an even spread expects nobody to count for it."""

    lowest: float
    expected: float | None
    highest: float


@dataclass(frozen=True)
class Estimate(Spread):
    """Of one table. `rows` are those of the table; the `suppressed` ones are in no table and not guessed. `notes` say what else the figures
    do not know."""

    measure: Measure
    of: str | None
    where: str
    table: str
    rows: int
    suppressed: int
    weight: str | None  # the column that says how many people each row stands for, where the figures are of people
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Rows:
    """Of each row: whether it meets all conditions whatever its cells stand for, whether it may, how likely it is, and how many people it
    stands for."""

    must: NDArray[np.bool_]
    may: NDArray[np.bool_]
    likely: Floats
    weight: Floats


def rows_of(met: Mapping[str, Met], codes: Mapping[str, Codes], rows: int, weight: Floats | None = None) -> Rows:
    """Cells of different columns are independent of each other. Without weights a row stands for one."""
    must, may, likely = np.ones(rows, dtype=bool), np.ones(rows, dtype=bool), np.ones(rows)
    for name, answers in met.items():
        place = codes[name]
        must &= answers.must[place]
        may &= answers.may[place]
        likely *= answers.share[place]
    return Rows(must, may, likely, np.ones(rows) if weight is None else weight)


def count(rows: Rows) -> Spread:
    of = rows.weight
    return Spread(math.fsum(of[rows.must]), math.fsum(rows.likely * of), math.fsum(of[rows.may]))


def share(rows: Rows) -> Spread:
    counted, all_rows = count(rows), math.fsum(rows.weight)
    return Spread(counted.lowest / all_rows, (counted.expected or 0.0) / all_rows, counted.highest / all_rows)


def mean(rows: Rows, low: Floats, high: Floats, middle: Floats, name: str) -> Spread:
    """Of the numbers that each row may have. A row that only may count is taken where that makes the mean lower, or higher."""
    if not rows.may.any():
        raise InputRejected(f"No published row can have a number in '{name}' and meet the conditions.", "Ask with wider conditions.")
    optional = rows.may & ~rows.must
    counted = rows.likely > 0
    likely = rows.likely[counted] * rows.weight[counted]
    expected = float((likely * middle[counted]).sum()) / float(likely.sum()) if len(likely) else None
    needed, others = rows.weight[rows.must], rows.weight[optional]
    lowest = _least_mean(low[rows.must], needed, low[optional], others)
    highest = -_least_mean(-high[rows.must], needed, -high[optional], others)
    return Spread(lowest, None if expected is None else min(max(expected, lowest), highest), highest)


def _least_mean(needed: Floats, of_needed: Floats, optional: Floats, of_optional: Floats) -> float:
    """Of all needed numbers and as many of the smallest optional ones as lower it, of at least one number; each with its weight."""
    first = len(needed) == 0
    order = np.argsort(optional, kind="stable")
    start = math.fsum(needed * of_needed)
    sums = np.append(start, start + np.cumsum(optional[order] * of_optional[order]))
    weights = math.fsum(of_needed) + np.append(0.0, np.cumsum(of_optional[order]))
    return float((sums[first:] / weights[first:]).min())
