"""From a column of cells to a dictionary-encoded Column: each distinct value is parsed once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from headgate.core.columns import MISSING, Codes, Column, Kind, Role, Table
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy

THREADS, MANY_ROWS = 4, 100_000  # columns at once, and the rows from which that is worth it
LARGEST_INTEGER = 2**53  # beyond it two whole numbers may be one float
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896  # 0001-01-01 and 9999-12-31


@dataclass(frozen=True)
class ColumnSpec:
    """What a policy (or a dtype) says of one attribute."""

    name: str
    kind: Kind
    role: Role
    domain: tuple[float, float] | None = None
    levels: tuple[str, ...] = ()  # ordinals, lowest first
    declared: tuple[str, ...] = ()  # categories and sets: the only values allowed, where the policy lists them
    hierarchy: Hierarchy | None = None
    separator: str = "|"
    nonsensitive: frozenset[str | None] = field(default_factory=frozenset)  # None stands for a missing cell
    absent_sensitive: bool = False  # sets: is *not* having a value sensitive too
    weight: float = 1.0
    metric: str | None = None
    components: tuple[str, ...] = ()  # vectors: the source columns
    origin: str | None = None  # bitmap columns: the set attribute they come from


def encode_column(cells: pd.Series | pd.DataFrame, spec: ColumnSpec) -> Column:
    """Cells are taken by position; index labels mean nothing. Refuses what the spec does not allow, naming no value."""
    if spec.kind is Kind.VECTOR:
        return _encode_vector(pd.DataFrame(cells), spec)
    if spec.kind is Kind.SET:
        listed: list[Any] = list(pd.Series(cells))
        cells = pd.Series([cell if pd.api.types.is_scalar(cell) else tuple(cell) for cell in listed], dtype=object)  # lists have no hash
    codes, found = factorize(pd.Series(cells), spec.name)
    distinct = np.asarray(as_written(found), dtype=object)
    if spec.kind.numeric:
        values: NDArray[Any] = _parse_numbers(distinct, spec)
        if spec.hierarchy is not None:
            return _encode_numeric_leaves(codes, values, spec, spec.hierarchy)
    elif spec.kind is Kind.SET:
        return _encode_set(codes, distinct, spec)
    else:
        values = np.array([_text(value) for value in distinct], dtype=object)
        codes, values = _blank_is_missing(codes, values)
    if spec.kind is Kind.ORDINAL:
        hierarchy = None if spec.hierarchy is None else spec.hierarchy.reordered(spec.levels, spec.name)
        return _encode_declared(codes, values, replace(spec, hierarchy=hierarchy), spec.levels)
    if spec.kind is Kind.CATEGORY and spec.declared:
        declared = _encode_declared(codes, values, spec, spec.declared)
        if spec.hierarchy is None:
            return declared
    if spec.kind is Kind.CATEGORY and spec.hierarchy is not None:
        cure = f"Correct the data, or {spec.hierarchy.cure}."
        return _encode_declared(codes, values, spec, tuple(spec.hierarchy.leaves), "hierarchy's leaves", cure)
    codes, values = _sorted_unique(codes, values)
    return _column(spec, codes, values)


def factorize(cells: pd.Series, name: str) -> tuple[Codes, Any]:
    """Equal cells alike, by position; the missing ones are −1, also a NaN that Arrow or a masked array holds as a value."""
    if isinstance(cells.dtype, pd.CategoricalDtype):
        cells = cells.astype(cells.cat.categories.dtype)
    try:
        found, distinct = pd.factorize(cells, use_na_sentinel=True)
    except TypeError:
        cure = "Declare kind: set, or write text, numbers or days."
        raise InputRejected(f"Column '{name}' has lists or the like for cells.", cure) from None
    codes: Codes = found.astype(np.int32)
    if _numpy_dtype(distinct).kind != "f":
        return codes, distinct
    held = ~np.isnan(np.asarray(distinct, dtype=np.float64))
    if held.all():
        return codes, distinct
    place = np.append(np.where(held, np.cumsum(held) - 1, MISSING), MISSING).astype(np.int32)
    return place[codes], distinct[held]


def _numpy_dtype(distinct: Any) -> np.dtype[Any]:
    return np.dtype(getattr(distinct.dtype, "numpy_dtype", distinct.dtype if isinstance(distinct.dtype, np.dtype) else object))


def as_written(distinct: Any) -> Any:
    """A narrow float stands for the shortest decimal that reads as it: 0.7, not 0.699999988079071, which is no neighbour of 0.8."""
    kind = _numpy_dtype(distinct)
    return np.asarray(distinct, dtype=kind).astype(str).astype(np.float64) if kind == np.float32 else distinct


def _text(value: Any) -> str:
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def _blank_is_missing(codes: Codes, values: NDArray[Any]) -> tuple[Codes, NDArray[Any]]:
    filled = np.array([not isinstance(value, str) or value.strip() != "" for value in values], dtype=bool)
    if filled.all():
        return codes, values
    place = np.append(np.where(filled, np.cumsum(filled) - 1, MISSING), MISSING).astype(np.int32)
    return place[codes], values[filled]


def _sorted_unique(codes: Codes, values: NDArray[Any]) -> tuple[Codes, NDArray[Any]]:
    """Two spellings that parse to one value ("1" and "1.0") become one code."""
    if len(values) == 0:
        return codes, values
    ordered, place = np.unique(values if values.dtype != object else values.astype(str), return_inverse=True)
    if values.dtype == object:
        ordered = ordered.astype(object)
    return np.append(place, MISSING).astype(np.int32)[codes], ordered


def _names_a_day(value: Any) -> bool:
    """A year or a month would be read as its first day."""
    return not isinstance(value, str | int | float) or re.match(r"\s*[+-]?\d{4}([-/]?)\d{2}\1\d{2}", str(value)) is not None


def _parse_numbers(distinct: NDArray[Any], spec: ColumnSpec) -> NDArray[Any]:
    blank = np.array([isinstance(value, str) and value.strip() == "" for value in distinct], dtype=bool)
    if blank.any():
        raise InputRejected(f"Column '{spec.name}' has blank cells that are not empty.", "Leave a missing cell empty.")
    if spec.kind is Kind.DATE:
        try:
            stamps = pd.to_datetime(pd.Series(distinct, dtype=object), format="ISO8601", errors="coerce", utc=False)
        except ValueError:  # several time zones
            stamps = pd.Series([pd.NaT] * len(distinct))
        stamps = stamps.where(np.array([_names_a_day(value) for value in distinct], dtype=bool))
        wrong = int(stamps.isna().sum())
        if wrong:
            raise InputRejected(
                f"Column '{spec.name}' has {wrong} distinct cells that are not dates.",
                "Write dates as YYYY-MM-DD.",
                [str(cell) for cell in distinct[stamps.isna()]],
            )
        whole = stamps.to_numpy(dtype="datetime64[D]")
        if (stamps.to_numpy(dtype="datetime64[ns]") != whole.astype("datetime64[ns]")).any():
            raise InputRejected(f"Column '{spec.name}' holds times of day.", "A date is a day: write YYYY-MM-DD.")
        days = whole.astype(np.int64)
        if len(days) and not _FIRST_DAY <= days.min() <= days.max() <= _LAST_DAY:
            raise InputRejected(f"Column '{spec.name}' has days before the year 1 or after 9999.", "Leave unknown days empty.")
        return days
    numbers = pd.to_numeric(pd.Series(distinct, dtype=object), errors="coerce").to_numpy(dtype=np.float64)
    wrong = int(np.isnan(numbers).sum())
    if wrong:
        raise InputRejected(
            f"Column '{spec.name}' has {wrong} distinct cells that are not numbers.",
            "Correct them, or declare another kind.",
            [str(cell) for cell in distinct[np.isnan(numbers)]],
        )
    if np.isinf(numbers).any():
        raise InputRejected(f"Column '{spec.name}' has infinite values.", "Give a finite number or leave the cell empty.")
    if beyond_floats(distinct, numbers):
        raise InputRejected(f"Column '{spec.name}' has whole numbers beyond 2^53.", "Declare kind: category, or rescale them.")
    if spec.kind is Kind.INTEGER:
        if (numbers != np.floor(numbers)).any():
            raise InputRejected(f"Column '{spec.name}' has numbers with a fraction.", "Declare kind: number.")
        if (np.abs(numbers) > LARGEST_INTEGER).any():
            raise InputRejected(f"Column '{spec.name}' has whole numbers beyond 2^53.", "Declare kind: category, or rescale them.")
        return numbers.astype(np.int64)
    return numbers


def beyond_floats(cells: Sequence[Any] | NDArray[Any], numbers: NDArray[np.float64]) -> bool:
    """Whether a whole number became its neighbour as a float: two values would be one, of a quasi-identifier two people, and closeness
    would not see them apart."""
    return any(_is_another(cells[place], numbers[place]) for place in np.flatnonzero(np.abs(numbers) >= LARGEST_INTEGER).tolist())


def _is_another(cell: Any, number: float) -> bool:
    try:
        return int(str(cell)) != int(number)
    except ValueError:  # written with a point or an exponent, so a float already
        return False


def _encode_declared(
    codes: Codes,
    values: NDArray[Any],
    spec: ColumnSpec,
    declared: Sequence[str],
    what: str = "declared values",
    cure: str = "Correct the data or declare the values in the policy.",
) -> Column:
    place = {value: code for code, value in enumerate(declared)}
    if len(place) != len(declared):
        raise InputRejected(f"The {what} of '{spec.name}' list a value twice.", "List every value once.")
    texts = [str(value) for value in values]
    found = np.array([place.get(text, place.get(text.strip(), MISSING)) for text in texts] + [MISSING], dtype=np.int32)
    outside = int((found[:-1] == MISSING).sum())
    if outside:
        rows = int(np.isin(codes, np.flatnonzero(found[:-1] == MISSING)).sum())
        raise InputRejected(
            f"Column '{spec.name}' has {outside} distinct values ({rows} rows) outside its {what}.",
            cure,
            [text for text, code in zip(texts, found[:-1], strict=True) if code == MISSING],
        )
    return _column(spec, found[codes], np.array(declared, dtype=object))


def _encode_numeric_leaves(codes: Codes, values: NDArray[Any], spec: ColumnSpec, hierarchy: Hierarchy) -> Column:
    """Numbers that generalize by a hierarchy: its leaves are the values, in ascending order."""
    if spec.kind is Kind.DATE:
        raise InputRejected(f"Column '{spec.name}' is a date with a hierarchy.", "Dates generalize by calendar; drop the hierarchy.")
    leaves = pd.to_numeric(pd.Series(hierarchy.leaves, dtype=object), errors="coerce").to_numpy(dtype=np.float64)
    new = np.isfinite(leaves)
    new[np.setdiff1d(np.arange(len(leaves)), np.unique(leaves, return_index=True)[1])] = False
    if not new.all():
        message = f"The leaves in the hierarchy of '{spec.name}' are not distinct numbers: leaf {int(new.argmin()) + 1} is no new one."
        raise InputRejected(message, "Write one line a number.")
    order = np.argsort(leaves)
    ordered = leaves[order].astype(values.dtype) if spec.kind is Kind.INTEGER else leaves[order]
    place = np.searchsorted(ordered, values)
    outside = values[ordered[np.minimum(place, len(ordered) - 1)] != values]
    if len(outside):
        raise InputRejected(
            f"Column '{spec.name}' has {len(outside)} distinct values outside the leaves of its hierarchy.",
            f"Correct the data, or {hierarchy.cure}.",
            [value_text(value) for value in outside],
        )
    # Leaves are published as numbers, so they are named so here too: a leaf 02 beside a node 2 would be one text for two things.
    named = [[value_text(value), *rest] for value, rest in zip(ordered, hierarchy.labels[order, 1:].tolist(), strict=True)]
    aligned = Hierarchy.from_rows(named, spec.name, file=hierarchy.file, described=hierarchy.described)
    return _column(replace(spec, hierarchy=aligned), np.append(place, MISSING).astype(np.int32)[codes], ordered)


def _encode_set(codes: Codes, distinct: NDArray[Any], spec: ColumnSpec) -> Column:
    """A cell is text split at the separator, or any iterable of values. An empty text is a missing set; an empty iterable, or the
    separator alone, is the empty set."""
    codes, distinct = _blank_is_missing(codes, distinct)
    members = [_members(cell, spec) for cell in distinct]
    if spec.declared:
        allowed = set(spec.declared)
        outside = {value for cell in members for value in cell} - allowed
        if outside:
            raise InputRejected(
                f"Column '{spec.name}' has {len(outside)} distinct values outside its declared values.",
                "Correct the data or declare the values in the policy.",
                sorted(outside),
            )
    ordered = sorted(set(members))
    place = {cell: code for code, cell in enumerate(ordered)}
    values = np.empty(len(ordered), dtype=object)
    values[:] = ordered
    codes = np.array([place[cell] for cell in members] + [MISSING], dtype=np.int32)[codes]
    return _column(spec, codes, values)


def _members(cell: Any, spec: ColumnSpec) -> tuple[str, ...]:
    parts = cell.split(spec.separator) if isinstance(cell, str) else [_text(part) for part in cell]
    return tuple(sorted({part.strip() for part in parts} - {""}))


def _encode_vector(cells: pd.DataFrame, spec: ColumnSpec) -> Column:
    matrix = np.column_stack(
        [pd.to_numeric(cells[name], errors="coerce").to_numpy(dtype=np.float64) for name in (spec.components or cells.columns)]
    )
    given = cells.notna().to_numpy()
    if (np.isnan(matrix) & given).any() or np.isinf(matrix).any():
        raise InputRejected(f"The components of '{spec.name}' hold cells that are not finite numbers.", "Correct the data.")
    missing = np.isnan(matrix).any(axis=1)
    if spec.metric == "total-variation":
        sums = matrix[~missing].sum(axis=1)
        if (np.abs(sums - 1.0) > 1e-6).any() or (matrix[~missing] < 0).any():
            raise InputRejected(
                f"The components of '{spec.name}' do not sum to 1 in every row.", "Use distance: lp, or give distributions."
            )
    values, place = np.unique(matrix[~missing], axis=0, return_inverse=True)
    codes = np.full(len(matrix), MISSING, dtype=np.int32)
    codes[~missing] = place
    return _column(spec, codes, values)


def _column(spec: ColumnSpec, codes: Codes, values: NDArray[Any]) -> Column:
    domain = spec.domain
    if spec.kind.numeric:
        observed = (float(values[0]), float(values[-1])) if len(values) else (0.0, 0.0)
        domain = observed if domain is None else (float(domain[0]), float(domain[1]))
        outside = int(((values < domain[0]) | (values > domain[1]))[codes[codes >= 0]].sum()) if len(values) else 0
        if outside:
            raise InputRejected(f"Column '{spec.name}' has {outside} rows outside its domain.", "Correct the data or widen the domain.")
    elif spec.kind is Kind.ORDINAL:
        domain = (0.0, float(max(len(values) - 1, 0)))
    sensitive = np.ones(len(values) + 1, dtype=bool)
    if spec.kind is Kind.SET and not spec.absent_sensitive:
        sensitive[:-1] = [bool(set(cell) - spec.nonsensitive) for cell in values]  # having a value is sensitive, not having it is not
    elif spec.kind is not Kind.SET and spec.nonsensitive:
        harmless = {value for value in spec.nonsensitive if value is not None}
        sensitive[:-1] = [value_text(value) not in harmless for value in values]
    sensitive[-1] = None not in spec.nonsensitive
    return Column(
        spec.name,
        spec.kind,
        codes.astype(np.int32),
        values,
        sensitive,
        domain,
        spec.hierarchy,
        spec.weight,
        spec.metric,
        origin=spec.origin,
        components=spec.components,
        separator=spec.separator,
    )


def value_text(value: Any) -> str:
    """How a value is written in a policy and in a published file."""
    return _text(value) if not isinstance(value, tuple) else "|".join(value)


def encode_table(frame: pd.DataFrame, specs: Mapping[str, ColumnSpec]) -> Table:
    """All attributes that are kept, in the order of the specs."""
    kept = [spec for spec in specs.values() if spec.role in (Role.QUASI, Role.SENSITIVE, Role.INSENSITIVE)]
    cells: list[pd.Series | pd.DataFrame] = []
    for spec in kept:
        wanted = list(spec.components) if spec.kind is Kind.VECTOR else [spec.name]
        lacking = [name for name in wanted if name not in frame.columns]
        if lacking:
            raise InputRejected(f"Column '{lacking[0]}' is not in the data.", "Correct the name in the policy or in the data.")
        cells.append(frame[wanted] if spec.kind is Kind.VECTOR else frame[spec.name])
    with ThreadPoolExecutor(THREADS if len(frame) >= MANY_ROWS else 1) as pool:
        columns = {spec.name: column for spec, column in zip(kept, pool.map(encode_column, cells, kept), strict=True)}

    def names(role: Role) -> tuple[str, ...]:
        return tuple(spec.name for spec in kept if spec.role is role)

    return Table(columns, names(Role.QUASI), names(Role.SENSITIVE), names(Role.INSENSITIVE))
