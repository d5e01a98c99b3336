"""Distinct rows of codes, so that repeated rows are processed once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes, Column
from headgate.core.compiling import loop
from headgate.core.errors import InputRejected
from headgate.core.hashing import numbered

LARGEST_KEY = 2**31 - 1
ROOM = 1024  # a table of keys may always have as many places, however few the rows


def distinct_rows(codes: Codes) -> tuple[Codes, NDArray[np.int32]]:
    """The distinct rows, in lexicographic order, and for every row its place among them."""
    rows, width = codes.shape
    if width == 0 or rows == 0:
        return codes[: min(rows, 1)], np.zeros(rows, dtype=np.int32)
    place = places(codes[:, column] for column in range(width))
    first, _ = firsts_and_sizes(place)
    return np.ascontiguousarray(codes[first]), place


def joint_values(columns: Sequence[Column]) -> tuple[Codes, NDArray[np.int32], NDArray[np.bool_]]:
    """The distinct rows of several attributes, for every row its place among them, and which of them hold a sensitive value."""
    distinct, place = distinct_rows(np.stack([column.codes for column in columns], axis=1))
    return distinct, place, np.any([column.sensitive[distinct[:, i]] for i, column in enumerate(columns)], axis=0)


def places(columns: Iterable[Codes]) -> NDArray[np.int32]:
    """Each row's place among the distinct rows in lexicographic order: numbers 0, 1, 2 …

    Columns are multiplied into one key per row, in place, as long as a table of all keys is no larger than four times the rows; then the
    keys that occur are renumbered. Where that table would be too large, a hash table collects them and only distinct keys are sorted."""
    keys, room = None, 1
    for column in columns:
        if keys is None:
            keys = np.zeros(len(column), dtype=np.int32)
        if len(column) == 0:
            continue
        low, high = ends(column)
        span, most = high - low + 1, min(4 * len(column) + ROOM, LARGEST_KEY)
        if room * span > most:
            room = _number(keys, np.zeros(room, dtype=np.int32))
        if room * span <= most:
            _append(keys, column, low, span)
            room *= span
        else:
            room = _number_pairs(keys, column, low, span)
    if keys is None:
        raise InputRejected("Rows cannot be numbered without a column.", "Name at least one.")
    _number(keys, np.zeros(room, dtype=np.int32))
    return keys


def firsts_and_sizes(place: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The first row of each number 0, 1, 2 …, −1 where there is none, and how many rows have it."""
    sizes = rows_of_each(place, ends(place)[1] + 1)
    return np.asarray(_firsts(place, len(sizes))), np.asarray(sizes)


@loop
def _firsts(place: NDArray[np.int32], many: int) -> NDArray[np.int32]:
    """Looks no further than the last number's first row, which is near the start where numbers repeat."""
    first = np.full(many, -1, np.int32)
    left = many
    for row in range(len(place)):
        if first[place[row]] < 0:
            first[place[row]] = row
            left -= 1
            if left == 0:
                break
    return first


@loop
def rows_of_each(place: NDArray[np.int32], many: int) -> NDArray[np.int64]:
    """How many rows have each of the numbers 0, 1, 2 … below `many`."""
    sizes = np.zeros(many, np.int64)
    for number in place:
        sizes[number] += 1
    return sizes


@loop
def ends(column: NDArray[np.int32]) -> tuple[int, int]:
    """Least and greatest code, in one pass."""
    low = high = column[0]
    for code in column:
        low, high = min(low, code), max(high, code)
    return int(low), int(high)


@loop
def _append(keys: NDArray[np.int32], column: NDArray[np.int32], low: int, span: int) -> None:
    for row in range(len(keys)):
        keys[row] = keys[row] * span + (column[row] - low)


@loop
def _number(keys: NDArray[np.int32], marks: NDArray[np.int32]) -> int:
    """Numbers the keys that occur, in their order and in place; returns how many there are."""
    for key in keys:
        marks[key] = 1
    number = 0
    for key in range(len(marks)):
        is_marked = marks[key]
        marks[key] = number
        number += is_marked
    for row in range(len(keys)):
        keys[row] = marks[keys[row]]
    return number


def _number_pairs(keys: NDArray[np.int32], column: Codes, low: int, span: int) -> int:
    """Numbers the pairs of key and code in their order, in place; returns how many there are. Only distinct pairs are sorted."""
    pairs = _pairs(keys, column, low, span)
    place, first, _ = numbered(pairs)
    pairs = pairs[first]  # no longer those of all rows
    rank = np.empty(len(first), dtype=np.int32)
    rank[np.argsort(pairs)] = np.arange(len(first), dtype=np.int32)
    _rename(keys, place, rank)
    return len(first)


@loop
def _pairs(keys: NDArray[np.int32], column: NDArray[np.int32], low: int, span: int) -> NDArray[np.int64]:
    pairs = np.empty(len(keys), np.int64)
    for row in range(len(keys)):
        pairs[row] = np.int64(keys[row]) * span + (column[row] - low)
    return pairs


@loop
def _rename(keys: NDArray[np.int32], place: NDArray[np.int32], rank: NDArray[np.int32]) -> None:
    for row in range(len(keys)):
        keys[row] = rank[place[row]]
