"""A table that is read part by part, and held in as little room as its cells need until they are encoded: texts once each, whole numbers in
the narrowest type that holds them. Which rows a part has never shows: what is gathered holds the same cells in the same order."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as compute
from numpy.typing import NDArray

from headgate.core.errors import InputRejected
from headgate.core.spelling import LARGEST_INTEGER
from tasks.formats.cell_texts import SOME, TYPED, typed_in
from tasks.reading.distinct_cells import NONE, coded_texts, narrowest, places_of
from tasks.reading.source import Source
from tasks.runtime.input_limits import DICTIONARY
from tasks.runtime.wording import inside

MANY = 2**16  # distinct texts from which a column may be held in another way
ENTRY = 100  # bytes that a distinct text costs beside its own
UNKNOWN = -2
WHOLE = (pa.int8(), pa.int16(), pa.int32(), pa.int64())


class NotNumbers(Exception):
    """A column of texts that were to be numbers has a cell that is none: it must be gathered again, as texts."""

    def __init__(self, column: str) -> None:
        super().__init__(column)
        self.column = column


def gathered(source: Source, columns: Sequence[str], numbers: Collection[str] = ()) -> pa.Table:
    """These columns of a source. `numbers`: columns of which only the numbers matter that their texts are: where these are many, the texts
    are not kept."""
    by_value = set(numbers)
    while True:
        gathering = Gathering(source.name, by_value)
        try:
            for part in source.parts(columns):
                gathering.add(part)
            return gathering.table().select(list(columns))
        except NotNumbers as other:
            by_value.discard(other.column)


class Gathering:
    def __init__(self, where: str, numbers: Collection[str] = ()) -> None:
        self._where, self._numbers = where, numbers
        self._columns: dict[str, Gathered] = {}
        self._told: dict[str, set[bytes]] = {}

    def add(self, part: pa.Table) -> None:
        for name in part.column_names:
            cells = part.column(name)
            if name not in self._columns:
                self._columns[name] = _gathered(cells.type, name, self._where, name in self._numbers)
                self._told[name] = set()
            if cells.null_count < len(cells):
                self._told[name].add(typed_in(part, name))
            for chunk in cells.chunks:
                self._columns[name].add(chunk)

    def table(self) -> pa.Table:
        """All parts, one below the other. A part without a cell in a column says nothing of it."""
        arrays, fields = [], []
        for name, told in self._told.items():
            arrays.append(self._columns.pop(name).cells())
            typed = told.pop() if len(told) == 1 else SOME if told else b""
            fields.append(pa.field(name, arrays[-1].type, metadata={TYPED: typed}))
        return pa.table(arrays, pa.schema(fields))


class Gathered(Protocol):
    """The cells of one column so far."""

    def add(self, chunk: pa.Array) -> None: ...

    def cells(self) -> pa.ChunkedArray: ...


def _gathered(kind: pa.DataType, name: str, where: str, numbers: bool) -> Gathered:
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    if pa.types.is_string(plain) or pa.types.is_large_string(plain) or pa.types.is_string_view(plain):
        return _Texts(name, where, numbers)
    return _WholeNumbers(plain) if pa.types.is_integer(plain) else _AsTheyAre(plain)


class _AsTheyAre:
    def __init__(self, kind: pa.DataType) -> None:
        self._kind = kind
        self._chunks: list[pa.Array] = []

    def add(self, chunk: pa.Array) -> None:
        self._chunks.append(chunk.cast(self._kind))

    def cells(self) -> pa.ChunkedArray:
        return pa.chunked_array(self._chunks, self._kind)


class _WholeNumbers(_AsTheyAre):
    def add(self, chunk: pa.Array) -> None:
        plain = chunk.cast(self._kind)
        ends = compute.min_max(plain).as_py()
        self._chunks.append(plain.cast(_narrowest_of(ends["min"], ends["max"], self._kind)))

    def cells(self) -> pa.ChunkedArray:
        kinds = {chunk.type for chunk in self._chunks}
        wide = next((kind for kind in reversed(WHOLE) if kind in kinds), self._kind) if kinds <= {*WHOLE} else self._kind
        return pa.chunked_array([chunk.cast(wide) for chunk in self._chunks], wide)


def _narrowest_of(low: int | None, high: int | None, kind: pa.DataType) -> pa.DataType:
    if low is None or high is None:
        return WHOLE[0]
    return next((each for each in WHOLE if -(2 ** (each.bit_width - 1)) <= low and high < 2 ** (each.bit_width - 1)), kind)


class _Texts:
    """By their places among the distinct ones, in the order of their first rows. Where most are distinct, as they are; where they are
    numbers, by value."""

    def __init__(self, name: str, where: str, numbers: bool) -> None:
        self._name, self._where, self._numbers = name, where, numbers
        self._known: dict[str, int] = {}
        self._places: list[NDArray[np.signedinteger]] = []
        self._rows = self._bytes = 0
        self._otherwise: _AsTheyAre | None = None

    def add(self, chunk: pa.Array) -> None:
        if self._otherwise is not None:
            self._otherwise.add(self._as_numbers(chunk.cast(pa.string())) if self._numbers else chunk)
            return
        encoded = chunk if pa.types.is_dictionary(chunk.type) else chunk.cast(pa.string()).dictionary_encode()
        places, texts = places_of(encoded), encoded.dictionary.to_pylist()
        known = self._known
        new = np.array([known.get(text, UNKNOWN) if text else NONE for text in texts] + [NONE], dtype=np.int32)
        if (new == UNKNOWN).any():
            for each in pd.unique(places).tolist():  # some that no row has may stand in a file's dictionary
                if new[each] == UNKNOWN:
                    new[each] = known[texts[each]] = len(known)
                    self._bytes += len(texts[each]) + ENTRY
        self._places.append(new[places].astype(narrowest(len(known))))
        self._rows += len(places)
        if len(known) > MANY:
            self._hold_otherwise()

    def _hold_otherwise(self) -> None:
        numbers = _numbers_of(pa.array(self._known, pa.string())) if self._numbers else None
        self._numbers = numbers is not None
        if numbers is None and 2 * len(self._known) < self._rows:
            check_dictionary(self._bytes, self._name, self._where)
            return
        self._otherwise = _AsTheyAre(pa.string() if numbers is None else pa.float64())
        for places in self._places:
            indices = pa.array(places, mask=places == NONE)
            self._otherwise.add((pa.array(self._known, pa.string()) if numbers is None else numbers).take(indices))
        self._known, self._places = {}, []

    def _as_numbers(self, texts: pa.Array) -> pa.Array:
        numbers = _numbers_of(texts)
        if numbers is None:
            raise NotNumbers(self._name)
        return numbers

    def cells(self) -> pa.ChunkedArray:
        if self._otherwise is not None:
            return self._otherwise.cells()
        places = np.empty(self._rows, dtype=narrowest(len(self._known)))
        start = 0
        while self._places:
            piece = self._places.pop(0)
            places[start : start + len(piece)] = piece
            start += len(piece)
        return coded_texts(places, list(self._known))


def check_dictionary(size: int, name: str, where: str) -> None:
    """Refuses a column of which the distinct texts would take more room than they may."""
    if size > DICTIONARY.most:
        raise InputRejected(
            f"The different texts of column '{name}' of {inside(where)} take more than {DICTIONARY.most:,} bytes, the most that is held of "
            "one column.",
            "If they tell who somebody is, give the column role: identifier or dropped; else publish fewer values of it (map, bands). The "
            f"operator can set limits.{DICTIONARY.key} in operator.yaml, or {DICTIONARY.variable}, higher.",
        )


def check_texts(cells: pa.ChunkedArray, name: str, where: str) -> None:
    """The same for a column of which each cell holds its own text."""
    if pa.types.is_string(cells.type) and cells.nbytes + ENTRY * len(cells) > DICTIONARY.most:
        distinct = cells.unique()
        check_dictionary(distinct.nbytes + ENTRY * len(distinct), name, where)


def _numbers_of(texts: pa.Array) -> pa.Array | None:
    """None unless each text is a finite number that a float holds, written without anything else. −0 is known by its text alone."""
    try:
        cells = compute.if_else(compute.equal(texts, ""), None, texts).cast(pa.float64())
    except pa.ArrowInvalid:
        return None
    numbers = cells.drop_null().to_numpy(zero_copy_only=False)
    return cells if bool((np.abs(numbers) < LARGEST_INTEGER).all()) and not np.signbit(numbers[numbers == 0]).any() else None
