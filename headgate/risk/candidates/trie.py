"""Counts the individuals who match a record by walking the dictionary's sorted rows, field by field.

Sorted rows are a trie: rows that begin alike are adjacent. Each cell is a few runs of codes, and binary search finds the rows of a run.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes
from headgate.core.compiling import inner, loop
from headgate.core.distinct import distinct_rows, rows_of_each
from headgate.risk.candidates.runs import Runs

THREADS, _ROWS_AT_ONCE = 2, 4096


@dataclass(frozen=True, eq=False)
class Trie:
    rows: Codes  # fields × distinct rows, in lexicographic order
    before: NDArray[np.int64]  # individuals in the rows before each, and all of them at last

    def count(self, wanted: Codes, runs: Runs, most: int) -> NDArray[np.int64]:
        """The number of individuals who match each combination of cells; −1 if the search would take more than `most` steps."""

        def part(start: int) -> NDArray[np.int64]:
            some = wanted[start : start + _ROWS_AT_ONCE]
            return np.asarray(_count(self.rows, self.before, some, runs.starts, runs.low, runs.high, most))

        with ThreadPoolExecutor(THREADS) as pool:
            return np.concatenate(list(pool.map(part, range(0, len(wanted), _ROWS_AT_ONCE))))


def trie_of(columns: Sequence[Codes]) -> Trie:
    """The trie of a dictionary with one row per individual. A search looks at the first column first."""
    distinct, place = distinct_rows(np.stack(columns, axis=1))
    sizes = rows_of_each(place, len(distinct))
    return Trie(np.ascontiguousarray(distinct.T), np.concatenate([[0], np.cumsum(sizes)]))


@loop
def _count(
    rows: Codes,
    before: NDArray[np.int64],
    wanted: Codes,
    starts: NDArray[np.int64],
    low: NDArray[np.int32],
    high: NDArray[np.int32],
    most: int,
) -> NDArray[np.int64]:
    last = len(rows) - 1
    at, stop, end = np.zeros(last + 1, np.int64), np.zeros(last + 1, np.int64), np.zeros(last + 1, np.int64)
    run = np.zeros(last + 1, np.int64)
    out = np.zeros(len(wanted), np.int64)
    for record in range(len(wanted)):
        total = steps = level = 0
        at[0], stop[0], end[0], run[0] = 0, 0, rows.shape[1], starts[wanted[record, 0]]
        while level >= 0:
            steps += 1
            if steps > most:
                total = -1
                break
            codes = rows[level]
            if at[level] < stop[level] and level < last:  # the next child: the rows that share its code
                first = at[level]
                at[level] = _first(codes, first + 1, stop[level], codes[first] + 1)
                level += 1
                at[level], stop[level], end[level], run[level] = first, first, at[level - 1], starts[wanted[record, level]]
            elif run[level] < starts[wanted[record, level] + 1] and stop[level] < end[level]:
                at[level] = _first(codes, stop[level], end[level], low[run[level]])
                stop[level] = _first(codes, at[level], end[level], high[run[level]])
                run[level] += 1
                if level == last:
                    total += before[stop[level]] - before[at[level]]
            else:
                level -= 1
        out[record] = total
    return out


@inner
def _first(codes: NDArray[np.int32], start: int, stop: int, code: int) -> int:
    """The first place from `start` on whose code is at least `code`, by doubling steps and then binary search."""
    step = 1
    while start + step < stop and codes[start + step - 1] < code:
        start += step
        step *= 2
    stop = min(stop, start + step)
    while start < stop:
        middle = (start + stop) >> 1
        if codes[middle] < code:
            start = middle + 1
        else:
            stop = middle
    return start
