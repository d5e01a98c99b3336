"""Proofs that no partition can keep a limit (DEFINITIONS §4): necessary conditions, sound but not complete.

A group of s rows holds at most f(s) mutually similar centres, so a clique of c of them needs groups whose f sum to c; and a centre
needs enough dissimilar rows in the table to fill the smallest group that could hold it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from headgate.columns import Column
from headgate.xcolor.compiled import Limits, compile_limits, similar
from headgate.xcolor.limits import NeighbourhoodLimit

EXACT_ROWS = 2_000  # up to here cap(n) is computed over all ways to divide n
SEEDS = 64  # values from which cliques are grown, and whose dissimilar rows are counted in large tables
LARGEST_CLIQUE = 1_000  # distinct values; growing stops there
SHOWN = 20  # values that a certificate names
ALL_DEGREES = 4_000  # distinct values up to which every row's dissimilar rows are counted


EVERY, FAITHFUL = "every partition", "faithful"


class Reason(StrEnum):
    CLIQUE = "too many similar rows"
    DISSIMILAR = "too few dissimilar rows"


@dataclass(frozen=True)
class Certificate:
    """Why a limit cannot be kept. `values` are data: for the steward's own terminal only, so they are left out of the text form.

    `rows` similar rows where at most `bound` fit (CLIQUE), or `rows` dissimilar ones where at least `bound` are needed (DISSIMILAR)."""

    reason: Reason
    limit: str
    columns: tuple[str, ...]
    rows: int
    bound: int
    share: float  # of the table's rows that are concerned
    refutes: str  # EVERY | FAITHFUL
    to_suppress: int | None  # no partition of fewer suppressed rows can exist
    values: tuple[Any, ...] = field(repr=False, default=())

    def sentence(self) -> str:
        """In words, without a data value."""
        if self.reason is Reason.CLIQUE:
            held = f"groups can hold {self.bound} of them ({self.limit})"
            return f"{self.rows} rows ({self.share:.1%}) have similar values of {', '.join(self.columns)}; {held}."
        return f"Some row has {self.rows} dissimilar rows by {', '.join(self.columns)}; it needs {self.bound} ({self.limit})."


def refute(limits: Sequence[NeighbourhoodLimit], k: int, columns: Sequence[Column] = ()) -> Certificate | None:
    """The first proof that some limit cannot be kept by any partition into groups of at least k; else one that refutes `faithful`."""
    named = {column.name: column for column in columns}
    lesser: Certificate | None = None
    for limit in limits:
        if limit.rows < k:
            continue
        found = _refute_one(limit, k, named)
        if found is not None and found.refutes == EVERY:
            return found
        lesser = lesser or found
    return lesser


def most_similar(allowed: NDArray[np.int64], rows: int, k: int) -> int:
    """cap(n): the most mutually similar centres that groups of sizes ≥ k summing to n can hold; an upper bound for large n."""
    if rows < k:
        return 0
    sizes = np.arange(k, rows + 1)
    if rows > EXACT_ROWS:
        return max(rows * int(f) // int(s) for f, s in _steepest(allowed, sizes))
    best = np.full(rows + 1, -1, dtype=np.int64)
    best[0] = 0
    for total in range(k, rows + 1):
        rest = best[total - sizes[: total - k + 1]]
        sums = np.where(rest >= 0, rest + allowed[sizes[: total - k + 1]], -1)
        best[total] = sums.max()
    return int(best[rows])


def most_similar_equitable(allowed: NDArray[np.int64], rows: int, k: int) -> int:
    """The same over the sizes of an equitable coloring: refutes `faithful` only."""
    classes = rows // k
    base, larger = rows // classes, rows % classes
    return int((classes - larger) * allowed[base] + (larger * allowed[base + 1] if larger else 0))


def _steepest(allowed: NDArray[np.int64], sizes: NDArray[np.int64]) -> list[tuple[int, int]]:
    """The (f, s) of the largest f(s)/s, compared in whole numbers."""
    near = np.argsort(-(allowed[sizes] / sizes), kind="stable")[:8]
    best = max(near, key=lambda i: Fraction(int(allowed[sizes[i]]), int(sizes[i])))
    return [(int(allowed[sizes[best]]), int(sizes[best]))]


def _refute_one(limit: NeighbourhoodLimit, k: int, columns: dict[str, Column]) -> Certificate | None:
    rows = limit.rows
    compiled = compile_limits([limit], rows)
    count = np.bincount(limit.value, minlength=len(limit.distinct)).astype(np.int64)
    clique = _largest_clique(compiled, limit, count)
    size = int(count[clique].sum())

    def crowded(bound: int, refutes: str, to_suppress: int | None) -> Certificate:
        values = _decoded(limit, clique, columns)
        return Certificate(Reason.CLIQUE, limit.name, limit.columns, size, bound, size / rows, refutes, to_suppress, values)

    cap = most_similar(limit.allowed, rows, k)
    if size > cap:
        return crowded(cap, EVERY, _fewest_suppressed(limit.allowed, rows, k, size))
    lonely = _too_similar_to_all(limit, compiled, count, k, columns)
    fair = most_similar_equitable(limit.allowed, rows, k)
    return crowded(fair, FAITHFUL, None) if lonely is None and size > fair else lonely


def _largest_clique(limits: Limits, limit: NeighbourhoodLimit, count: NDArray[np.int64]) -> NDArray[np.int64]:
    """Mutually similar values that are centres, with many rows: the best of a greedy search. Any clique proves what it proves."""
    weight = np.where(limit.centre, count, 0)
    seeds = np.argsort(-weight, kind="stable")[:SEEDS].astype(np.int64)
    seeds = seeds[weight[seeds] > 0]
    best, most = np.empty(0, dtype=np.int64), 0
    falling = np.argsort(-weight, kind="stable").astype(np.int64)
    for seed in seeds:
        clique = _grow_clique(limits, int(seed), falling, weight)
        size = int(weight[clique].sum())
        if size > most:
            best, most = clique, size
    return best


@numba.njit(cache=True, nogil=True)
def _grow_clique(limits: Limits, seed: int, falling: NDArray[np.int64], weight: NDArray[np.int64]) -> NDArray[np.int64]:
    members = np.empty(len(falling), dtype=np.int64)
    members[0] = seed
    size = 1
    for candidate in falling:
        if weight[candidate] == 0 or size >= LARGEST_CLIQUE:
            break
        if candidate == seed:
            continue
        fits = True
        for i in range(size):
            if not similar(limits, 0, candidate, members[i]):
                fits = False
                break
        if fits:
            members[size] = candidate
            size += 1
    return members[:size].copy()


@numba.njit(cache=True, nogil=True)
def _similar_rows(limits: Limits, values: NDArray[np.int64], count: NDArray[np.int64]) -> NDArray[np.int64]:
    totals = np.zeros(len(values), dtype=np.int64)
    for i in range(len(values)):
        for u in range(len(count)):
            if similar(limits, 0, values[i], u):
                totals[i] += count[u]
    return totals


def _too_similar_to_all(
    limit: NeighbourhoodLimit, limits: Limits, count: NDArray[np.int64], k: int, columns: dict[str, Column]
) -> Certificate | None:
    """A centre of a group of s has at least s − f(s) dissimilar rows beside it; for (ε, δ) at least ⌈δ(k−1)⌉."""
    sizes = np.arange(k, limit.rows + 1)
    possible = limit.allowed[sizes] > 0
    centres = np.flatnonzero(limit.centre & (count > 0)).astype(np.int64)
    if len(centres) == 0:
        return None
    needed = int((sizes - limit.allowed[sizes])[possible].min()) if possible.any() else limit.rows + 1
    if len(centres) > ALL_DEGREES:
        centres = centres[np.argsort(-count[centres], kind="stable")[:SEEDS]]
    different = limit.rows - _similar_rows(limits, centres, count)
    short = centres[different < needed]
    if len(short) == 0:
        return None
    concerned = int(count[short].sum())
    return Certificate(
        Reason.DISSIMILAR,
        limit.name,
        limit.columns,
        int(different.min()),
        needed,
        concerned / limit.rows,
        EVERY,
        None,
        _decoded(limit, short, columns),
    )


def _fewest_suppressed(allowed: NDArray[np.int64], rows: int, k: int, clique: int) -> int:
    """A lower bound on the suppressed rows: the least r for which the clique, all r taken from it, stays under the linear bound on cap.
    That bound is monotone in r, so halving finds it."""
    ((f, s),) = _steepest(allowed, np.arange(k, rows + 1))
    low, high = 1, rows
    while low < high:
        middle = (low + high) // 2
        if clique - middle <= (rows - middle) * f // s:
            high = middle
        else:
            low = middle + 1
    return low


def _decoded(limit: NeighbourhoodLimit, values: NDArray[np.int64], columns: dict[str, Column]) -> tuple[Any, ...]:
    """The values as the steward knows them; the first few."""
    if not all(name in columns for name in limit.columns):
        return ()
    found: list[Any] = []
    for value in values[:SHOWN].tolist():
        row = int(np.argmax(limit.value == value))
        codes = {name: int(columns[name].codes[row]) for name in limit.columns}
        cells = tuple(None if code < 0 else columns[name].values[code] for name, code in codes.items())
        found.append(cells[0] if len(cells) == 1 else cells)
    return tuple(found)
