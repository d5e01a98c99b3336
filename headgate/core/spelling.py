"""Cells as a source spells them: equal cells become one code, blank cells are missing, and each distinct cell is parsed once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from unicodedata import category, normalize

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from headgate.core.errors import CellsRejected, InputRejected

Codes = NDArray[np.int32]
MISSING = -1
SMALL_RANGE = 2**16  # numbers
LARGEST_INTEGER = 2**53  # beyond this, two whole numbers may be the same float


def factorize(cells: pd.Series, name: str) -> tuple[Codes, Any]:
    """One code for equal cells, by position; missing cells are −1, including a NaN that Arrow or a masked array holds as a value."""
    if isinstance(cells.dtype, pd.CategoricalDtype):
        return _factorize_categories(cells, name)
    _require_no_zone(cells, name)
    try:
        place, distinct = pd.factorize(cells, use_na_sentinel=True)
    except (TypeError, NotImplementedError):  # Arrow's lists, structs and maps cannot be compared
        raise of_objects(name) from None
    codes: Codes = place.astype(np.int32)
    _require_readable(distinct, name)
    if _numpy_dtype(distinct).kind != "f":
        return codes, distinct
    return kept_values(codes, distinct, ~np.isnan(np.asarray(distinct, dtype=np.float64)))


def _factorize_categories(cells: pd.Series, name: str) -> tuple[Codes, Any]:
    """Only the categories that occur are looked at, in the order in which they do."""
    place, used = pd.factorize(cells.cat.codes.to_numpy())
    present = used >= 0
    own, distinct = factorize(pd.Series(cells.cat.categories.take(used[present])), name)
    codes = np.full(len(used), MISSING, dtype=np.int32)
    codes[present] = own
    return codes[place], distinct


def plain_cells(cells: pd.Series) -> pd.Series:
    """Each row with its own cell, where a column holds categories."""
    return cells.astype(cells.cat.categories.dtype) if isinstance(cells.dtype, pd.CategoricalDtype) else cells


def by_value(cells: pd.Series) -> tuple[Codes, NDArray[Any]] | None:
    """Codes of a column of numbers, and its distinct numbers, ascending; None where its type does not say that they are numbers. Nothing is
    kept of a cell but its number, so that millions of distinct ones take no more room than the column."""
    kind = _numpy_dtype(cells).kind
    if kind not in "iuf":
        return None
    plain = cells.to_numpy(_numpy_dtype(cells), na_value=np.nan if kind == "f" else 0)
    missing = np.isnan(plain) if kind == "f" else cells.isna().to_numpy(dtype=bool)
    known = plain[~missing] if missing.any() else plain
    places, distinct = _by_range(known) if kind != "f" and _is_dense(known) else _by_sorting(known)
    if len(known) == len(plain):
        return places, distinct
    codes = np.full(len(plain), MISSING, dtype=np.int32)
    codes[~missing] = places
    return codes, distinct


def _is_dense(numbers: NDArray[Any]) -> bool:
    """Whether a table of everything between the ends has no more places than there are numbers, or is small."""
    low, high = (int(numbers.min()), int(numbers.max())) if len(numbers) else (0, LARGEST_INTEGER)
    return high - low < max(len(numbers), SMALL_RANGE) and high <= LARGEST_INTEGER


def _by_range(numbers: NDArray[Any]) -> tuple[Codes, NDArray[Any]]:
    low = int(numbers.min())
    place = np.subtract(numbers, low, dtype=np.int64)
    occurs = np.zeros(int(place.max()) + 1, dtype=bool)
    occurs[place] = True
    codes = np.cumsum(occurs, dtype=np.int32) - np.int32(1)
    return codes[place], (np.flatnonzero(occurs) + low).astype(numbers.dtype)


def _by_sorting(numbers: NDArray[Any]) -> tuple[Codes, NDArray[Any]]:
    order = np.argsort(numbers)
    ordered = numbers[order]
    first = np.append(True, ordered[1:] != ordered[:-1])[: len(numbers)]
    codes = np.empty(len(numbers), dtype=np.int32)
    codes[order] = np.cumsum(first, dtype=np.int32) - np.int32(1)
    distinct = ordered[first]
    distinct[distinct == 0] = numbers[numbers == 0][:1]  # 0 is as the first row has it, −0.0 or 0.0
    return codes, distinct


def of_objects(name: str) -> InputRejected:
    return InputRejected(
        f"Column '{name}' has cells that are lists or other objects.", "Declare kind: set, or write text, numbers or days."
    )


def _require_no_zone(cells: pd.Series, name: str) -> None:
    """The day of a moment depends on where it is read: midnight in Berlin is the day before in UTC."""
    zone = getattr(cells.dtype, "tz", None) or getattr(getattr(cells.dtype, "pyarrow_dtype", None), "tz", None)
    if zone is not None:
        raise _zoned(name)


def _zoned(name: str) -> InputRejected:
    cure = "Take the day as it was there: frame[column].dt.tz_localize(None).dt.normalize()."
    return InputRejected(f"Column '{name}' holds timestamps with a time zone.", cure)


def _require_readable(distinct: Any, name: str) -> None:
    """Refuses cells that would be silently changed: moments of a time zone, numbers with an imaginary part, bytes, and texts with a NUL
    character, at which many programs end."""
    if not is_text(distinct) and _numpy_dtype(distinct).kind != "c":
        return
    types = set(map(type, distinct))
    if any(issubclass(one, datetime) for one in types) and any(getattr(value, "tzinfo", None) is not None for value in distinct):
        raise _zoned(name)
    if any(issubclass(one, complex | np.complexfloating) for one in types):
        raise InputRejected(f"Column '{name}' holds complex numbers.", "Give the real and the imaginary part as columns of their own.")
    if bytes in types:
        raise InputRejected(f"Column '{name}' holds bytes instead of text.", "Decode them: frame[column].str.decode('utf-8').")
    if str in types and any("\0" in value for value in distinct if isinstance(value, str)):
        raise InputRejected(f"Texts of '{name}' hold a NUL character.", "Remove it: frame[column].str.replace('\\0', '', regex=False).")


def kept_values(codes: Codes, values: Any, kept: NDArray[np.bool_]) -> tuple[Codes, Any]:
    """The values that are kept, renumbered; cells with any other value are missing."""
    if kept.all():
        return codes, values
    place = np.append(np.where(kept, np.cumsum(kept) - 1, MISSING), MISSING).astype(np.int32)
    return place[codes], values[kept]


def _numpy_dtype(distinct: Any) -> np.dtype[Any]:
    return np.dtype(getattr(distinct.dtype, "numpy_dtype", distinct.dtype if isinstance(distinct.dtype, np.dtype) else object))


def require_told_apart(values: Iterable[str], name: str) -> None:
    """Values that nobody can tell apart are one value for readers and several for every measure: a group in which everybody has the same
    illness would pass as diverse."""
    texts = set(values)
    strange = [text for text in texts if not text.isascii()]
    seen = {appearance(text) for text in strange} | (texts - set(strange))
    if len(seen) < len(texts):
        alike = [text for text in strange if (shown := appearance(text)) != text and shown in texts] or strange
        raise InputRejected(
            f"{len(texts) - len(seen):,} of the values of '{name}' look like another one: they hold invisible characters, or accents "
            "that are composed in another way.",
            "Write each value in one way: normalize the text to NFC, and remove invisible characters.",
            alike,
        )


def appearance(text: str) -> str:
    """As people see it: in normal form C, without what is not shown, and with one kind of blank."""
    seen = (" " if category(sign) == "Zs" else sign for sign in normalize("NFC", text) if category(sign) != "Cf")
    return normalize("NFC", "".join(seen))


def as_written(distinct: Any) -> Any:
    """The shortest decimal that reads as a narrow float: 0.7 instead of 0.699999988079071, which would be no neighbour of 0.8."""
    kind = _numpy_dtype(distinct)
    return np.asarray(distinct, dtype=kind).astype(str).astype(np.float64) if kind == np.float32 else distinct


def value_text(value: Any) -> str:
    """How a value is written in a policy and in a published file."""
    if isinstance(value, tuple):
        return "|".join(value)
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def blank_is_missing(codes: Codes, values: NDArray[Any]) -> tuple[Codes, NDArray[Any]]:
    return kept_values(codes, values, np.array([not is_blank(value) for value in values], dtype=bool))


def cells_rejected(
    codes: Codes, distinct: Sequence[Any] | NDArray[Any], wrong: NDArray[np.bool_], name: str, one: str, several: str, cure: str
) -> CellsRejected:
    """The refusal of all cells whose value is wrong. `distinct` holds the values that `codes` number, `wrong` has a flag for each."""
    rows = np.flatnonzero(np.append(wrong, False)[codes])
    return CellsRejected(name, (one, several), cure, rows.tolist(), [value_text(distinct[code]) for code in codes[rows]])


def is_text(distinct: Any) -> bool:
    """Whether values may be texts, by their type."""
    return _numpy_dtype(distinct).kind in "OSU"


def is_blank(value: Any) -> bool:
    return isinstance(value, str) and value.strip() == ""


def sorted_unique(codes: Codes, values: NDArray[Any]) -> tuple[Codes, NDArray[Any]]:
    """Two spellings that parse to one value ("1" and "1.0") become one code."""
    if len(values) == 0 or (values.dtype != object and bool((values[1:] > values[:-1]).all())):
        return codes, values
    ordered, place = np.unique(values if values.dtype != object else values.astype(str), return_inverse=True)
    if values.dtype == object:
        ordered = ordered.astype(object)
    return np.append(place, MISSING).astype(np.int32)[codes], ordered


def beyond_floats(cells: Sequence[Any] | NDArray[Any], numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which whole numbers became their neighbours as floats: two values would be one, of a quasi-identifier two people, and closeness
    would not see them apart."""
    beyond = np.abs(numbers) >= LARGEST_INTEGER
    beyond[beyond] = [_is_another(cells[place], numbers[place]) for place in np.flatnonzero(beyond).tolist()]
    return beyond


def _is_another(cell: Any, number: float) -> bool:
    try:
        return int(str(cell)) != int(number)
    except ValueError:  # written with a point or an exponent, so a float already
        return False
