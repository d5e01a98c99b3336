"""Columns encoded from a list of cells, and back."""

from __future__ import annotations

from typing import Any

import pandas as pd

from headgate.core.columns import Column, Kind, Role
from headgate.core.encode import ColumnSpec, encode_column


def encode(cells: Any, kind: Kind, **more: Any) -> Column:
    cells = cells if isinstance(cells, pd.Series | pd.DataFrame) else pd.Series(cells, dtype=object)
    return encode_column(cells, ColumnSpec("c", kind, Role.SENSITIVE, **more))


def decoded(column: Column) -> list[Any]:
    return [None if code < 0 else column.values.tolist()[code] for code in column.codes]
