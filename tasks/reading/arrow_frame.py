"""From Arrow tables to frames and back to plain arrays, in which nothing remains but the cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as compute

from headgate.core.cells import format_number
from headgate.core.errors import Defect, InputRejected
from tasks.runtime.wording import inside


def frame_of(table: pa.Table, where: str) -> pd.DataFrame:
    """Arrow-backed columns under a plain row count. Refuses cell types that no kind of attribute can have."""
    columns: dict[str, pd.Series] = {name: _series(table.column(name), name, where) for name in table.column_names}
    return pd.DataFrame(columns, index=pd.RangeIndex(table.num_rows), copy=False)


def coded_frame(table: pa.Table, where: str) -> pd.DataFrame:
    """The same for encoding alone: texts that lie in a dictionary, each once, stay there."""
    columns = {name: _categories(table.column(name)) for name in table.column_names if pa.types.is_dictionary(table.column(name).type)}
    others = {name: _series(table.column(name), name, where) for name in table.column_names if name not in columns}
    return pd.DataFrame({**columns, **others}, index=pd.RangeIndex(table.num_rows), copy=False)


def _categories(cells: pa.ChunkedArray) -> pd.Series:
    encoded = cells.combine_chunks()
    indices = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    categories = pd.Index(encoded.dictionary.to_pylist(), dtype=object)
    return pd.Series(pd.Categorical.from_codes(indices, categories=categories, validate=False), copy=False)


def texts_of(cells: pa.ChunkedArray, name: str, where: str) -> pa.ChunkedArray:
    """The cells as text, so that 7 in one format is "7" in another; an empty text is missing."""
    plain = _decoded(cells)
    if pa.types.is_string(plain.type):
        return plain
    if pa.types.is_floating(plain.type):
        # 7.0 is 7: a whole-number column with a missing cell often arrives as floats.
        listed = [None if cell is None or cell != cell else format_number(cell) for cell in plain.to_pylist()]
        return pa.chunked_array([pa.array(listed, type=pa.string())])
    if _nested(plain.type):
        raise InputRejected(f"Column '{name}' of {inside(where)} holds {_word(plain.type)} cells.", "Give text, numbers or dates.")
    return plain.cast(pa.string())


def trimmed_texts(cells: pa.ChunkedArray, name: str, where: str) -> pa.ChunkedArray:
    """As text without blanks around it; what was blank is missing."""
    trimmed = compute.utf8_trim_whitespace(texts_of(cells, name, where))
    return compute.if_else(compute.equal(trimmed, ""), None, trimmed)


def unique_keys(cells: pa.ChunkedArray, name: str, where: str) -> pa.Array:
    """The key of each row, without blanks around it: a person whose key is listed twice, once with a trailing blank, would count as two."""
    keys = trimmed_texts(cells, name, where).combine_chunks()
    missing, repeated = keys.null_count, len(keys.drop_null()) - len(keys.drop_null().unique())
    if missing or repeated:
        wrong = f"{where} has {missing:,} missing and {repeated:,} repeated cells in '{name}'."
        raise InputRejected(wrong, "Give exactly one row per person.")
    return keys


def _decoded(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    if pa.types.is_large_string(cells.type) or pa.types.is_string_view(cells.type) or pa.types.is_null(cells.type):
        cells = cells.cast(pa.string())
    if pa.types.is_string(cells.type):
        # An empty text is missing, as it is in a CSV.
        cells = compute.if_else(compute.equal(cells, ""), None, cells)
    return _as_written(cells) if pa.types.is_float32(cells.type) else cells


def _as_written(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """0.7 for a narrow float, and not the 0.699999988079071 that a wide one makes of it: then 0.8 is at 0.1. Each value is written once."""
    chunks = [chunk.dictionary_encode() for chunk in cells.chunks]
    wide = [pa.DictionaryArray.from_arrays(chunk.indices, chunk.dictionary.cast(pa.string()).cast(pa.float64())) for chunk in chunks]
    return pa.chunked_array([chunk.cast(pa.float64()) for chunk in wide], type=pa.float64())


def _nested(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind)
    )


def holds_lists(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _word(kind: pa.DataType) -> str:
    """The outer type alone: names inside a nested type come from the data."""
    return str(kind).partition("<")[0].partition("[")[0]


def _series(cells: pa.ChunkedArray, name: str, where: str) -> pd.Series:
    plain = _decoded(cells)
    kind = plain.type
    if holds_lists(kind):
        part = kind.value_type
        if pa.types.is_string(part) or pa.types.is_large_string(part) or pa.types.is_integer(part):
            return pd.Series(_tuples(plain), dtype=object)
    if _nested(kind) or pa.types.is_time(kind) or pa.types.is_duration(kind):
        raise InputRejected(
            f"Column '{name}' of {inside(where)} holds {_word(kind)} cells.", "Give text, numbers, dates, or lists for a set."
        )
    if pa.types.is_floating(kind):
        return pd.Series(plain.cast(pa.float64()).to_numpy(), copy=False)
    return pd.Series(pd.arrays.ArrowExtensionArray(plain), copy=False)


def _tuples(cells: pa.ChunkedArray) -> np.ndarray[Any, np.dtype[Any]]:
    sets = np.empty(len(cells), dtype=object)
    sets[:] = [None if cell is None else tuple(part for part in cell if part is not None) for cell in cells.to_pylist()]
    return sets


def plain_array(cells: Sequence[Any] | pd.Series, name: str) -> pa.Array:
    """Texts, whole numbers, numbers or dates, with nulls, built anew from the cells: no categories, index or metadata remain."""
    series = pd.Series(cells)
    if pd.api.types.is_bool_dtype(series.dtype):
        raise Defect(f"Column '{name}' of a published table holds truth values.", "Publish 0 and 1.")
    if isinstance(series.array, pd.arrays.IntegerArray):
        return pa.array(series.array)
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "iuf":
        numbers = series.to_numpy()
        return pa.array(numbers, mask=np.isnan(numbers) if series.dtype.kind == "f" else None)
    try:
        plain = pa.array(series.to_numpy(dtype=object), from_pandas=True)
    except (pa.ArrowException, OverflowError):
        plain = None
    if plain is None:
        raise Defect(f"Column '{name}' of a published table mixes kinds of cells.", "Publish texts, numbers or dates.")
    kind = plain.type
    if pa.types.is_null(kind):
        return plain.cast(pa.string())
    if pa.types.is_string(kind):
        return compute.if_else(compute.equal(plain, ""), None, plain)
    if pa.types.is_int64(kind) or pa.types.is_float64(kind) or pa.types.is_date32(kind):
        return plain
    raise Defect(f"Column '{name}' of a published table holds {_word(kind)} cells.", "Publish texts, numbers or dates.")
