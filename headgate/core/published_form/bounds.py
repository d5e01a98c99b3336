"""The least and the greatest value that a generalized cell covers, for readers who want to compute with numbers, days and levels."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from headgate.core.cells import EVERYTHING, cell_refused
from headgate.core.columns import Codes, Column
from headgate.core.published_form.cell_reader import CellReader
from headgate.core.published_form.published_table import Bounds, PublishedTable

Ends = tuple[float, float]


def bound_names(quasi: Sequence[str], taken: Collection[str]) -> dict[str, tuple[str, str]]:
    """`age low` and `age high` for each; with a number behind it where a column of the release has that name already."""
    used, names = set(taken), {}
    for name in quasi:
        names[name] = free_name(f"{name} low", used), free_name(f"{name} high", used)
    return names


def free_name(wanted: str, used: set[str]) -> str:
    """The name itself, else with the first number from 2 that makes it new; it is added to those in use."""
    name, number = wanted, 1
    while name in used:
        number += 1
        name = f"{wanted} {number}"
    used.add(name)
    return name


def cell_ends(text: str, reader: CellReader) -> Ends | None:
    """On the column's line: numbers, days, or the ranks of levels. None for a missing cell. Everything reaches over the domain."""
    column = reader.column
    if text == "":
        return None
    if text == EVERYTHING:
        if column.domain is None:
            raise cell_refused()
        return column.domain
    stretch = reader.interval(text)
    if stretch is not None:
        return stretch
    points = column.kind.rules.points(column)[reader.covers(text)[:-1]]
    if not len(points):
        raise cell_refused()
    return float(points.min()), float(points.max())


def with_bounds(published: PublishedTable, names: Mapping[str, tuple[str, str]], domains: Mapping[str, Column]) -> PublishedTable:
    """With the ends of the cells of each named quasi-identifier, as its domain in `domains` reads them."""
    bounds = {}
    for name, pair in names.items():
        texts = [str(text) for text in published.cells[name].texts]
        each = np.arange(len(texts), dtype=np.int32)
        bounds[name] = Bounds(pair, *written_ends(all_ends(texts, domains[name]), each, domains[name]))
    return replace(published, bounds=bounds)


def all_ends(texts: Iterable[str], column: Column) -> list[Ends | None]:
    reader = CellReader(column)
    return [cell_ends(text, reader) for text in texts]


def written_ends(ends: Sequence[Ends | None], codes: Codes, column: Column) -> tuple[Any, Any]:
    """Low and high of every row, as a published file holds them: numbers as numbers, days as YYYY-MM-DD, levels by their names."""
    low, high = ([None if pair is None else pair[side] for pair in ends] for side in (0, 1))
    return _written(low, codes, column), _written(high, codes, column)


def _written(ends: Sequence[float | None], codes: Codes, column: Column) -> Any:
    rules = column.kind.rules
    if rules.storage in ("integer", "number"):
        return numbers_by_row(ends, codes, rules.storage == "integer")
    texts = [None if end is None else rules.cell_text(end) if rules.numeric else str(column.values[int(end)]) for end in ends]
    return np.array(texts, dtype=object)[codes]


def numbers_by_row(ends: Sequence[float | None], codes: Codes, whole: bool) -> Any:
    lacking = np.array([end is None for end in ends], dtype=bool)
    numbers = np.array([0.0 if end is None else end for end in ends], dtype=np.float64)
    if whole:
        return pd.arrays.IntegerArray(numbers.astype(np.int64)[codes], lacking[codes])
    return np.where(lacking, np.nan, numbers)[codes]
