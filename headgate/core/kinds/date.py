"""Dates: days, as numbers from 1970-01-01. They generalize by the calendar: day, month, quarter, year, bands of years."""

from __future__ import annotations

import math
import re
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from headgate.core.calendar_parts import FIRST_DAY, LAST_DAY, calendar_span, common_part, days_inside, format_day, part_above, parts_of
from headgate.core.cells import EVERYTHING, Interval, Single, cell_refused, format_interval
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy
from headgate.core.kinds.kind_rules import TREE, Coded, KindRules
from headgate.core.kinds.number import Number
from headgate.core.spelling import Codes, cells_rejected
from headgate.core.tolerance import radius
from headgate.core.units import counted

if TYPE_CHECKING:
    from headgate.core.alike import Ruler
    from headgate.core.columns import Column
    from headgate.core.encode import ColumnSpec
    from headgate.core.published_form.cell_reader import CellReader

DAYS = 'Write YYYY-MM-DD, or declare in the policy how they are written, such as `date: "%d.%m.%Y"`.'
MONTHS_TO_1970 = 12 * 1970


class Date(Number):
    keys = frozenset({"domain", "hierarchy", "date", "map", "unmapped"})
    described = frozenset({"widths"})
    calendar = True
    whole = True
    compared_as = "date"
    storage = "date"
    notation = "a day YYYY-MM-DD, a month YYYY-MM, a quarter YYYY-Qn, a year YYYY, the years [YYYY..YYYY], or * for everything"

    def encode(self, cells: pd.Series | pd.DataFrame, spec: ColumnSpec) -> Coded:
        return KindRules.encode(self, cells, spec)  # a number alone does not name a day

    def parsed(self, codes: Codes, distinct: NDArray[Any], name: str) -> NDArray[Any]:
        try:
            stamps = pd.to_datetime(pd.Series(distinct, dtype=object), format="ISO8601", errors="coerce", utc=False)
        except ValueError:  # several time zones
            stamps = pd.Series([pd.NaT] * len(distinct))
        stamps = stamps.where(np.array([_names_a_day(value) for value in distinct], dtype=bool))
        refused = partial(cells_rejected, codes, distinct, name=name)
        wrong = stamps.isna().to_numpy()
        if wrong.any():
            raise refused(wrong, one="is not a date", several="are not dates", cure=DAYS)
        whole = stamps.to_numpy(dtype="datetime64[D]")
        wrong = stamps.to_numpy(dtype="datetime64[ns]") != whole.astype("datetime64[ns]")
        if wrong.any():
            cure = 'A date is a day: write YYYY-MM-DD, or declare in the policy how they are written, such as `date: "%Y-%m-%d %H:%M"`.'
            raise refused(wrong, one="holds a time of day", several="hold times of day", cure=cure)
        days = whole.astype(np.int64)
        wrong = (days < FIRST_DAY) | (days > LAST_DAY)
        if wrong.any():
            one, several = "is a day before the year 1 or after 9999", "are days before the year 1 or after 9999"
            raise refused(wrong, one=one, several=several, cure="Leave unknown days empty.")
        return days

    def alike_within(self, ruler: Ruler, width: float) -> str:
        days = math.floor(radius(width))
        return f"within {counted(days, 'day')} of each other" if days else "only if they are the same day"

    def range_text(self, width: float) -> str:
        return counted(int(width), "day")

    def end_text(self, end: float) -> str:
        return format_day(int(end))

    def coded_as_leaves(self, codes: Codes, values: NDArray[Any], spec: ColumnSpec, hierarchy: Hierarchy) -> Coded:
        cure = "Dates generalize by the calendar: give the widths of bands of years instead."
        raise InputRejected(f"Column '{spec.name}' is a date with a hierarchy.", cure)

    def texts(self, column: Column) -> list[str]:
        return [format_day(int(day)) for day in column.values]

    def decoded(self, column: Column) -> dict[str, Any]:
        return KindRules.decoded(self, column)  # as texts, not as numbers

    def cell_text(self, value: Any) -> str:
        return format_day(value)

    def shape(self, column: Column) -> int:
        return TREE

    def between(self, column: Column, low: int, high: int) -> tuple[str, float]:
        part = common_part(int(column.values[low]), int(column.values[high]), column.year_bands)
        if low == high or part is None:
            return (EVERYTHING, 1.0) if part is None else (part, 0.0)
        return part, _share(column, part)

    def levels(self, column: Column) -> list[list[str]]:
        parts = [parts_of(int(day), column.year_bands) for day in column.values]
        return [list(level) for level in zip(*parts, strict=True)] or [[] for _ in parts_of(0, column.year_bands)]

    def node_text(self, label: str, level: int) -> str:
        return label

    def node_loss(self, column: Column, label: str, leaves: int, level: int) -> float:
        return 0.0 if level == 0 else _share(column, label)

    def tree(self, column: Column) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]:
        days = column.values.astype("datetime64[D]")
        low, high = column.domain if column.domain is not None else (0.0, 0.0)
        months = days.astype("datetime64[M]").astype(np.int64) + MONTHS_TO_1970
        widths = (1, 3, 12, *(12 * years for years in column.year_bands))
        node = np.stack([np.arange(len(days)), *(months // width for width in widths), np.zeros(len(days), dtype=np.int64)])
        share = np.zeros(node.shape)
        whole = high - low + 1.0
        for level, width in enumerate(widths, 1):
            begin = (months // width * width - MONTHS_TO_1970).astype("datetime64[M]")
            end = (begin + np.timedelta64(width, "M")).astype("datetime64[D]").astype(np.int64) - 1
            inside = np.minimum(end, high) - np.maximum(begin.astype("datetime64[D]").astype(np.int64), low) + 1.0
            share[level] = inside / whole
        share[-1] = 1.0
        return np.arange(len(days)), node, share

    def stretch(self, cell: Single | Interval, reader: CellReader) -> tuple[float, float] | None:
        span = calendar_span(cell.label if isinstance(cell, Single) else format_interval(cell.low, cell.high))
        if span is None:
            raise cell_refused()
        return float(span[0]), float(span[1])

    def cell_loss(self, cell: Single | Interval, reader: CellReader) -> float:
        span, domain = self.stretch(cell, reader), reader.column.domain
        return 0.0 if span is None or domain is None or span[0] == span[1] else days_inside(span, domain)

    def wider(self, column: Column, text: str, stretch: tuple[float, float] | None) -> str:
        return part_above(text, column.year_bands) or EVERYTHING


def _names_a_day(value: Any) -> bool:
    """A year or a month would be read as its first day."""
    return not isinstance(value, str | int | float) or re.match(r"\s*[+-]?\d{4}([-/]?)\d{2}\1\d{2}", str(value)) is not None


def _share(column: Column, part: str) -> float:
    """The days of a calendar part, clipped to the domain, over the domain's."""
    span = calendar_span(part)
    if span is None or column.domain is None:
        raise InputRejected(f"The dates of '{column.name}' have no domain.", "Encode dates with a domain of days.")
    return days_inside(span, column.domain)
