"""Distinct rows of codes: what repeats is looked at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.columns import Codes


def distinct_rows(codes: Codes) -> tuple[Codes, NDArray[np.int32]]:
    """The distinct rows, in lexicographic order, and for every row its place among them."""
    rows, width = codes.shape
    if width == 0 or rows == 0:
        return codes[: min(rows, 1)], np.zeros(rows, dtype=np.int32)
    place = _dense(codes[:, 0])
    for column in range(1, width):
        digit = codes[:, column].astype(np.int64) + 1
        place = _dense(place * (int(digit.max()) + 1) + digit)
    first = np.full(int(place.max()) + 1, rows, dtype=np.int64)
    first[place[::-1]] = np.arange(rows - 1, -1, -1)
    return np.ascontiguousarray(codes[first]), place.astype(np.int32)


def _dense(keys: NDArray[Any]) -> NDArray[np.int64]:
    """Numbers 0, 1, 2 … in the order of the keys."""
    low = int(keys.min())
    span = int(keys.max()) - low + 1
    if span <= 4 * len(keys) + 1024:
        seen = np.zeros(span, dtype=np.int64)
        seen[keys - low] = 1
        return np.asarray((np.cumsum(seen) - 1)[keys - low])
    return np.unique(keys, return_inverse=True)[1].astype(np.int64)
