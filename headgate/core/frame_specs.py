"""The spec of a frame's column where no policy gives one: its kind follows from the dtype, its levels from an ordered Categorical."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from headgate.core.calendar_parts import YEAR_BANDS
from headgate.core.columns import Kind, Role
from headgate.core.computed_hierarchies import NESTED, computed_hierarchy, nested
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy
from headgate.core.spelling import value_text


def inferred_kind(cells: pd.Series, name: str, kinds: Mapping[str, str], otherwise: Kind = Kind.CATEGORY) -> Kind:
    """The kind that `kinds` gives; otherwise numbers for numeric columns, and `otherwise` for all others."""
    number = pd.api.types.is_numeric_dtype(cells.dtype) and not pd.api.types.is_bool_dtype(cells.dtype)
    try:
        return Kind(kinds.get(name, Kind.NUMBER if number else otherwise))
    except ValueError:
        raise InputRejected(f"The kind of '{name}' is unknown.", f"Use one of {', '.join(Kind)}.") from None


def inferred_spec(
    cells: pd.Series, name: str, role: Role, kinds: Mapping[str, str], hierarchies: Mapping[str, Any], harmless: Sequence[Any] = ()
) -> ColumnSpec:
    """`hierarchies` by name, as Hierarchy, frame, rows, {widths: […]} or {mask: …}; `harmless` are the values that are not sensitive."""
    kind = inferred_kind(cells, name, kinds)
    levels: tuple[str, ...] = ()
    if "levels" in kind.rules.required:
        if not (isinstance(cells.dtype, pd.CategoricalDtype) and cells.dtype.ordered):
            raise InputRejected(f"The levels of '{name}' are not known.", "Give an ordered pandas Categorical, lowest level first.")
        levels = tuple(str(level) for level in cells.dtype.categories)
    hierarchy = given_hierarchy(hierarchies.get(name), cells, kind, name)
    unlisted = frozenset(_as_encoded(value, kind, name) for value in harmless)
    bands = given_year_bands(hierarchies.get(name), kind, name)
    return ColumnSpec(name, kind, role, levels=levels, hierarchy=hierarchy, nonsensitive=unlisted, year_bands=bands)


def given_hierarchy(given: Any, cells: pd.Series, kind: Kind, name: str) -> Hierarchy | None:
    """The hierarchy from a Hierarchy, frame, rows, {widths: […]} or {mask: …}; None stays None."""
    if given is None or isinstance(given, Hierarchy):
        return given
    if isinstance(given, Mapping) and kind.rules.calendar:
        return None  # not listed: `given_year_bands` reads it
    if isinstance(given, Mapping):
        return Hierarchy.from_rows(computed_hierarchy(given, cells.dropna().unique(), kind, name), name, described=given)
    table = given.to_numpy(dtype=object) if isinstance(given, pd.DataFrame) else given
    rows = list(table) if _listed(table) else []
    if not _listed(table) or not all(_listed(row) for row in rows):
        raise InputRejected(
            f"The hierarchy of '{name}' is not a table of levels.", "Read a file first: pd.read_csv(file, sep=';', header=None, dtype=str)."
        )
    return Hierarchy.from_rows([[str(cell) for cell in row] for row in rows], name)


def given_year_bands(given: Any, kind: Kind, name: str) -> tuple[int, ...]:
    """The years in each level between a year and everything, from {widths: […]} of a date."""
    if not isinstance(given, Mapping) or not kind.rules.calendar:
        return YEAR_BANDS
    if set(given) != {"widths"} or not nested(given["widths"]):
        raise InputRejected(f"The hierarchy of '{name}' does not say how many years go together.", f"Give {NESTED}.")
    return tuple(given["widths"])


def _listed(given: Any) -> bool:
    return isinstance(given, Iterable) and not isinstance(given, str)


def _as_encoded(value: Any, kind: Kind, name: str) -> str | None:
    """A non-sensitive value as the encoder writes it: 2.0 is 2, a day is its number."""
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return None
    if kind.numeric:
        value = encode_column(pd.Series([value], dtype=object), ColumnSpec(name, kind, Role.SENSITIVE)).values[0]
    return value_text(value)


def check_text_names(names: Sequence[Any], columns: Sequence[Any]) -> None:
    """Refuses names that are not text: pandas numbers the columns of a frame that was made without names."""
    if any(not isinstance(name, str) or (name not in columns and name in map(str, columns)) for name in names):
        raise InputRejected("A column's name is not text.", "Rename the columns: frame.columns = frame.columns.astype(str).")


def absent_column(name: str, names: Sequence[str], where: str) -> InputRejected:
    same = [other for other in names if other.casefold() == name.casefold()]
    if same:
        return InputRejected(f"Column '{name}' is not in {where}.", f"Did you mean '{same[0]}'? Names are case-sensitive.")
    near = difflib.get_close_matches(name, names, 1)
    return InputRejected(f"Column '{name}' is not in {where}.", f"Did you mean '{near[0]}'?" if near else "Correct the name.")
