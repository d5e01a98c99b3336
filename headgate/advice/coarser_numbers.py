"""What rounding and coding a number costs its readers, and what it buys its people."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from headgate.core.columns import Column
from headgate.core.number_form import NumberForm

TARGETS = (0.5, 0.1, 0.01)  # shares of values that occur once: what a suggested step leaves at most
FEW_VALUES = (100, 30, 10)  # distinct numbers: what a step leaves at most that is suggested for a series
FINER = 2  # powers of ten below the mean gap between values, where the search for a step begins


@dataclass(frozen=True)
class CoarserNumber:
    """`unique`: the share of the present values that occur once. Changes are in the units of the column."""

    form: NumberForm
    unique: float
    mean_change: float
    largest_change: float


def coarser_number(column: Column, form: NumberForm) -> CoarserNumber:
    counts, published = column.counts()[:-1], form.of(column.values)
    change, rows = np.abs(published - column.values.astype(np.float64)), max(int(counts.sum()), 1)
    together = np.bincount(np.unique(published, return_inverse=True)[1], weights=counts)
    return CoarserNumber(
        form, float((together == 1).sum() / rows), float(change @ counts / rows), float(change[counts > 0].max(initial=0.0))
    )


def round_steps(column: Column) -> Iterator[Fraction]:
    """1, 2 and 5 times powers of ten, from below the mean gap between its values up to their range; whole for whole numbers."""
    values = column.values.astype(np.float64)
    width = float(values[-1] - values[0]) if len(values) else 0.0
    if width <= 0:
        return
    power = math.floor(math.log10(width / len(values))) - FINER
    while (unit := Fraction(10) ** power) <= width:
        yield from (step for times in (1, 2, 5) if (step := times * unit).denominator == 1 or not column.kind.rules.whole)
        power += 1


def suggested_steps(column: Column) -> tuple[CoarserNumber, ...]:
    """The finest steps that leave at most each of the target shares, where the column has more."""
    found: list[CoarserNumber] = []
    now, targets = coarser_number(column, NumberForm()).unique, list(TARGETS)
    for step in round_steps(column):
        targets = [target for target in targets if target < now]
        if not targets:
            break
        rounded = coarser_number(column, NumberForm(step))
        if rounded.unique <= targets[0]:
            found.append(rounded)
            now = rounded.unique
    return tuple(found)


def few_valued_steps(column: Column) -> tuple[CoarserNumber, ...]:
    """The finest steps that leave at most so many distinct numbers, where the column has more: two groups of a person have other people's
    numbers in common only where there are few."""
    found: list[CoarserNumber] = []
    wanted = [most for most in FEW_VALUES if most < len(column.values)]
    for step in round_steps(column):
        left = len(np.unique(NumberForm(step).of(column.values)))
        if wanted and left <= wanted[0]:
            found.append(coarser_number(column, NumberForm(step)))
            wanted = [most for most in wanted if most < left]
    return tuple(found)
