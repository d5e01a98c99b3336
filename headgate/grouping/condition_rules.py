"""Conditions as arrays, for the compiled loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Column, Table
from headgate.core.compiling import empty_records
from headgate.core.tolerance import floors
from headgate.grouping.conditions import Closeness, Condition, DistinctL, EntropyL, Households, RecursiveCL

DISTINCT, ENTROPY, RECURSIVE, FLAT, LINE, LINE_MISSING, TREE = 0, 1, 2, 3, 4, 5, 6

# Both ends of everything that a condition or an attribute owns in a common array: what lies behind them is another's.
RULE = np.dtype(
    [
        ("principle", np.int64),
        ("level", np.int64),  # the l of distinct l and recursive (c, l); points of a line; height of a tree
        ("bound", np.float64),  # the threshold
        ("missing", np.float64),  # the table's share of missing cells
        ("numbers", np.int64),
        ("numbers_end", np.int64),
        ("shares", np.int64),
        ("shares_end", np.int64),
    ]
)
ATTRIBUTE = np.dtype([("first_value", np.int64), ("values_end", np.int64), ("rules", np.int64), ("rules_end", np.int64)])


class Rules(NamedTuple):
    """The conditions of one table, attribute by attribute, so that a group's values are counted once for all of an attribute's."""

    value: NDArray[np.int32]  # rows × attributes: the row's code; a missing cell has the number after the last
    attributes: NDArray[np.void]  # ATTRIBUTE
    sensitive: NDArray[np.bool_]  # a flag per value of an attribute, the last for missing
    conditions: NDArray[np.void]  # RULE
    numbers: NDArray[np.int64]
    shares: NDArray[np.float64]


class _Rule(NamedTuple):
    """One condition before it is put beside the others. `numbers`: of recursive (c, l) the floors of counts by c, else the place of each
    value on the line, or its nodes in the tree level by level. `shares` of the table: of the values, points or nodes; of a line without
    missing cells the sums up to each point, and the sums of these before each."""

    principle: int
    bound: float
    level: int = 0
    missing: float = 0.0
    numbers: NDArray[Any] = np.zeros(0, dtype=np.int64)
    shares: NDArray[Any] = np.zeros(0)


def compile_conditions(table: Table, conditions: Sequence[Condition]) -> Rules:
    """`table` is what is released: closeness compares with its values."""
    columns = table.select(dict.fromkeys(condition.column for condition in conditions))
    attributes = empty_records(len(columns), ATTRIBUTE)
    value = np.zeros((table.rows, len(columns)), dtype=np.int32)
    rules: list[_Rule] = []
    values = 0
    for i, column in enumerate(columns):
        value[:, i] = np.where(column.codes < 0, len(column.values), column.codes)
        own = [_rule(column, condition) for condition in conditions if condition.column == column.name]
        attributes[i] = values, values + len(column.values) + 1, len(rules), len(rules) + len(own)
        values += len(column.values) + 1
        rules += own
    compiled = empty_records(len(rules), RULE)
    numbers = shares = 0
    for i, rule in enumerate(rules):
        ends = numbers + len(rule.numbers), shares + len(rule.shares)
        compiled[i] = rule.principle, rule.level, rule.bound, rule.missing, numbers, ends[0], shares, ends[1]
        numbers, shares = ends
    return Rules(
        value,
        attributes,
        np.concatenate([np.zeros(0, dtype=np.bool_), *(column.sensitive for column in columns)]),
        compiled,
        np.concatenate([np.zeros(0, dtype=np.int64), *(rule.numbers for rule in rules)]).astype(np.int64),
        np.concatenate([np.zeros(0), *(rule.shares for rule in rules)]).astype(np.float64),
    )


def _rule(column: Column, condition: Condition) -> _Rule:
    totals = column.counts()
    match condition:
        case DistinctL(l=least):
            level = min(-(-least.numerator // least.denominator), int((totals > 0).sum()))
            return _Rule(DISTINCT, float(level), level)
        case Households(k=fewest):
            return _Rule(DISTINCT, float(fewest), fewest)
        case EntropyL(l=least):
            return _Rule(ENTROPY, float(least))
        case RecursiveCL(c=c, l=level):
            return _Rule(RECURSIVE, float(c), level, numbers=floors(np.arange(len(column) + 1, dtype=np.int64), 1 / c))
        case Closeness(t=t):
            return _closeness(column, totals, float(t))


def _closeness(column: Column, totals: NDArray[np.int64], t: float) -> _Rule:
    """Shares of the table as the three distances need them (DEFINITIONS §6)."""
    shares = totals / max(1, int(totals.sum()))
    missing = float(shares[-1])
    if column.hierarchy is not None and column.kind.rules.levels_above:
        height, nodes = column.hierarchy.height, column.hierarchy.nodes.astype(np.int64)
        first = np.concatenate([[0], np.cumsum(nodes.max(axis=0, initial=-1) + 1)])
        numbers = np.concatenate([nodes[:, level] + first[level] for level in range(height)])
        above = np.bincount(numbers, weights=np.tile(shares[:-1], height), minlength=int(first[height]))
        return _Rule(TREE, t, height, missing, numbers, above)
    if column.kind.ordered:
        on_line = (totals[:-1] > 0) | column.kind.rules.declared_line
        points, place = shares[:-1][on_line], np.cumsum(on_line) - 1
        if missing > 0:
            return _Rule(LINE_MISSING, t, len(points), missing, place, points)
        upto = np.cumsum(points)
        return _Rule(LINE, t, len(points), 0.0, place, np.concatenate([upto, [0.0], np.cumsum(upto)]))
    return _Rule(FLAT, t, missing=missing, shares=shares)
