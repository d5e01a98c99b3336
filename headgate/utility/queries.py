"""Count queries (XColor §VI, DEFINITIONS §8): how wrong an analyst's counts become.

A query takes an interval on each of some quasi-identifiers and sensitive attributes, of length max(1, round(|A|·s^{1/q})) on the
ordered domain: every whole number or day of a declared domain, the distinct values of a `number`, the levels of an ordinal, the
categories in leaf order. The raw count is over the input rows, suppressed ones too; the estimate spreads each generalized cell
uniformly over the places it covers. A missing cell lies in no interval. Queries with raw count 0 are drawn again, and counted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from headgate.cells import CellReader, Everything, Missing, parse_cell
from headgate.columns import Column, Kind, Table
from headgate.distinct import distinct_rows
from headgate.errors import InputRejected, RequirementNotMet
from headgate.published import PublishedTable

REDRAWS_PER_QUERY = 20


@dataclass(frozen=True, eq=False)
class QueryError:
    mean: float
    median: float
    redrawn: int
    errors: NDArray[np.float64]  # |estimate − raw|/raw


@dataclass(frozen=True, eq=False)
class _Line:
    """An attribute's ordered domain, and where its input rows lie on it (−1 if missing)."""

    column: Column
    places: int
    rows: NDArray[np.int64]

    @property
    def whole(self) -> bool:
        return self.column.kind in (Kind.INTEGER, Kind.DATE)

    @property
    def first(self) -> int:
        return math.ceil(self.column.domain[0]) if self.column.domain is not None else 0


def count_query_error(
    table: Table, published: PublishedTable, qi_dimensions: int, sa_dimensions: int, selectivity: float, queries: int, seed: int
) -> QueryError:
    """`table` holds the input rows. Where a table has fewer attributes than dimensions are asked for, all of them are used; sets and
    vectors have no order and are never asked about, nor is an attribute that is missing in every row."""
    if not 0 < selectivity <= 1 or queries < 1 or qi_dimensions < 0 or sa_dimensions < 0:
        raise InputRejected("Count queries need a selectivity in (0, 1], one query or more, and no negative dimensions.", "Correct them.")
    found = {
        name: _line(table[name]) for name in (*published.cells, *published.sensitive) if table[name].kind not in (Kind.SET, Kind.VECTOR)
    }
    quasi = [name for name in published.cells if (found[name].rows >= 0).any()]
    sensitive = [name for name in published.sensitive if name in found and (found[name].rows >= 0).any()]
    lines = [found[name] for name in (*quasi, *sensitive)]
    wanted = (min(qi_dimensions, len(quasi)), min(sa_dimensions, len(sensitive)))
    if sum(wanted) == 0:
        raise RequirementNotMet("Query error", None, None, "A table needs attributes with values to count.", published.name)
    spread = _Spread.of(published, quasi, lines)
    raw_rows = np.stack([line.rows for line in lines])
    released = np.empty((len(sensitive), published.rows), dtype=np.int64)
    for i, name in enumerate(sensitive):
        released[i] = _released_places(published.sensitive[name], lines[len(quasi) + i])[spread.order]
    rng = np.random.default_rng(seed)
    sizes = np.array([line.places for line in lines], dtype=np.int64)
    errors, redrawn = np.empty(0), 0
    while len(errors) < queries:
        if redrawn > REDRAWS_PER_QUERY * queries:
            raise RequirementNotMet("Query error", None, None, "Nearly every query counts nobody; raise the selectivity.", published.name)
        chosen, low, high = _draw(rng, queries - len(errors), sizes, len(quasi), wanted, selectivity)
        raw = _raw_counts(raw_rows, chosen, low, high)
        some = raw > 0
        redrawn += int((~some).sum())
        estimate = _estimates(*spread.arrays, released, len(quasi), chosen[some], low[some], high[some])
        errors = np.append(errors, np.abs(estimate - raw[some]) / raw[some])
    return QueryError(float(errors.mean()), float(np.median(errors)), redrawn, errors)


def _line(column: Column) -> _Line:
    line = _Line(column, len(column.values), column.codes.astype(np.int64))
    if not line.whole or column.domain is None or len(column.values) == 0:
        return line
    places = np.append(column.values.astype(np.int64) - line.first, -1)
    return _Line(column, math.floor(column.domain[1]) - line.first + 1, places[column.codes])


def _released_places(column: Column, line: _Line) -> NDArray[np.int64]:
    """Released values on the input rows' line; a value that the input does not have is refused."""
    if line.whole:
        places = column.values.astype(np.int64) - line.first
    else:
        known = {value: place for place, value in enumerate(line.column.values.tolist())}
        places = np.array([known.get(value, -1) for value in column.values.tolist()], dtype=np.int64)
    used = np.unique(column.codes[column.codes >= 0])
    if ((places[used] < 0) | (places[used] >= line.places)).any():
        raise InputRejected(f"The released '{column.name}' holds values that the input does not.", "Publish the table again.")
    return np.append(places, -1)[column.codes]


@dataclass(frozen=True, eq=False)
class _Spread:
    """The published rows by distinct combination of cells, and each cell as runs of places."""

    order: NDArray[np.int64]  # rows, sorted by combination
    starts: NDArray[np.int64]  # of each combination in `order`
    combinations: NDArray[np.int64]  # × quasi-identifiers: a cell's number among all
    runs: NDArray[np.int64]  # of each cell: where its runs start
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    total: NDArray[np.float64]  # places that a cell covers

    @property
    def arrays(
        self,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        return self.starts, self.combinations, self.runs, self.low, self.high, self.total

    @classmethod
    def of(cls, published: PublishedTable, quasi: Sequence[str], lines: Sequence[_Line]) -> _Spread:
        spans: list[tuple[int, int]] = []
        runs, total, offsets = [0], [], [0]
        for name, line in zip(quasi, lines, strict=False):
            reader = CellReader(line.column)
            missing = bool((line.column.codes < 0).any())
            for text in published.cells[name].texts:
                covered, extra = _runs(text, reader, line, missing)
                spans += covered
                runs.append(len(spans))
                total.append(max(sum(high - low for low, high in covered) + extra, 1))
            offsets.append(len(total))
        codes = np.stack([published.cells[name].codes for name in quasi], axis=1) if quasi else np.zeros((published.rows, 0), np.int32)
        distinct, place = distinct_rows(codes)
        starts = np.searchsorted(np.sort(place), np.arange(len(distinct) + 1))
        ends = np.array(spans, dtype=np.int64).reshape(-1, 2)
        return cls(
            np.argsort(place, kind="stable"),
            starts.astype(np.int64),
            distinct.astype(np.int64) + np.array(offsets[:-1], dtype=np.int64),
            np.array(runs, dtype=np.int64),
            np.ascontiguousarray(ends[:, 0]),
            np.ascontiguousarray(ends[:, 1]),
            np.array(total, dtype=np.float64),
        )


def _runs(text: str, reader: CellReader, line: _Line, missing: bool) -> tuple[list[tuple[int, int]], int]:
    """Half-open runs of places that a cell covers, and 1 if missing is one more thing it may stand for."""
    match parse_cell(text):
        case Everything():
            return [(0, line.places)], int(missing)
        case Missing():
            return [], 1
    stretch = reader.interval(text)
    if stretch is not None and line.whole:
        low, high = max(math.ceil(stretch[0]) - line.first, 0), min(math.floor(stretch[1]) - line.first + 1, line.places)
        return ([(low, high)] if low < high else []), 0
    mask = reader.covers(text)
    places = np.flatnonzero(mask[:-1])
    if line.whole:
        places = line.column.values[places].astype(np.int64) - line.first
    breaks = np.flatnonzero(np.diff(places) > 1) + 1
    return [(int(run[0]), int(run[-1]) + 1) for run in np.split(places, breaks) if len(run)], int(mask[-1])


def _draw(
    rng: np.random.Generator, count: int, sizes: NDArray[np.int64], quasi: int, wanted: tuple[int, int], selectivity: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Attributes without repetition, and half-open intervals at uniform places."""
    ours = np.argsort(rng.random((count, quasi)), axis=1)[:, : wanted[0]]
    theirs = np.argsort(rng.random((count, len(sizes) - quasi)), axis=1)[:, : wanted[1]] + quasi
    chosen = np.concatenate([ours, theirs], axis=1)
    domain = sizes[chosen]
    length = np.clip(np.round(domain * selectivity ** (1 / sum(wanted))).astype(np.int64), 1, domain)
    low = np.floor(rng.random(chosen.shape) * (domain - length + 1)).astype(np.int64)
    return chosen, low, low + length


@numba.njit(cache=True, nogil=True)
def _raw_counts(rows: NDArray[np.int64], chosen: NDArray[np.int64], low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.int64]:
    out = np.zeros(len(chosen), np.int64)
    inside = np.empty(rows.shape[1], np.uint8)
    for query in range(len(chosen)):
        inside[:] = 1
        for i in range(chosen.shape[1]):
            places, a, b = rows[chosen[query, i]], low[query, i], high[query, i]
            for row in range(len(inside)):
                inside[row] &= (places[row] >= a) & (places[row] < b)
        out[query] = inside.sum()
    return out


@numba.njit(cache=True, nogil=True)
def _estimates(
    starts: NDArray[np.int64],
    combinations: NDArray[np.int64],
    runs: NDArray[np.int64],
    run_low: NDArray[np.int64],
    run_high: NDArray[np.int64],
    total: NDArray[np.float64],
    released: NDArray[np.int64],
    quasi: int,
    chosen: NDArray[np.int64],
    low: NDArray[np.int64],
    high: NDArray[np.int64],
) -> NDArray[np.float64]:
    out = np.zeros(len(chosen))
    inside = np.empty(released.shape[1], np.uint8)
    share = np.empty(len(starts) - 1)
    for query in range(len(chosen)):
        inside[:] = 1
        share[:] = 1.0
        for i in range(chosen.shape[1]):
            attribute, a, b = chosen[query, i], low[query, i], high[query, i]
            if attribute >= quasi:
                places = released[attribute - quasi]
                for row in range(len(inside)):
                    inside[row] &= (places[row] >= a) & (places[row] < b)
                continue
            for c in range(len(share)):
                if share[c] > 0.0:
                    cell, covered = combinations[c, attribute], 0
                    for run in range(runs[cell], runs[cell + 1]):
                        covered += max(0, min(b, run_high[run]) - max(a, run_low[run]))
                    share[c] *= covered / total[cell]
        for c in range(len(share)):
            if share[c] > 0.0:
                count = 0
                for row in range(starts[c], starts[c + 1]):
                    count += inside[row]
                out[query] += share[c] * count
    return out
