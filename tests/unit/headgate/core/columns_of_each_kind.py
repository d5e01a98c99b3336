"""One column of each kind, for distances."""

from __future__ import annotations

from typing import Any

import pandas as pd

from headgate.core.columns import Column, Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.hierarchy import Hierarchy

TREE = [["a1", "a", "A", "*"], ["a2", "a", "A", "*"], ["b1", "b", "A", "*"], ["c1", "c", "C", "*"]]


LEVELS = ["low", "middle", "high", "top"]


def encoded(what: str, cells: list[Any], weight: float = 1.0) -> Column:
    vector = what in ("total-variation", "lp", "min")
    kind = Kind.VECTOR if vector else Kind.CATEGORY if what == "tree" else Kind(what)
    spec = ColumnSpec(
        what,
        kind,
        Role.SENSITIVE,
        domain=(-2, 8) if what == "number" else None,
        levels=tuple(LEVELS) if what == "ordinal" else (),
        hierarchy=Hierarchy.from_rows(TREE, what) if what == "tree" else None,
        weight=weight,
        metric=what if vector else None,
    )
    if vector:
        return encode_column(pd.DataFrame([(None,) * 3 if cell is None else cell for cell in cells], dtype=float), spec)
    return encode_column(pd.Series(cells, dtype=object), spec)
