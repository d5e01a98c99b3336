"""Sets: several values in one cell, such as diagnoses. They are published as one 0/1 column per value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from headgate.core.kinds.kind_rules import MATRIX, Coded, KindRules, table_of_distances
from headgate.core.spelling import MISSING, Codes, blank_is_missing, cells_rejected, value_text
from headgate.core.units import amount_text

if TYPE_CHECKING:
    from headgate.core.alike import Ruler
    from headgate.core.columns import Column
    from headgate.core.encode import ColumnSpec


class SetOfValues(KindRules):
    keys = frozenset({"separator", "values", "values_from", "absent", "empty", "map", "unmapped"})
    single = False
    compared_as = ""

    def encode(self, cells: pd.Series | pd.DataFrame, spec: ColumnSpec) -> Coded:
        if pd.Series(cells).dtype != object:  # no cell is a list
            return super().encode(cells, spec)
        listed: list[Any] = list(pd.Series(cells))
        hashable = [cell if pd.api.types.is_scalar(cell) else tuple(cell) for cell in listed]
        return super().encode(pd.Series(hashable, dtype=object), spec)

    def code(self, codes: Codes, distinct: NDArray[Any], spec: ColumnSpec) -> Coded:
        """A cell is text split at the separator, or any iterable of values. An empty text is a missing set; an empty iterable, or the
        separator alone, is the empty set."""
        codes, distinct = blank_is_missing(codes, distinct)
        members = [_members(cell, spec.separator) for cell in distinct]
        declared = set(spec.declared)
        outside = {value for cell in members for value in cell} - declared if declared else set()
        if outside:
            wrong = np.array([not outside.isdisjoint(cell) for cell in members])
            cure = f"{_other_separator(distinct[wrong], spec.separator)}Correct the data or declare the values in the policy."
            raise cells_rejected(
                codes, distinct, wrong, spec.name, "holds values that are not declared", "hold values that are not declared", cure
            )
        ordered = sorted(set(members))
        place = {cell: code for code, cell in enumerate(ordered)}
        values = np.empty(len(ordered), dtype=object)
        values[:] = ordered
        return Coded(np.array([place[cell] for cell in members] + [MISSING], dtype=np.int32)[codes], values)

    def sensitive(self, values: NDArray[Any], spec: ColumnSpec) -> list[bool] | bool:
        """Having a value is sensitive; not having it is not, unless the policy says so."""
        return True if spec.absent_sensitive else [bool(set(cell) - spec.nonsensitive) for cell in values]

    def texts(self, column: Column) -> list[str]:
        """The empty set is the separator alone, so that it is not read as a missing set."""
        return [column.separator.join(cell) or column.separator for cell in column.values]

    def alike_within(self, ruler: Ruler, width: float) -> str:
        return f"if, of the values that either has, at most {amount_text(100 * width)} % are not shared"

    def component(self, column: Column, power: float) -> tuple[int, NDArray[np.float64]]:
        table_of_distances(column)
        return MATRIX, _jaccard(column.values).ravel()


def _members(cell: Any, separator: str) -> tuple[str, ...]:
    parts = cell.split(separator) if isinstance(cell, str) else [value_text(part) for part in cell]
    return tuple(sorted({part.strip() for part in parts} - {""}))


def _other_separator(wrong: NDArray[Any], separator: str) -> str:
    """A question, where most of these cells hold another sign that often separates values."""
    for sign in (";", ",", "|", "/"):
        if sign != separator and 2 * sum(isinstance(cell, str) and sign in cell for cell in wrong) > len(wrong):
            return f"Most of these cells hold '{sign}': is that the separator? Then declare separator: '{sign}'. "
    return ""


def _jaccard(sets: NDArray[Any]) -> NDArray[np.float64]:
    """1 − |A ∩ B|/|A ∪ B|; two empty sets are equal."""
    members = sorted({value for cell in sets for value in cell})
    place = {value: i for i, value in enumerate(members)}
    has = np.zeros((len(sets), len(members)))
    for row, cell in enumerate(sets):
        has[row, [place[value] for value in cell]] = 1.0
    both = has @ has.T
    either = has.sum(axis=1)[:, None] + has.sum(axis=1)[None, :] - both
    return np.where(either > 0, 1.0 - both / np.where(either > 0, either, 1.0), 0.0)
