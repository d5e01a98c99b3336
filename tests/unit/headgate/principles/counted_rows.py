"""Rows in classes, drawn and counted, for the tests of every principle over one attribute."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from headgate.core.columns import Column, Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.counting.class_counts import Counted, count

HARMLESS: frozenset[str | None] = frozenset({"none", "-30"})


ROWS = st.lists(st.tuples(st.integers(0, 3), st.sampled_from([None, "a", "b", "c", "d", "none"])), min_size=1, max_size=30)


NUMBERS = st.lists(st.tuples(st.integers(0, 2), st.sampled_from([None, -30, -10, 0, 5, 10.5, 40])), min_size=1, max_size=25)


def column(cells: list[Any], kind: Kind = Kind.CATEGORY, harmless: frozenset[str | None] = HARMLESS) -> Column:
    return encode_column(pd.Series(cells, dtype=object), ColumnSpec("v", kind, Role.SENSITIVE, nonsensitive=harmless))


def classed(classes: list[list[Any]], kind: Kind = Kind.CATEGORY, harmless: frozenset[str | None] = HARMLESS) -> Counted:
    reading = np.repeat(np.arange(len(classes)), [len(one) for one in classes]).astype(np.int32)
    return count(column([cell for one in classes for cell in one], kind, harmless), [reading])


def split(rows: list[tuple[int, Any]]) -> list[list[Any]]:
    return [[cell for number, cell in rows if number == group] for group in sorted({number for number, _ in rows})]


def is_harmless(cell: Any) -> bool:
    return cell in ("none", -30)


def concerned(inside: list[Any]) -> bool:
    return not all(is_harmless(cell) for cell in inside)
