"""Numbers and whole numbers. They generalize to their bounding interval or, with a hierarchy, to its nodes."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from headgate.core.cells import (
    EVERYTHING,
    Interval,
    Single,
    cell_refused,
    format_interval,
    format_label,
    format_number,
    interval_of_node,
    is_number,
)
from headgate.core.decimals import in_units
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy
from headgate.core.kinds.kind_rules import LINE, Coded, KindRules, part_of
from headgate.core.kinds.ordinal import twice_as_many
from headgate.core.scale import Scale, logarithms
from headgate.core.spelling import (
    LARGEST_INTEGER,
    MISSING,
    Codes,
    as_written,
    beyond_floats,
    by_value,
    cells_rejected,
    is_blank,
    sorted_unique,
    value_text,
)
from headgate.core.tolerance import radius
from headgate.core.units import EQUAL, amount_text, ratio_text

if TYPE_CHECKING:
    from headgate.core.alike import Ruler
    from headgate.core.columns import Column
    from headgate.core.encode import ColumnSpec
    from headgate.core.published_form.cell_reader import CellReader

NUMBERS = (
    "Write 1234.5; or declare in the policy how they are written: `decimal` and `thousands` for their marks, `unit` for what stands beside "
    "them. For codes, declare kind: category."
)
CODES = "Declare kind: category, or rescale them."
NARROWEST = 100  # a number that is published exactly counts as an interval of the domain divided by this


class Number(KindRules):
    keys = frozenset({"domain", "hierarchy", "publish_as", "scale", "decimal", "thousands", "unit", "map", "unmapped"})
    described = frozenset({"widths"})
    numeric = True
    ordered = True
    compared_as = "number"
    storage = "number"
    notation = "a number, [low..high] for every number between, or * for everything"

    def encode(self, cells: pd.Series | pd.DataFrame, spec: ColumnSpec) -> Coded:
        numbers = by_value(pd.Series(cells))
        return super().encode(cells, spec) if numbers is None else self.code(numbers[0], as_written(numbers[1]), spec)

    def code(self, codes: Codes, distinct: NDArray[Any], spec: ColumnSpec) -> Coded:
        blank = np.array([is_blank(value) for value in distinct] if distinct.dtype == object else [], dtype=bool)
        if blank.any():
            cure = "Leave a missing cell empty."
            raise cells_rejected(codes, distinct, blank, spec.name, "contains only blanks", "contain only blanks", cure)
        values = self.parsed(codes, distinct, spec.name)
        if spec.hierarchy is not None:
            return self.coded_as_leaves(codes, values, spec, spec.hierarchy)
        return Coded(*sorted_unique(codes, values))

    def parsed(self, codes: Codes, distinct: NDArray[Any], name: str) -> NDArray[Any]:
        """The number in each distinct cell; refused if a cell is not a number."""
        if distinct.dtype == object:
            numbers = pd.to_numeric(pd.Series(distinct, dtype=object), errors="coerce").to_numpy(dtype=np.float64)
        else:
            numbers = distinct.astype(np.float64)
        refused = partial(cells_rejected, codes, distinct, name=name)
        wrong = np.isnan(numbers)
        if wrong.any():
            raise refused(wrong, one="is not a number", several="are not numbers", cure=NUMBERS)
        wrong = np.isinf(numbers)
        if wrong.any():
            raise refused(wrong, one="is infinite", several="are infinite", cure="Give a finite number or leave the cell empty.")
        wrong = beyond_floats(distinct, numbers)
        if wrong.any():
            raise refused(wrong, one="is a whole number beyond 2^53", several="are whole numbers beyond 2^53", cure=CODES)
        return numbers

    def coded_as_leaves(self, codes: Codes, values: NDArray[Any], spec: ColumnSpec, hierarchy: Hierarchy) -> Coded:
        """Numbers that generalize by a hierarchy: its leaves are the values, in ascending order."""
        leaves = pd.to_numeric(pd.Series(hierarchy.leaves, dtype=object), errors="coerce").to_numpy(dtype=np.float64)
        new = np.isfinite(leaves)
        new[np.setdiff1d(np.arange(len(leaves)), np.unique(leaves, return_index=True)[1])] = False
        if not new.all():
            message = f"The leaves in the hierarchy of '{spec.name}' are not distinct numbers: leaf {int(new.argmin()) + 1} repeats one."
            raise InputRejected(message, "Write one line per number.")
        order = np.argsort(leaves)
        ordered = leaves[order].astype(values.dtype)
        place = np.searchsorted(ordered, values)
        outside = ordered[np.minimum(place, len(ordered) - 1)] != values
        if outside.any():
            cure = f"Correct the data, or {hierarchy.cure}."
            one, several = "is not a leaf of its hierarchy", "are not leaves of its hierarchy"
            raise cells_rejected(codes, values, outside, spec.name, one, several, cure)
        # Leaves are published as numbers, so they are named so here too: a leaf 02 beside a node 2 would be one text for two things.
        named = [[value_text(value), *rest] for value, rest in zip(ordered, hierarchy.labels[order, 1:].tolist(), strict=True)]
        aligned = Hierarchy.from_rows(named, spec.name, file=hierarchy.file, described=hierarchy.described)
        return Coded(np.append(place, MISSING).astype(np.int32)[codes], ordered, aligned)

    def sensitive(self, values: NDArray[Any], spec: ColumnSpec) -> list[bool] | NDArray[np.bool_] | bool:
        """As texts, of which only those are written that may be meant."""
        harmless = [value for value in spec.nonsensitive if value is not None and is_number(value)]
        if not harmless:
            return True
        flags = np.ones(len(values), dtype=bool)
        for place in np.flatnonzero(np.isin(values, np.array(harmless, dtype=np.float64))):
            flags[place] = value_text(values[place]) not in harmless
        return flags

    def domain(self, codes: Codes, values: NDArray[Any], spec: ColumnSpec) -> tuple[float, float] | None:
        if spec.domain is None:
            return _measurable(float(values[0]), float(values[-1]), spec.name) if len(values) else (0.0, 0.0)
        low, high = _measurable(float(spec.domain[0]), float(spec.domain[1]), spec.name)
        outside = (values < low) | (values > high)
        if outside.any():
            cure = "Correct the data or widen the domain."
            texts = [self.cell_text(value) for value in values]
            raise cells_rejected(codes, texts, outside, spec.name, "is outside its domain", "are outside its domain", cure)
        return low, high

    def domain_of(self, values: NDArray[Any], declared: tuple[float, float] | None) -> tuple[float, float] | None:
        return declared

    def extended(self, spec: ColumnSpec, known: list[str], unknown: list[str]) -> ColumnSpec:
        return spec

    def decoded(self, column: Column) -> dict[str, Any]:
        numbers = (column.values.astype(np.float64) if len(column.values) else np.zeros(1))[column.codes]
        numbers[column.codes < 0] = np.nan
        return {column.name: numbers}

    def cell_text(self, value: Any) -> str:
        return format_number(value)

    def between(self, column: Column, low: int, high: int) -> tuple[str, float]:
        ends = format_number(column.values[low]), format_number(column.values[high])
        if low == high:
            return ends[0], 0.0
        return format_interval(*ends), (float(column.values[high]) - float(column.values[low])) / column.width

    def texts(self, column: Column) -> list[str]:
        return [format_number(value) for value in column.values]

    def node_text(self, label: str, level: int) -> str:
        """Numbers are published unchanged, and so are nodes whose label is already [low..high]."""
        return label if level == 0 or interval_of_node(label) is not None else format_label(label)

    def node_loss(self, column: Column, label: str, leaves: int, level: int) -> float:
        """A node that is labelled as an interval weighs that interval; any other weighs its leaves."""
        ends = interval_of_node(label) if level > 0 and column.domain is not None else None
        return super().node_loss(column, label, leaves, level) if ends is None else part_of(ends, column.domain)

    def points(self, column: Column) -> NDArray[np.float64]:
        return column.values.astype(np.float64)

    def shares_of_line(self, column: Column) -> NDArray[np.float64]:
        return self.points(column) / column.width if column.width > 0 else np.zeros(len(column.values))

    def component(self, column: Column, power: float) -> tuple[int, NDArray[np.float64]]:
        if column.domain is None or column.width <= 0:
            return LINE, np.zeros(len(column.values))
        if column.scale is Scale.LINEAR:
            units, _ = in_units(np.append(self.points(column), column.domain))
            return LINE, (units[:-2] - units[-2]) / (units[-1] - units[-2])
        length = logarithms(np.array([column.domain[1]]), column.domain[0], column.name)
        return LINE, self._logarithms(column) / length

    def line(self, column: Column) -> tuple[NDArray[np.float64], float]:
        return in_units(self.points(column))

    def own_line(self, column: Column, epsilon: Fraction | float) -> tuple[NDArray[np.float64], float]:
        """On the log scale ε is how much larger the larger of two similar numbers may be, as a share of the smaller."""
        if column.scale is Scale.LINEAR:
            return super().own_line(column, epsilon)
        return self._logarithms(column), radius(math.log1p(float(epsilon)))

    def own_width(self, ruler: Ruler, share: float) -> float:
        if ruler.scale is Scale.LOG and ruler.domain is not None:
            return float((ruler.domain[1] / ruler.domain[0]) ** share - 1.0)
        return share * ruler.width

    def alike_within(self, ruler: Ruler, width: float) -> str:
        if ruler.scale is Scale.LOG:
            return ratio_text(width)
        return f"within {amount_text(width)} of each other" if width else EQUAL

    def largest_distance(self, ruler: Ruler) -> str:
        if ruler.domain is None:
            return ""
        if ruler.observed:  # its ends are values of the data
            return f"of the observed range, which is {self.range_text(ruler.width)} wide"
        low, high = (self.end_text(end) for end in ruler.domain)
        return f"of the domain {low} to {high}" + (", on the log scale" if ruler.scale is Scale.LOG else "")

    def range_text(self, width: float) -> str:
        return amount_text(width)

    def end_text(self, end: float) -> str:
        return amount_text(end)

    def _logarithms(self, column: Column) -> NDArray[np.float64]:
        numbers = self.points(column)
        low = column.domain[0] if column.domain is not None else float(numbers.min(initial=0.0))
        return logarithms(numbers, low, column.name)

    def stretch(self, cell: Single | Interval, reader: CellReader) -> tuple[float, float] | None:
        if isinstance(cell, Single) and cell.label in reader.nodes:
            return None  # even where the name is a number: a decade called 2 is not an age
        ends = (cell.label, cell.label) if isinstance(cell, Single) else (cell.low, cell.high)
        if not all(is_number(end) for end in ends):
            raise cell_refused()
        return float(ends[0]), float(ends[1])

    def wider(self, column: Column, text: str, stretch: tuple[float, float] | None) -> str:
        """An interval twice as wide about the same middle, moved inside the domain."""
        if stretch is None or not len(column.values):
            return EVERYTHING
        least, most = (float(column.values[0]), float(column.values[-1])) if column.domain is None else column.domain
        least, most = min(least, stretch[0]), max(most, stretch[1])  # a register may end before the release does
        low, high = self.widened(stretch, least, most)
        return EVERYTHING if low <= least and high >= most else format_interval(format_number(low), format_number(high))

    def widened(self, stretch: tuple[float, float], least: float, most: float) -> tuple[float, float]:
        low, high = stretch
        half = max(high - low, (most - least) / NARROWEST) / 2
        low, high = low - half, high + half
        below, above = max(0.0, least - low), max(0.0, high - most)
        return max(least, low - above), min(most, high + below)


def _measurable(low: float, high: float, name: str) -> tuple[float, float]:
    if not math.isfinite(high - low):
        cure = "Divide its numbers by a constant, and its domain too."
        raise InputRejected(f"The domain of '{name}' is wider than the largest number that a computer can hold.", cure)
    return low, high


class Integer(Number):
    keys = Number.keys | {"age"}
    whole = True
    storage = "integer"
    notation = "a whole number, [low..high] for every number between, or * for everything"

    def alike_within(self, ruler: Ruler, width: float) -> str:
        return super().alike_within(ruler, width if ruler.scale is Scale.LOG else math.floor(radius(width)))

    def parsed(self, codes: Codes, distinct: NDArray[Any], name: str) -> NDArray[Any]:
        numbers = super().parsed(codes, distinct, name)
        refused = partial(cells_rejected, codes, distinct, name=name)
        wrong = numbers != np.floor(numbers)
        if wrong.any():
            raise refused(wrong, one="has a fraction", several="have a fraction", cure="Declare kind: number.")
        wrong = np.abs(numbers) > LARGEST_INTEGER
        if wrong.any():
            raise refused(wrong, one="is a whole number beyond 2^53", several="are whole numbers beyond 2^53", cure=CODES)
        return numbers.astype(np.int64)

    def decoded(self, column: Column) -> dict[str, Any]:
        return {column.name: whole_numbers(column)}

    def widened(self, stretch: tuple[float, float], least: float, most: float) -> tuple[float, float]:
        return twice_as_many(int(stretch[0]), int(stretch[1]), int(least), int(most))


def whole_numbers(column: Column) -> Any:
    """Values that are whole numbers, or their texts."""
    missing = column.codes < 0
    whole = np.array([int(value) for value in column.values] or [0], dtype=np.int64)[np.where(missing, 0, column.codes)]
    return pd.arrays.IntegerArray(whole, missing) if missing.any() else pd.array(whole, dtype="Int64")
