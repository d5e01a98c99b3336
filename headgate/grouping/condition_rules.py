"""Conditions as flat arrays, for the compiled loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Column, Table
from headgate.core.tolerance import floors
from headgate.grouping.conditions import Closeness, Condition, DistinctL, EntropyL, RecursiveCL

DISTINCT, ENTROPY, RECURSIVE, FLAT, LINE, LINE_MISSING, TREE = 0, 1, 2, 3, 4, 5, 6

# columns of Rules.facts
PRINCIPLE, LEVEL, WHOLE, REAL = 0, 1, 2, 3


class Rules(NamedTuple):
    """The conditions of one table, attribute by attribute, so that a group's values are counted once for all of an attribute's."""

    value: NDArray[np.int32]  # rows × attributes: the row's code; a missing cell has the number after the last
    slot: NDArray[np.int64]  # (attributes + 1) × 2: where its flags begin, and its conditions
    sensitive: NDArray[np.bool_]  # a flag a value, the last for missing
    facts: NDArray[np.int64]  # conditions × 4: principle, its l (or points, or height), where its own begins in `whole` and in `real`
    bound: NDArray[np.float64]  # the threshold
    whole: NDArray[np.int64]
    real: NDArray[np.float64]


class _Own(NamedTuple):
    """One condition before it is put beside the others."""

    principle: int
    level: int
    bound: float
    whole: NDArray[Any]
    real: NDArray[Any]


def compile_conditions(table: Table, conditions: Sequence[Condition]) -> Rules:
    """`table` is what is released: closeness compares with its values."""
    columns = table.select(dict.fromkeys(condition.column for condition in conditions))
    slot = np.zeros((len(columns) + 1, 2), dtype=np.int64)
    value = np.zeros((table.rows, len(columns)), dtype=np.int32)
    made: list[_Own] = []
    for i, column in enumerate(columns):
        value[:, i] = np.where(column.codes < 0, len(column.values), column.codes)
        made += [_own(column, condition) for condition in conditions if condition.column == column.name]
        slot[i + 1] = slot[i, 0] + len(column.values) + 1, len(made)
    facts = np.zeros((len(made), 4), dtype=np.int64)
    whole = real = 0
    for i, one in enumerate(made):
        facts[i] = one.principle, one.level, whole, real
        whole, real = whole + len(one.whole), real + len(one.real)
    return Rules(
        value,
        slot,
        np.concatenate([column.sensitive for column in columns]) if columns else np.zeros(0, dtype=np.bool_),
        facts,
        np.array([one.bound for one in made], dtype=np.float64),
        np.concatenate([one.whole for one in made]).astype(np.int64) if made else np.zeros(0, dtype=np.int64),
        np.concatenate([one.real for one in made]).astype(np.float64) if made else np.zeros(0),
    )


def _own(column: Column, condition: Condition) -> _Own:
    totals, nothing = column.counts(), np.zeros(0)
    match condition:
        case DistinctL(l=least):
            level = min(-(-least.numerator // least.denominator), int((totals > 0).sum()))
            return _Own(DISTINCT, level, float(level), nothing, nothing)
        case EntropyL(l=least):
            return _Own(ENTROPY, 0, float(least), nothing, nothing)
        case RecursiveCL(c=c, l=level):
            return _Own(RECURSIVE, level, float(c), floors(np.arange(len(column) + 1, dtype=np.int64), 1 / c), nothing)
        case Closeness(t=t):
            return _closeness(column, totals, float(t))


def _closeness(column: Column, totals: NDArray[np.int64], t: float) -> _Own:
    """Shares of the table as the three distances need them (DEFINITIONS §6)."""
    shares = totals / max(1, int(totals.sum()))
    if column.hierarchy is not None and column.kind.rules.levels_above:
        height, nodes = column.hierarchy.height, column.hierarchy.nodes.astype(np.int64)
        first = np.concatenate([[0], np.cumsum(nodes.max(axis=0, initial=-1) + 1)])
        numbers = np.concatenate([nodes[:, level] + first[level] for level in range(height)])
        above = np.bincount(numbers, weights=np.tile(shares[:-1], height), minlength=int(first[height]))
        return _Own(TREE, height, t, numbers, np.append(shares[-1], above))
    if column.kind.ordered:
        on_line = (totals[:-1] > 0) | column.kind.rules.declared_line
        points, place = shares[:-1][on_line], np.cumsum(on_line) - 1
        if totals[-1] > 0:
            return _Own(LINE_MISSING, len(points), t, place, np.append(points, shares[-1]))
        upto = np.cumsum(points)
        return _Own(LINE, len(points), t, place, np.concatenate([upto, [0.0], np.cumsum(upto)]))
    return _Own(FLAT, 0, t, np.zeros(0), shares)
