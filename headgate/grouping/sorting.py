"""A stable sort for the compiled loops. numba's own would be compiled anew in each of them, at seconds a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import loop

RUN = 16


@loop
def sorted_order(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places of the keys in rising order; equal keys keep their order. Insertion sort on runs, then merging."""
    order = np.empty(len(keys), dtype=np.int64)
    sort_into(keys, order, np.empty(len(keys), dtype=np.int64))
    return order


@loop
def sort_into(keys: NDArray[np.int64], order: NDArray[np.int64], spare: NDArray[np.int64]) -> None:
    """`sorted_order` for loops that make no arrays; `spare` is as long as `order`."""
    size = len(keys)
    for i in range(size):
        order[i] = i
    for begin in range(0, size, RUN):
        for i in range(begin + 1, min(begin + RUN, size)):
            one = order[i]
            key = keys[one]
            j = i - 1
            while j >= begin and keys[order[j]] > key:
                order[j + 1] = order[j]
                j -= 1
            order[j + 1] = one
    source, target, width = order, spare, RUN
    while width < size:
        for begin in range(0, size, 2 * width):
            middle, end = min(begin + width, size), min(begin + 2 * width, size)
            left, right = begin, middle
            for i in range(begin, end):
                if left < middle and (right >= end or keys[source[left]] <= keys[source[right]]):
                    target[i] = source[left]
                    left += 1
                else:
                    target[i] = source[right]
                    right += 1
        source, target = target, source
        width *= 2
    if size > RUN:
        order[:size] = source[:size]
