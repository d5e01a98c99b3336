"""The cells of published files, kept as codes: each distinct cell is written out once, however many parts a table has.

The texts of a column that are coded in the order in which they first occur are equal exactly if the cells are: so formats are compared."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from headgate.core.errors import InputRejected
from tasks.reading.arrow_frame import frame_of, texts_of
from tasks.reading.distinct_cells import NONE, narrowest, places_of
from tasks.reading.distinct_cells import coded_texts as column_of_texts
from tasks.runtime.input_limits import CELLS


def coded_texts(table: pa.Table, where: str) -> pa.Table:
    """The cells as texts, alike for all formats."""
    return pa.table({name: _coded(table.column(name), name, where) for name in table.column_names})


def _coded(cells: pa.ChunkedArray, name: str, where: str) -> pa.DictionaryArray:
    whole = cells.combine_chunks()
    if pa.types.is_dictionary(whole.type) or pa.types.is_nested(whole.type) or pa.types.is_null(whole.type):
        return texts_of(cells, name, where).combine_chunks().dictionary_encode()
    encoded = whole.dictionary_encode()
    texts = texts_of(pa.chunked_array([encoded.dictionary]), name, where).combine_chunks().dictionary_encode()
    return pa.DictionaryArray.from_arrays(texts.indices.take(encoded.indices), texts.dictionary)


def plain_texts(coded: pa.Table) -> pa.Table:
    """The texts themselves, for what is written of a whole table."""
    return pa.table({name: coded.column(name).cast(pa.string()).combine_chunks() for name in coded.column_names})


class JoinedParts:
    """A table that is read part by part. Of each part only codes stay; its columns must be those of the part before."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.sizes: list[int] = []
        self._schema: pa.Schema | None = None
        self._texts: dict[str, _JoinedColumn] = {}
        self._whole = pa.table({})
        self._frames: list[pd.DataFrame] = []

    def add(self, table: pa.Table, texts: pa.Table) -> None:
        """`texts` are the same cells, coded."""
        if not table.num_rows:
            raise InputRejected(f"A part of {self.where} has no rows.", "Publish the table again.")
        self._schema = self._schema or table.schema
        if table.schema != self._schema:
            raise InputRejected(f"The parts of {self.where} have different columns.", "Publish the table again.")
        CELLS.check((sum(self.sizes) + table.num_rows) * table.num_columns, self.where)
        self.sizes.append(table.num_rows)
        for name in texts.column_names:
            self._texts.setdefault(name, _JoinedColumn()).add(texts.column(name).combine_chunks())
        typed = [name for name in table.column_names if not pa.types.is_string(table.schema.field(name).type)]
        self._frames.append(frame_of(table.select(typed), self.where))

    def texts(self) -> pa.Table:
        """Of the whole table: each column has one list of its distinct texts. The codes of its parts are no longer kept."""
        if self._texts:
            self._whole = pa.table({name: self._texts.pop(name).cells() for name in list(self._texts)})
        return self._whole

    def frame(self, texts: pa.Table) -> pd.DataFrame:
        """Texts as categories, everything else as it is typed."""
        typed = self._frames[0] if len(self._frames) == 1 else pd.concat(self._frames, ignore_index=True)
        columns = {name: typed[name] if name in typed else _categories(texts.column(name)) for name in texts.column_names}
        return pd.DataFrame(columns, index=pd.RangeIndex(texts.num_rows), copy=False)


class _JoinedColumn:
    """Its parts as places among the distinct texts of all, in the narrowest numbers that hold them."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._places: list[NDArray[np.signedinteger]] = []

    def add(self, coded: pa.DictionaryArray) -> None:
        texts = coded.dictionary.to_pylist()
        new = np.array([*(self._numbers.setdefault(text, len(self._numbers)) for text in texts), NONE], dtype=np.int32)
        self._places.append(new[places_of(coded)].astype(narrowest(len(self._numbers))))

    def cells(self) -> pa.ChunkedArray:
        places = np.concatenate([np.zeros(0, np.int8), *self._places])
        self._places.clear()
        return column_of_texts(places, list(self._numbers))


def _categories(cells: pa.ChunkedArray) -> pd.Series:
    coded = cells.combine_chunks()
    codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return pd.Series(pd.Categorical.from_codes(codes, categories=pd.Index(coded.dictionary.to_pylist(), dtype=object)), copy=False)
