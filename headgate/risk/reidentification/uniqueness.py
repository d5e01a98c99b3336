"""Sample uniques and special uniques (Elliot, Manning, Mayes, Gurd, Bane 2005, SUDA; Manning, Haglin, Keane 2008, SUDA2).

A row is a sample unique if no other row has its combination of quasi-identifiers. A minimal sample unique (MSU) of a row is a set of one
or more attributes on which it is unique in the sample while it is unique on none of its smaller parts. Few attributes and many MSUs make a
row special: its score is the sum over its MSUs of ∏_{i=k}^{L} (M − i), k the MSU's size, M the number of attributes, L the largest size
looked for, at most M − 1 (the factor M − M would make every score 0). Missing is a value of its own.

Whoever is unique on a set is unique on every larger one. So only rows that are alone in their whole combination are followed, one
bit each, and a set is minimal where its bit is set and the bits of its subsets with one attribute less are not.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import MISSING, Codes, Column
from headgate.core.compiling import loop
from headgate.core.distinct import ROOM, ends, firsts_and_sizes, places
from headgate.core.errors import InputRejected
from headgate.core.hashing import numbered, slot_of
from headgate.counting.figure import Bound, Figure, Shortfall
from headgate.risk.reidentification.prosecutor import sizes_of_readings

LARGEST = 3  # attributes of a special unique
_KEYS = 2**62  # whole numbers below this name a combination of values
_DENSE = 64  # bytes per combination that a table of all keys may take; beyond that, keys are hashed
_ROOM = 65_536


@dataclass(frozen=True, eq=False)
class SampleUniques:
    figure: Figure  # per group 1 if one row is alone there, else 0; at most so much is wanted
    count: int  # in the reading in which more rows are alone
    share: float

    @property
    def per_group(self) -> NDArray[np.bool_]:
        return self.figure.per_group > 0

    def short_of(self, required: Any = 0) -> Shortfall:
        """The groups of one row, if `required` is below 1; otherwise none."""
        return self.figure.short_of(required)


@dataclass(frozen=True, eq=False)
class SpecialUniques:
    """The rows that have an MSU, ascending. All other rows have no MSU of these sizes, and score 0."""

    total: int  # rows of the table
    rows: NDArray[np.int32]
    counts: NDArray[np.int32]  # rows with an MSU × sizes: how many of 1, 2, … attributes
    scores: NDArray[np.float64]  # of the rows with an MSU
    sets: Mapping[tuple[str, ...], int]  # of how many rows each set of attributes is an MSU; only those of any
    sample_uniques: int  # rows alone in their whole combination
    weights: tuple[float, ...]  # what an MSU of 1, 2, … attributes adds to the score

    @property
    def figure(self) -> Figure:
        """The score of each row, of which at most a required score is allowed."""
        return Figure("SUDA score", Bound.AT_MOST, (self.per_row,), (np.ones(self.total, dtype=np.int64),))

    @property
    def per_row(self) -> NDArray[np.float64]:
        out = np.zeros(self.total)
        out[self.rows] = self.scores
        return out

    @property
    def max(self) -> float:
        return float(self.scores.max(initial=0.0))

    def short_of(self, required: Any) -> Shortfall:
        """The rows whose score exceeds the required maximum."""
        return self.figure.short_of(required)

    def contribution(self, attribute: str) -> float:
        """The part of the scores that comes from MSUs with this attribute; 0 if all scores are 0. The parts of several attributes
        overlap."""
        added = {names: rows * self.weights[len(names) - 1] for names, rows in self.sets.items()}
        whole = sum(added.values())
        return sum(score for names, score in added.items() if attribute in names) / whole if whole else 0.0


def sample_uniques(columns: Sequence[Column]) -> SampleUniques:
    """The sample uniques by these quasi-identifiers."""
    return sample_uniques_of([combinations([column.codes for column in columns])])


def sample_uniques_of(classes: Sequence[Codes]) -> SampleUniques:
    """The sample uniques of rows whose groups are known. Of two readings, the worse counts."""
    sizes = sizes_of_readings(classes)
    figure = Figure("sample uniques", Bound.AT_MOST, tuple((size == 1).astype(np.float64) for size in sizes), tuple(sizes))
    count = max(int((size == 1).sum()) for size in sizes)
    return SampleUniques(figure, count, count / len(classes[0]))


def combinations(codes: Sequence[Codes]) -> Codes:
    """The number 0, 1, 2 … of each row's combination, from one array of codes per quasi-identifier."""
    return _combinations(codes, _check(codes))[0]


def special_uniques(columns: Sequence[Column], largest: int = LARGEST) -> SpecialUniques:
    """The MSUs of up to `largest` of these quasi-identifiers."""
    if len({column.name for column in columns}) != len(columns):
        raise InputRejected("Two quasi-identifiers have the same name.", "Name each once.")
    return special_uniques_of({column.name: column.codes for column in columns}, largest)


def special_uniques_of(given: Mapping[str, Codes], largest: int = LARGEST) -> SpecialUniques:
    """The MSUs from the rows' codes by attribute name, such as `{name: cells.codes …}` of a published table."""
    names, columns = list(given), list(given.values())
    digits = _check(columns)
    if largest < 1:
        raise InputRejected("A special unique has at least one attribute.", "Give largest from 1 up.")
    attributes, rows = len(columns), len(columns[0])
    largest = min(largest, attributes)
    _, first, sizes = _combinations(columns, digits)
    # combinations of one row first: only they are candidates, but every one is counted; of two rows as of more
    order = np.argsort(sizes > 1, kind="stable")
    candidates = int((sizes == 1).sum())
    codes = [_renumbered(column[first[order]]) for column in columns]
    heads = np.minimum(sizes[order], 2).astype(np.uint8)
    counts = np.zeros((candidates, largest), dtype=np.int32)
    sets: dict[tuple[str, ...], int] = {}
    smaller: dict[tuple[int, ...], NDArray[np.uint8]] = {}
    for size in range(1, largest + 1):
        unique = {}
        for chosen in itertools.combinations(range(attributes), size):
            bits = np.packbits(_alone([codes[i] for i in chosen], heads, candidates))
            unique[chosen] = bits
            known = np.zeros_like(bits)
            for part in itertools.combinations(chosen, size - 1):
                known |= smaller.get(part, known)
            uniques = np.flatnonzero(np.unpackbits(bits & ~known, count=candidates))
            if len(uniques):
                sets[tuple(names[i] for i in chosen)] = len(uniques)
                counts[uniques, size - 1] += 1
        smaller = unique
    weights = suda_weights(attributes, largest)
    special = np.flatnonzero(counts.any(axis=1))
    where = first[order[special]]
    ascending = np.argsort(where)
    kept = counts[special[ascending]]
    return SpecialUniques(rows, where[ascending], kept, kept @ np.array(weights), sets, candidates, weights)


def suda_weights(attributes: int, largest: int) -> tuple[float, ...]:
    """∏_{i=k}^{L} (M − i) for k = 1, 2, … L."""
    end = min(largest, attributes - 1)
    return tuple(float(math.prod(attributes - i for i in range(size, end + 1))) for size in range(1, largest + 1))


def _check(columns: Sequence[Codes]) -> list[int]:
    """The number of codes that each column may have, missing included. Refuses columns that are not encoded."""
    if not columns:
        raise InputRejected("No quasi-identifier was named.", "Name at least one.")
    if len(columns[0]) == 0:
        raise InputRejected("The table has no rows to measure.", "Give a table with rows.")
    digits = []
    for column in columns:
        if len(column) != len(columns[0]):
            raise InputRejected("The columns have different numbers of rows.", "Give one code per row in each column.")
        low, high = ends(column) if np.issubdtype(column.dtype, np.integer) else (MISSING - 1, MISSING)
        if low < MISSING:
            raise InputRejected("A column is not encoded.", "Give codes from 0 up, −1 for missing.")
        digits.append(high + 2)
    return digits


def _combinations(columns: Sequence[Codes], digits: Sequence[int]) -> tuple[Codes, NDArray[np.int32], NDArray[np.int64]]:
    """The combination of each row as a number, and the first row and size of each combination. Keys are hashed if a table of all keys
    would be too large."""
    if math.prod(digits) <= 4 * len(columns[0]) + ROOM:
        place = places(columns)
        return place, *firsts_and_sizes(place)
    keys, span = columns[0].astype(np.int64) + 1, digits[0]
    for column, width in zip(columns[1:], digits[1:], strict=True):
        if span * width > _KEYS:  # short names for what there is so far
            keys = numbered(keys)[0].astype(np.int64)
            span = int(keys.max()) + 1
        keys = keys * width
        keys += column
        keys += 1
        span *= width
    return numbered(keys)  # type: ignore[no-any-return]


def _renumbered(column: Codes) -> Codes:
    """The codes renumbered without those that do not occur, so that tables of keys stay small."""
    place: Codes = numbered(column.astype(np.int64) + 1)[0]
    return place


def _alone(codes: list[Codes], heads: NDArray[np.uint8], candidates: int) -> NDArray[np.bool_]:
    """Which of the candidates, given by first row, share their values in these columns with no other row."""
    widths = [int(column.max()) + 1 for column in codes]
    if math.prod(widths) > _KEYS:
        head = np.zeros(len(heads), dtype=np.int64)
        for column, width in zip(codes, widths, strict=True):
            head = numbered(head * width + column)[0].astype(np.int64)
        codes, widths = [head.astype(np.int32)], [int(head.max()) + 1]
    scales = np.cumprod(np.array([1, *widths], dtype=np.int64))
    table = np.ascontiguousarray(np.stack(codes))
    if scales[-1] <= _DENSE * len(heads) + _ROOM:
        return np.asarray(_alone_dense(table, scales, heads, candidates))
    return np.asarray(_alone_hashed(table, scales, heads, candidates))


@loop
def _alone_dense(codes: NDArray[np.int32], scales: NDArray[np.int64], heads: NDArray[np.uint8], candidates: int) -> NDArray[np.bool_]:
    seen = np.zeros(scales[-1], np.uint8)
    for i in range(len(heads)):
        key = np.int64(0)
        for column in range(len(codes)):
            key += codes[column, i] * scales[column]
        seen[key] = min(seen[key] + heads[i], 2)
    out = np.empty(candidates, np.bool_)
    for i in range(candidates):
        key = np.int64(0)
        for column in range(len(codes)):
            key += codes[column, i] * scales[column]
        out[i] = seen[key] == 1
    return out


@loop
def _alone_hashed(codes: NDArray[np.int32], scales: NDArray[np.int64], heads: NDArray[np.uint8], candidates: int) -> NDArray[np.bool_]:
    """The same with hashed keys: each slot keeps the first combination with its key, and a second one strikes it out."""
    keys = np.zeros(len(heads), np.int64)
    for column in range(len(codes)):
        for i in range(len(heads)):
            keys[i] += codes[column, i] * scales[column]
    bits = 4
    while 1 << bits < 2 * len(heads):
        bits += 1
    slots = np.full(1 << bits, -1, np.int32)
    out = np.empty(candidates, np.bool_)
    for i in range(len(heads)):
        slot = slot_of(keys, slots, keys[i], bits)
        other = slots[slot]
        if i < candidates:
            out[i] = other < 0
        if other < 0:
            slots[slot] = i
        elif other < candidates:
            out[other] = False
    return out
