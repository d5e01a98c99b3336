"""The cells of a column as places among its distinct texts: what is to be said of a text is worked out once, however many rows have it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from tasks.reading.arrow_frame import texts_of, trimmed_texts

NONE = -1  # the place of a missing cell
Places = NDArray[np.int32]


def distinct_texts(cells: pa.ChunkedArray, name: str, where: str) -> tuple[Places, list[str]]:
    """For each row the place of its text among the texts that occur, which stand in the order of their first rows, without blanks around
    them."""
    if not pa.types.is_dictionary(cells.type):
        encoded = trimmed_texts(cells, name, where).combine_chunks().dictionary_encode()
        return places_of(encoded), encoded.dictionary.to_pylist()
    encoded = cells.combine_chunks()
    return in_order(places_of(encoded), trimmed_texts(pa.chunked_array([encoded.dictionary]), name, where).to_pylist())


def untrimmed_texts(cells: pa.ChunkedArray, name: str, where: str) -> list[str]:
    """The distinct texts that occur, as they are written."""
    if not pa.types.is_dictionary(cells.type):
        return list(texts_of(cells, name, where).unique().drop_null().to_pylist())
    encoded = cells.combine_chunks()
    return in_order(places_of(encoded), texts_of(pa.chunked_array([encoded.dictionary]), name, where).to_pylist())[1]


def places_of(encoded: pa.DictionaryArray) -> NDArray[np.signedinteger]:
    """Of each cell in the dictionary."""
    indices = encoded.indices
    return np.asarray((indices.fill_null(NONE) if indices.null_count else indices).to_numpy(zero_copy_only=False))


def in_order(places: NDArray[np.signedinteger], texts: Sequence[str | None]) -> tuple[Places, list[str]]:
    """Equal texts get one place, in the order of their first rows; a text that no row has gets none."""
    numbers: dict[str, int] = {}
    new = np.full(len(texts) + 1, NONE, dtype=np.int32)
    for each in pd.unique(places).tolist():
        text = None if each == NONE else texts[each]
        if text is not None:
            new[each] = numbers.setdefault(text, len(numbers))
    return new[places], list(numbers)


def coded_texts(places: NDArray[np.signedinteger], texts: Sequence[str]) -> pa.ChunkedArray:
    """A column of which each cell is a place among distinct texts, in the narrowest numbers that hold it."""
    narrow = narrowest(len(texts))
    indices = pa.array(places.astype(narrow, copy=False), mask=places == NONE)
    return pa.chunked_array([pa.DictionaryArray.from_arrays(indices, pa.array(texts, pa.string()))])


def narrowest(many: int) -> type[np.signedinteger]:
    """Numbers in which so many things can be counted."""
    return next(kind for kind in (np.int8, np.int16, np.int32, np.int64) if many <= np.iinfo(kind).max)
