"""(X, Y)-linkability over several published tables (Wang, Fung 2006; codip section 6.1; DEFINITIONS §6).

The greatest certainty with which a combination y of values of Y is inferred for a class on X. X are the quasi-identifiers: the
attacker finds the person's class E_i in every table i. Y are sensitive attributes that may lie in different tables; values of one
table are counted jointly. The tables' sensitive attributes are disjoint and their rows cannot be put side by side, so over the join
on X the shares multiply (Theorem 2): certainty = Π_i max_y count_i(y, E_i)/|E_i|, at most the linkability of any one of them.

A combination counts if one of its values is sensitive; `…_all` is over all of them. Of the two readings of "class" each table
contributes its worse one. `Projected(published.classes(), published.sensitive)` makes a table out of a PublishedTable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes, Column
from headgate.core.distinct import distinct_rows, joint_values
from headgate.core.errors import InputRejected
from headgate.counting.class_counts import class_counts
from headgate.counting.figure import Bound, Figure


@dataclass(frozen=True, eq=False)
class Projected:
    """One table of a release."""

    classes: Sequence[Codes]
    sensitive: Mapping[str, Column]


@dataclass(frozen=True, eq=False)
class XYLinkability:
    """Per class on X: the rows that share their class in every table that holds a part of Y."""

    names: tuple[str, ...]
    certainty: Figure
    certainty_all: Figure


@dataclass(frozen=True)
class XYBound:
    """The bound that no person's certainty exceeds, whatever classes of the tables meet in one person."""

    names: tuple[str, ...]
    certainty: float
    certainty_all: float


@dataclass(frozen=True, eq=False)
class _Part:
    """The largest shares in each class of a table, one array per reading: of combinations that hold a sensitive value, and of any."""

    classes: Sequence[Codes]
    sensitive: list[NDArray[np.float64]]
    any: list[NDArray[np.float64]]


def xy_linkability(tables: Sequence[Projected], names: Sequence[str]) -> XYLinkability:
    """(X, Y)-linkability of tables that list the same people in the same order, as the data holder has them before shuffling."""
    parts = _parts(tables, names)
    readings = [reading for part in parts for reading in part.classes]
    if len({len(reading) for reading in readings}) != 1:
        raise InputRejected("The tables have different numbers of rows.", "Give the same people in the same order, or take the bound.")
    joint, place = distinct_rows(np.stack(readings, axis=1))
    sensitive, any_ = [], []
    column = 0
    for part in parts:
        met = joint[:, column : column + len(part.classes)].T
        sensitive.append(np.max([shares[classes] for shares, classes in zip(part.sensitive, met, strict=True)], axis=0))
        any_.append(np.max([shares[classes] for shares, classes in zip(part.any, met, strict=True)], axis=0))
        column += len(part.classes)
    sizes = (np.bincount(place),)
    name = "(X, Y)-linkability"
    return XYLinkability(
        tuple(names),
        Figure(name, Bound.AT_MOST, (_joined(np.stack(sensitive), np.stack(any_)),), sizes),
        Figure(name, Bound.AT_MOST, (np.prod(any_, axis=0),), sizes),
    )


def xy_linkability_bound(tables: Sequence[Projected], names: Sequence[str]) -> XYBound:
    """An upper bound for published tables, whose rows nobody can align: it assumes that the worst classes of all tables meet in one
    person."""
    parts = _parts(tables, names)
    sensitive = np.array([[max(float(shares.max()) for shares in part.sensitive)] for part in parts])
    any_ = np.array([[max(float(shares.max()) for shares in part.any)] for part in parts])
    return XYBound(tuple(names), float(_joined(sensitive, any_)[0]), float(np.prod(any_)))


def _joined(sensitive: NDArray[np.float64], any_: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sensitive value comes from one table, whichever makes the product largest, and the others contribute any."""
    products = [sensitive[i] * np.prod(np.delete(any_, i, axis=0), axis=0) for i in range(len(any_))]
    return np.asarray(np.max(products, axis=0))


def _parts(tables: Sequence[Projected], names: Sequence[str]) -> list[_Part]:
    if not names or len(set(names)) != len(names):
        raise InputRejected("Y names no attribute, or names an attribute twice.", "Name each sensitive attribute of the combination once.")
    for name in names:
        holders = sum(name in table.sensitive for table in tables)
        if holders != 1:
            where = "no table" if holders == 0 else f"{holders} tables"
            raise InputRejected(f"'{name}' is sensitive in {where}.", "Name attributes that exactly one table publishes as sensitive.")
    chosen = [(table, [table.sensitive[name] for name in names if name in table.sensitive]) for table in tables]
    return [_part(table.classes, columns) for table, columns in chosen if columns]


def _part(classes: Sequence[Codes], columns: Sequence[Column]) -> _Part:
    if not classes:
        raise InputRejected("The table has no classes to measure.", "Give a table with rows.")
    _, place, flags = joint_values(columns)
    counted = [class_counts(place, reading) for reading in classes]
    return _Part(
        classes,
        [counts.largest(flags) / counts.sizes for counts in counted],
        [counts.largest() / counts.sizes for counts in counted],
    )
