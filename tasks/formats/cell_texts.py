"""Typed cells as a CSV of the same table would hold them: dates in ISO form, whole numbers without a fraction, nothing as missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from datetime import time as time_of_day
from decimal import Decimal
from typing import Any

import pyarrow as pa

from headgate.core.cells import format_number
from headgate.core.errors import InputRejected

TYPED = b"headgate.typed"  # of a column of texts: which of its cells are numbers, days or truth values in the file
ALL, SOME = b"all", b"some"


def text_column(cells: Sequence[Any], texts: Sequence[str | None]) -> tuple[pa.Array, bytes]:
    """The texts of a column, and whether its `cells` had types of their own: b"" if none had."""
    typed = [not isinstance(cell, str) for cell in cells if cell is not None]
    return pa.array(texts, pa.string()), ALL if typed and all(typed) else SOME if any(typed) else b""


def table_of_texts(columns: Mapping[str, tuple[pa.Array | pa.ChunkedArray, bytes]]) -> pa.Table:
    fields = [pa.field(name, pa.string(), metadata={TYPED: typed}) for name, (_, typed) in columns.items()]
    return pa.table([texts for texts, _ in columns.values()], pa.schema(fields))


def typed_in(table: pa.Table, column: str) -> bytes:
    """Which of the column's cells had types of their own, where this is known: such cells are written with a point and in ISO form already,
    however the policy says that texts are written."""
    return bytes((table.schema.field(column).metadata or {}).get(TYPED, b""))


def cell_text(cell: Any, cure: str) -> str | None:
    """`cure`: what helps where a cell is of a type that no table has."""
    if cell is None or (isinstance(cell, float) and cell != cell) or (isinstance(cell, Decimal) and cell.is_nan()):
        return None
    if isinstance(cell, str):
        return cell if cell != "" else None
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == time_of_day() and cell.tzinfo is None else cell.isoformat()
    if isinstance(cell, date | time_of_day):
        return cell.isoformat()
    if isinstance(cell, timedelta):
        return _duration(cell)
    if isinstance(cell, float):
        return format_number(cell)
    if isinstance(cell, bool | int | Decimal):
        return str(cell)
    raise InputRejected(f"Some cells are of type {type(cell).__name__}.", cure)


def _duration(length: timedelta) -> str:
    """Hours, minutes and seconds, with six decimals if they are no whole number, as times of day have; there may be more than 24 hours."""
    seconds, fraction = divmod(abs(length) // timedelta(microseconds=1), 10**6)
    hours, rest = divmod(seconds, 3600)
    decimals = f".{fraction:06d}" if fraction else ""
    return f"{'-' if length < timedelta() else ''}{hours:02d}:{rest // 60:02d}:{rest % 60:02d}{decimals}"
