"""Ordinals: declared levels, lowest first. They generalize to intervals of levels or, with a hierarchy, to its nodes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.cells import EVERYTHING, Interval, Single, format_interval, format_label
from headgate.core.errors import InputRejected
from headgate.core.kinds.category import coded_as_declared
from headgate.core.kinds.kind_rules import LINE, Coded, KindRules
from headgate.core.spelling import Codes
from headgate.core.tolerance import radius
from headgate.core.units import EQUAL, counted

if TYPE_CHECKING:
    from headgate.core.alike import Ruler
    from headgate.core.columns import Column
    from headgate.core.encode import ColumnSpec
    from headgate.core.published_form.cell_reader import CellReader


class Ordinal(KindRules):
    keys = frozenset({"levels", "hierarchy", "bands", "age", "region", "decimal", "thousands", "unit", "map", "unmapped"})
    required = ("levels",)
    ordered = True
    declared_line = True
    notation = "a level, [low..high] for every level between, or * for everything"

    def code(self, codes: Codes, distinct: NDArray[Any], spec: ColumnSpec) -> Coded:
        hierarchy = None if spec.hierarchy is None else spec.hierarchy.reordered(spec.levels, spec.name)
        return coded_as_declared(*self.as_texts(codes, distinct), spec, spec.levels)._replace(hierarchy=hierarchy)

    def domain(self, codes: Codes, values: NDArray[Any], spec: ColumnSpec) -> tuple[float, float] | None:
        return self.domain_of(values, None)

    def domain_of(self, values: NDArray[Any], declared: tuple[float, float] | None) -> tuple[float, float] | None:
        return 0.0, float(max(len(values) - 1, 0))

    def extended(self, spec: ColumnSpec, known: list[str], unknown: list[str]) -> ColumnSpec:
        return replace(spec, levels=(*known, *unknown))  # intervals must keep their ranks, so what is not a level comes after them

    def between(self, column: Column, low: int, high: int) -> tuple[str, float]:
        ends = str(column.values[low]), str(column.values[high])
        return (format_label(ends[0]), 0.0) if low == high else (format_interval(*ends), (high - low) / (len(column.values) - 1))

    def component(self, column: Column, power: float) -> tuple[int, NDArray[np.float64]]:
        return LINE, self.points(column) / column.width if column.width > 0 else np.zeros(len(column.values))

    def alike_within(self, ruler: Ruler, width: float) -> str:
        levels = math.floor(radius(width))
        return f"within {counted(levels, 'level')} of each other" if levels else EQUAL

    def largest_distance(self, ruler: Ruler) -> str:
        return f"of the {counted(ruler.steps, 'step')} between its levels"

    def stretch(self, cell: Single | Interval, reader: CellReader) -> tuple[float, float] | None:
        if isinstance(cell, Single) and cell.label in reader.nodes:
            return None
        ends = (cell.label, cell.label) if isinstance(cell, Single) else (cell.low, cell.high)
        low, high = (reader.place.get(end) for end in ends)
        if low is None or high is None:
            raise InputRejected(f"A published cell of '{reader.column.name}' names a level that is not declared.", "Declare every level.")
        return float(low), float(high)

    def wider(self, column: Column, text: str, stretch: tuple[float, float] | None) -> str:
        if stretch is None:
            return EVERYTHING
        greatest = len(column.values) - 1
        low, high = twice_as_many(int(stretch[0]), int(stretch[1]), 0, greatest)
        return EVERYTHING if high - low == greatest else format_interval(str(column.values[low]), str(column.values[high]))


def twice_as_many(low: int, high: int, least: int, greatest: int) -> tuple[int, int]:
    """Twice as many whole numbers, moved inside the domain."""
    count = 2 * (high - low + 1)
    begin = max(least, min(low - (high - low + 1) // 2, greatest - count + 1))
    return begin, min(greatest, begin + count - 1)
