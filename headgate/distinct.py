"""Distinct rows of codes: what repeats is looked at once."""

from __future__ import annotations

from collections.abc import Iterable

import numba
import numpy as np
from numpy.typing import NDArray

from headgate.columns import Codes
from headgate.errors import InputRejected

ROOM = 1024  # a table of marks may always have as many places, however few the rows


def distinct_rows(codes: Codes) -> tuple[Codes, NDArray[np.int32]]:
    """The distinct rows, in lexicographic order, and for every row its place among them."""
    rows, width = codes.shape
    if width == 0 or rows == 0:
        return codes[: min(rows, 1)], np.zeros(rows, dtype=np.int32)
    place = places(codes[:, column] for column in range(width))
    first = np.full(int(place.max()) + 1, rows, dtype=np.int64)
    first[place[::-1]] = np.arange(rows - 1, -1, -1)
    return np.ascontiguousarray(codes[first]), place


def places(columns: Iterable[Codes]) -> NDArray[np.int32]:
    """Each row's place among the distinct rows in lexicographic order, from one column of codes after the other: numbers 0, 1, 2 …"""
    place: NDArray[np.int32] | None = None
    for column in columns:
        if len(column) == 0:
            return np.zeros(0, dtype=np.int32)
        before = np.zeros(len(column), dtype=np.int32) if place is None else place
        low = int(column.min())
        span = int(column.max()) - low + 1
        if (int(before.max()) + 1) * span <= 4 * len(column) + ROOM:
            place = _number(before, column, low, span, np.zeros((int(before.max()) + 1) * span, dtype=np.int32))
        else:
            keys = before.astype(np.int64) * span + (column - np.int64(low))
            place = np.unique(keys, return_inverse=True)[1].astype(np.int32)
    if place is None:
        raise InputRejected("There is no column to number rows by.", "Name at least one.")
    return place


@numba.njit(cache=True, nogil=True)
def _number(
    before: NDArray[np.int32], column: NDArray[np.int32], low: int, span: int, marks: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Two passes over the rows and one over all pairs that could occur."""
    for row in range(len(before)):
        marks[before[row] * span + column[row] - low] = 1
    number = 0
    for key in range(len(marks)):
        found = marks[key]
        marks[key] = number
        number += found
    out = np.empty(len(before), np.int32)
    for row in range(len(before)):
        out[row] = marks[before[row] * span + column[row] - low]
    return out
