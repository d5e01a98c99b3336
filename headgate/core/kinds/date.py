"""Dates: days, as numbers from 1970-01-01. They generalize by the calendar: day, month, quarter, year."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from headgate.core.calendar_parts import FIRST_DAY, LAST_DAY, calendar_span, common_part, days_inside, format_day, part_above, parts_of
from headgate.core.cells import EVERYTHING, Interval, Single, cell_refused
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy
from headgate.core.kinds.kind_rules import TREE, Coded, KindRules
from headgate.core.kinds.number import Number
from headgate.core.spelling import Codes, cells_where

if TYPE_CHECKING:
    from headgate.core.columns import Column
    from headgate.core.encode import ColumnSpec
    from headgate.core.published_form.cell_reader import CellReader


class Date(Number):
    keys = frozenset({"domain"})
    described = frozenset()
    whole = True
    compared_as = "date"
    storage = "date"
    notation = "a day YYYY-MM-DD, a month YYYY-MM, a quarter YYYY-Qn, a year YYYY, or * for everything"

    def parsed(self, codes: Codes, distinct: NDArray[Any], name: str) -> NDArray[Any]:
        try:
            stamps = pd.to_datetime(pd.Series(distinct, dtype=object), format="ISO8601", errors="coerce", utc=False)
        except ValueError:  # several time zones
            stamps = pd.Series([pd.NaT] * len(distinct))
        stamps = stamps.where(np.array([_names_a_day(value) for value in distinct], dtype=bool))
        wrong = stamps.isna().to_numpy()
        if wrong.any():
            raise InputRejected(
                cells_where(codes, wrong, name, "is not a date", "are not dates"),
                "Write dates as YYYY-MM-DD; other orders are not read.",
                [str(cell) for cell in distinct[wrong]],
            )
        whole = stamps.to_numpy(dtype="datetime64[D]")
        if (stamps.to_numpy(dtype="datetime64[ns]") != whole.astype("datetime64[ns]")).any():
            raise InputRejected(f"Column '{name}' holds times of day.", "A date is a day: write YYYY-MM-DD.")
        days = whole.astype(np.int64)
        if len(days) and not FIRST_DAY <= days.min() <= days.max() <= LAST_DAY:
            raise InputRejected(f"Column '{name}' has days before the year 1 or after 9999.", "Leave unknown days empty.")
        return days

    def coded_as_leaves(self, codes: Codes, values: NDArray[Any], spec: ColumnSpec, hierarchy: Hierarchy) -> Coded:
        raise InputRejected(f"Column '{spec.name}' is a date with a hierarchy.", "Dates generalize by calendar; drop the hierarchy.")

    def texts(self, column: Column) -> list[str]:
        return [format_day(int(day)) for day in column.values]

    def decoded(self, column: Column) -> dict[str, Any]:
        return KindRules.decoded(self, column)  # as texts, not as numbers

    def cell_text(self, value: Any) -> str:
        return format_day(value)

    def shape(self, column: Column) -> int:
        return TREE

    def between(self, column: Column, low: int, high: int) -> tuple[str, float]:
        part = common_part(int(column.values[low]), int(column.values[high]))
        if low == high or part is None:
            return (EVERYTHING, 1.0) if part is None else (part, 0.0)
        return part, _share(column, part)

    def levels(self, column: Column) -> list[list[str]]:
        return [list(level) for level in zip(*(parts_of(int(day)) for day in column.values), strict=True)] or [[], [], [], []]

    def node_text(self, label: str, level: int) -> str:
        return label

    def node_loss(self, column: Column, label: str, leaves: int, level: int) -> float:
        return 0.0 if level == 0 else _share(column, label)

    def tree(self, column: Column) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]:
        days = column.values.astype("datetime64[D]")
        low, high = column.domain if column.domain is not None else (0.0, 0.0)
        months = days.astype("datetime64[M]").astype(np.int64)
        node = np.stack([np.arange(len(days)), months, months // 3, months // 12, np.zeros(len(days), dtype=np.int64)])
        share = np.zeros(node.shape)
        whole = high - low + 1.0
        for level, width in ((1, 1), (2, 3), (3, 12)):
            begin = (months // width * width).astype("datetime64[M]")
            end = (begin + np.timedelta64(width, "M")).astype("datetime64[D]").astype(np.int64) - 1
            inside = np.minimum(end, high) - np.maximum(begin.astype("datetime64[D]").astype(np.int64), low) + 1.0
            share[level] = inside / whole
        share[4] = 1.0
        return np.arange(len(days)), node, share

    def stretch(self, cell: Single | Interval, reader: CellReader) -> tuple[float, float] | None:
        span = calendar_span(cell.label) if isinstance(cell, Single) else None
        if span is None:
            raise cell_refused()
        return float(span[0]), float(span[1])

    def cell_loss(self, cell: Single | Interval, reader: CellReader) -> float:
        span, domain = self.stretch(cell, reader), reader.column.domain
        return 0.0 if span is None or domain is None or span[0] == span[1] else days_inside(span, domain)

    def wider(self, column: Column, text: str, stretch: tuple[float, float] | None) -> str:
        return part_above(text) or EVERYTHING


def _names_a_day(value: Any) -> bool:
    """A year or a month would be read as its first day."""
    return not isinstance(value, str | int | float) or re.match(r"\s*[+-]?\d{4}([-/]?)\d{2}\1\d{2}", str(value)) is not None


def _share(column: Column, part: str) -> float:
    """The days of a calendar part, clipped to the domain, over the domain's."""
    span = calendar_span(part)
    if span is None or column.domain is None:
        raise InputRejected(f"The dates of '{column.name}' have no domain.", "Encode dates with a domain of days.")
    return days_inside(span, column.domain)
