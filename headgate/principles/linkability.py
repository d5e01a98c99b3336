"""Linkability: how certain a sensitive value becomes (codip, DEFINITIONS §6).

The largest count/|E| over classes E and sensitive values. The sensitive attributes of projected tables are disjoint, so shares
multiply over a join and never exceed the largest of them (Theorem 2): the release's linkability is that of its worst table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.columns import Codes, Column
from headgate.principles.class_counts import class_counts


@dataclass(frozen=True, eq=False)
class Linkability:
    linkability: float  # over sensitive values; 0 if there are none
    linkability_all: float
    attribute: str
    per_group: NDArray[np.float64]  # over sensitive values, by group number


def linkability(column: Column, classes: Sequence[Codes]) -> Linkability:
    """Of one attribute, in the worse reading."""
    readings = [class_counts(column.codes, reading) for reading in classes]
    shares = [counts.largest(column.sensitive) / counts.sizes for counts in readings]
    return Linkability(
        max(float(share.max()) for share in shares),
        max(float((counts.largest() / counts.sizes).max()) for counts in readings),
        column.name,
        shares[0],
    )


def worst_linkability(columns: Iterable[Column], classes: Sequence[Codes]) -> Linkability:
    """Over all sensitive attributes of a table: the worst of each figure, and the attribute that binds."""
    found = [linkability(column, classes) for column in columns]
    worst = max(found, key=lambda one: one.linkability)
    per_group = np.max(np.stack([one.per_group for one in found]), axis=0)
    return Linkability(worst.linkability, max(one.linkability_all for one in found), worst.attribute, per_group)
