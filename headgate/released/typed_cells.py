"""Published cells as columns to compute with: texts, low and high of what a cell covers, the level of a node, the members of a set."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from headgate.core.cells import EVERYTHING, Members, Missing, Single, parse_cell
from headgate.core.columns import Codes, Column
from headgate.core.kinds.number import whole_numbers
from headgate.core.published_form.bounds import all_ends, numbers_by_row
from headgate.core.published_form.cell_reader import CellReader
from headgate.core.published_form.published_table import PublishedCells

LOW, HIGH, LEVEL, VALUES = "low", "high", "level", "values"


def parts_of(column: Column) -> tuple[str, ...]:
    """What the cells of a quasi-identifier are taken apart into, beside their text."""
    ends = (LOW, HIGH) if column.kind.ordered else ()
    return (*ends, LEVEL) if column.hierarchy is not None else ends or (VALUES,)


def typed_quasi(column: Column, cells: PublishedCells, part: str) -> Any:
    """One of these parts, a cell per row."""
    texts = [str(text) for text in cells.texts]
    if part in (LOW, HIGH):
        side = 0 if part == LOW else 1
        return line_values([None if ends is None else ends[side] for ends in all_ends(texts, column)], cells.codes, column)
    if part == LEVEL:
        levels = [_level(text, column) for text in texts]
        lacking = np.array([level is None for level in levels], dtype=bool)
        return pd.arrays.IntegerArray(np.array([level or 0 for level in levels], dtype=np.int64)[cells.codes], lacking[cells.codes])
    sets = np.empty(len(texts), dtype=object)
    sets[:] = [_members(text, column) for text in texts]
    return pd.Series(sets[cells.codes], dtype=object).array


def line_values(ends: list[float | None], codes: Codes, column: Column) -> Any:
    """Places on the column's line: whole numbers, numbers, days, or levels in their order."""
    storage = column.kind.rules.storage
    if storage in ("integer", "number"):
        return numbers_by_row(ends, codes, storage == "integer")
    lacking = np.array([end is None for end in ends], dtype=bool)
    whole = np.array([0 if end is None else end for end in ends], dtype=np.int64)
    if storage == "date":
        days = whole.astype("datetime64[D]").astype("datetime64[s]")
        days[lacking] = np.datetime64("NaT")
        return pd.array(days[codes], dtype="datetime64[s]")
    levels = pd.Index([str(value) for value in column.values], dtype="str")
    return pd.Categorical.from_codes(np.where(lacking, -1, whole)[codes], categories=levels, ordered=True)


def typed_column(column: Column) -> dict[str, Any]:
    """A sensitive or insensitive column by the names of its file: numbers, days, ordered levels, texts, bits as 0 and 1."""
    if column.kind.rules.components:
        return dict(zip(column.parts, _components(column), strict=True))
    if column.kind.ordered:
        ends: list[float | None] = [*column.kind.rules.points(column).tolist(), None]
        return {column.name: line_values(ends, column.codes, column)}
    if column.origin is not None:
        return {column.name: whole_numbers(column)}
    return {column.name: pd.array(np.array([*map(str, column.values), None], dtype=object)[column.codes], dtype="str")}


def _components(column: Column) -> list[Any]:
    """Missing in all components."""
    rows = np.vstack([column.values, np.full((1, column.values.shape[1]), np.nan)])[column.codes]
    return [np.ascontiguousarray(rows[:, place]) for place in range(rows.shape[1])]


def _level(text: str, column: Column) -> int | None:
    """The lowest level that has the node; a value is level 0, and everything is the last."""
    hierarchy = column.hierarchy
    cell = parse_cell(text)
    if hierarchy is None or isinstance(cell, Missing):
        return None
    if text == EVERYTHING:
        return hierarchy.height
    label = cell.label if isinstance(cell, Single) else text
    at = [level for level in range(hierarchy.height + 1) if label in set(hierarchy.labels[:, level])]
    return at[0] if at else 0


def _members(text: str, column: Column) -> tuple[str | None, ...] | None:
    """The values that a cell covers, missing first as None; None where the cell is missing."""
    cell = parse_cell(text)
    if isinstance(cell, Missing):
        return None
    if isinstance(cell, Members):
        return cell.labels
    covered = CellReader(column).covers(text)
    values = tuple(str(value) for value in column.values[covered[:-1]])
    return (None, *values) if covered[-1] else values
