"""Encoded rows, and the least cost of their transport as a linear programme."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import linprog

from headgate.core.columns import Column, Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.hierarchy import Hierarchy

TREE = [["a1", "a", "A", "*"], ["a2", "a", "A", "*"], ["b1", "b", "A", "*"], ["c1", "c", "C", "*"], ["c2", "c", "C", "*"]]


LEVELS = ("l1", "l2", "l3", "l4", "l5")


def encoded(what: str, cells: list[Any]) -> Column:
    return encode_column(
        pd.Series(cells, dtype=object),
        ColumnSpec(
            "v",
            Kind.CATEGORY if what == "tree" else Kind(what),
            Role.SENSITIVE,
            levels=LEVELS if what == "ordinal" else (),
            hierarchy=Hierarchy.from_rows(TREE, "v") if what == "tree" else None,
        ),
    )


def ground(what: str, one: Any, other: Any, line: list[Any]) -> float:
    if one == other:
        return 0.0
    if one is None or other is None or what == "category":
        return 1.0
    if what == "tree":
        paths = {row[0]: row for row in TREE}
        return min(level for level in range(4) if paths[one][level] == paths[other][level]) / 3
    return abs(line.index(one) - line.index(other)) / (len(line) - 1)


def transport(what: str, class_cells: list[Any], table: list[Any]) -> float:
    points = sorted(set(table), key=repr)
    line = list(LEVELS) if what == "ordinal" else sorted(cell for cell in set(table) if cell is not None) if what == "number" else []
    p = np.array([class_cells.count(v) / len(class_cells) for v in points])
    q = np.array([table.count(v) / len(table) for v in points])
    size = len(points)
    cost = [ground(what, u, v, line) for u in points for v in points]
    rows = np.zeros((2 * size, size * size))
    for i in range(size):
        rows[i, i * size : (i + 1) * size] = 1
        rows[size + i, i::size] = 1
    return float(linprog(cost, A_eq=rows, b_eq=np.concatenate([p, q]), method="highs").fun)
