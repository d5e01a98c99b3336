"""Rows in classes as encoded columns, drawn for the tests of diversity."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from headgate.core.columns import Column, Kind, Role
from headgate.core.encode import ColumnSpec, encode_column

HARMLESS: frozenset[str | None] = frozenset({"none"})


NUMBERS = st.lists(st.tuples(st.integers(0, 2), st.sampled_from([None, -30, -10, 0, 5, 10, 15, 20, 40])), min_size=1, max_size=25)


def categories(cells: list[Any]) -> Column:
    return encode_column(pd.Series(cells, dtype=object), ColumnSpec("v", Kind.CATEGORY, Role.SENSITIVE, nonsensitive=HARMLESS))


def numbers(cells: list[Any], harmless: frozenset[str | None] = frozenset()) -> Column:
    return encode_column(pd.Series(cells, dtype=object), ColumnSpec("v", Kind.NUMBER, Role.SENSITIVE, nonsensitive=harmless))


def split(rows: list[tuple[int, Any]]) -> tuple[np.ndarray, list[list[Any]]]:
    order = {group: i for i, group in enumerate(sorted({group for group, _ in rows}))}
    groups = np.array([order[group] for group, _ in rows], dtype=np.int32)
    return groups, [[cell for one, cell in rows if order[one] == group] for group in range(len(order))]
