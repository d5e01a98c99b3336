"""Count queries (XColor §VI, DEFINITIONS §8): how wrong an analyst's counts become.

A query takes an interval on each of some quasi-identifiers and sensitive attributes, of length max(1, round(|A|·s^{1/q})) on the
ordered domain: every whole number or day of a declared domain, the distinct values of a `number`, the levels of an ordinal, the
categories in leaf order. The raw count is over the input rows, suppressed ones too; the estimate spreads each generalized cell
uniformly over the places it covers. A missing cell lies in no interval. Queries with raw count 0 are drawn again, and counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.core.bits import population
from headgate.core.cells import EVERYTHING
from headgate.core.columns import Column, Table
from headgate.core.compiling import dividing, loop, making
from headgate.core.distinct import distinct_rows
from headgate.core.errors import InputRejected, RequirementNotMet
from headgate.core.published_form.cell_reader import NOTHING, CellReader, ends_of
from headgate.core.published_form.published_table import PublishedTable
from headgate.core.seeds import checked_seed
from headgate.utility.mean_interval import Moments
from headgate.utility.row_sets import RowSets, keep_interval, sort_rows

REDRAWS_PER_QUERY = 20
CANNOT = "The error of count queries could not be measured"


@dataclass(frozen=True, eq=False)
class QueryError:
    mean: float
    median: float
    redrawn: int
    errors: NDArray[np.float64]  # |estimate − raw|/raw

    @property
    def moments(self) -> Moments:
        return Moments.of(self.errors)

    @property
    def interval(self) -> tuple[float, float]:
        """Of the mean, at 95 %: other queries of this kind would have given another."""
        return self.moments.interval


@dataclass(frozen=True, eq=False)
class _Line:
    """An attribute's ordered domain, and the place of each of its values on it."""

    column: Column
    places: int
    values: NDArray[np.int64]

    @property
    def whole(self) -> bool:
        return self.column.kind.rules.whole

    @property
    def first(self) -> int:
        return math.ceil(self.column.domain[0]) if self.column.domain is not None else 0


def count_query_error(
    table: Table, published: PublishedTable, qi_dimensions: int, sa_dimensions: int, selectivity: float, queries: int, seed: int
) -> QueryError:
    """The error of random count queries; `table` has the input rows. If a table has fewer attributes than dimensions are required, all
    of them are used. Sets and vectors have no order and are never queried; nor is an attribute that is missing in every row."""
    seed = checked_seed(seed)
    if not 0 < selectivity <= 1 or queries < 1 or qi_dimensions < 0 or sa_dimensions < 0:
        raise InputRejected("Count queries need a selectivity in (0, 1], one query or more, and no negative dimensions.", "Correct them.")
    quasi, sensitive = _asked_about(table, published.cells), _asked_about(table, published.sensitive)
    lines = [_line(table[name]) for name in (*quasi, *sensitive)]
    wanted = (min(qi_dimensions, len(quasi)), min(sa_dimensions, len(sensitive)))
    if sum(wanted) == 0:
        raise RequirementNotMet(f"{CANNOT} in {published.name}.", "A table needs attributes with values to count.", "query_error")
    released = [_released_places(published.sensitive[name], line) for name, line in zip(sensitive, lines[len(quasi) :], strict=True)]
    sizes = np.array([line.places for line in lines], dtype=np.int64)
    drawn = _draw_about_somebody(lines, sizes, table.rows, len(quasi), wanted, selectivity, queries, seed)
    if drawn is None:
        raise RequirementNotMet(f"{CANNOT} in {published.name}.", "Nearly every query counts nobody; raise the selectivity.", "query_error")
    spread = _Spread.of(published, quasi, lines)
    columns = [(published.sensitive[name].codes[spread.order], places) for name, places in zip(sensitive, released, strict=True)]
    rows = RowSets.of(columns, published.rows)
    estimate = _estimates(spread, rows, len(quasi), wanted[0], drawn.chosen, drawn.low, drawn.high)
    errors = np.abs(estimate - drawn.raw) / drawn.raw
    return QueryError(float(errors.mean()), float(np.median(errors)), drawn.redrawn, errors)


class _Drawn(NamedTuple):
    """Queries: attributes, and half-open intervals of each; and how many rows of the input are in them."""

    chosen: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    raw: NDArray[np.int64]
    redrawn: int


def _draw_about_somebody(
    lines: Sequence[_Line], sizes: NDArray[np.int64], rows: int, quasi: int, wanted: tuple[int, int], share: float, queries: int, seed: int
) -> _Drawn | None:
    """None where too many queries count nobody. The sets of input rows, 8 bytes per row and attribute, are let go before those of the
    released ones are made."""
    raw_rows = RowSets.of([(line.column.codes, line.values) for line in lines], rows)
    rng = np.random.default_rng(seed)
    drawn: list[tuple[NDArray[np.int64], ...]] = []
    enough = redrawn = 0
    while enough < queries:
        if redrawn > REDRAWS_PER_QUERY * queries:
            return None
        chosen, low, high = _draw(rng, queries - enough, sizes, quasi, wanted, share)
        raw = _counts(raw_rows, chosen, low, high)
        some = raw > 0
        redrawn += int((~some).sum())
        drawn.append((chosen[some], low[some], high[some], raw[some]))
        enough += int(some.sum())
    chosen, low, high, raw = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
    return _Drawn(chosen, low, high, raw, redrawn)


def _asked_about(table: Table, names: Iterable[str]) -> list[str]:
    return [name for name in names if table[name].kind.rules.single and (table[name].codes >= 0).any()]


def _line(column: Column) -> _Line:
    size = len(column.values)
    line = _Line(column, size, np.arange(size, dtype=np.int64))
    if not line.whole or column.domain is None or size == 0:
        return line
    return _Line(column, math.floor(column.domain[1]) - line.first + 1, column.values.astype(np.int64) - line.first)


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
    return places


@dataclass(frozen=True, eq=False)
class _Spread:
    """The published rows by distinct combination of cells, and each cell as runs of places."""

    order: NDArray[np.int32]  # rows, sorted by combination
    starts: NDArray[np.int64]  # of each combination in `order`
    combinations: NDArray[np.int32]  # quasi-identifiers × combinations: the cell's number within its attribute
    cells: NDArray[np.int64]  # of each attribute: where its cells start
    runs: NDArray[np.int64]  # of each cell: where its runs start
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    total: NDArray[np.float64]  # places that a cell covers

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
        starts = np.concatenate([[0], np.cumsum(np.bincount(place))])
        order = np.empty(published.rows, dtype=np.int32)
        sort_rows(place, starts[:-1].copy(), order)
        ends = np.array(spans, dtype=np.int64).reshape(-1, 2)
        return cls(
            order,
            starts,
            np.ascontiguousarray(distinct.T),
            np.array(offsets, dtype=np.int64),
            np.array(runs, dtype=np.int64),
            np.ascontiguousarray(ends[:, 0]),
            np.ascontiguousarray(ends[:, 1]),
            np.array(total, dtype=np.float64),
        )


def _runs(text: str, reader: CellReader, line: _Line, missing: bool) -> tuple[list[tuple[int, int]], int]:
    """The half-open runs of places that a cell covers, and 1 if the cell may also be missing."""
    if text == EVERYTHING:
        return [(0, line.places)], int(missing)
    if text == "":
        return [], 1
    # There may be as many cells as groups, so each stretch is parsed once.
    ends = _whole_places(text, reader, line) if line.whole else reader.places(text)
    if ends is not None:
        return ([ends] if ends[0] < ends[1] else []), 0
    covered = reader.ends(text)
    extra = int(len(covered) > 0 and covered[-1] > reader.size)
    codes = np.concatenate(
        [np.arange(first, min(past, reader.size)) for first, past in zip(covered[::2], covered[1::2], strict=True)] or [NOTHING]
    )
    found = ends_of(line.values[codes]).tolist()
    return list(zip(found[::2], found[1::2], strict=True)), extra


def _whole_places(text: str, reader: CellReader, line: _Line) -> tuple[int, int] | None:
    """All whole numbers or days of the domain, including those that no row has."""
    stretch = reader.interval(text)
    if stretch is None:
        return None
    return max(math.ceil(stretch[0]) - line.first, 0), min(math.floor(stretch[1]) - line.first + 1, line.places)


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


def _counts(rows: RowSets, chosen: NDArray[np.int64], low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.int64]:
    lows, highs = rows.ends(chosen, low), rows.ends(chosen, high)
    return np.asarray(_count_rows(rows.order, rows.marks, rows.before, lows.at, lows.mark, highs.at, highs.mark))


def _estimates(
    spread: _Spread,
    released: RowSets,
    quasi: int,
    dimensions: int,
    chosen: NDArray[np.int64],
    low: NDArray[np.int64],
    high: NDArray[np.int64],
) -> NDArray[np.float64]:
    """The first `dimensions` attributes of a query are quasi-identifiers, the others are sensitive."""
    theirs = chosen[:, dimensions:] - quasi
    lows, highs = released.ends(theirs, low[:, dimensions:]), released.ends(theirs, high[:, dimensions:])
    return np.asarray(
        _spread_counts(
            (spread.starts, spread.combinations, spread.cells),
            (spread.runs, spread.low, spread.high, spread.total),
            (chosen[:, :dimensions].copy(), low[:, :dimensions].copy(), high[:, :dimensions].copy()),
            (released.order, released.marks, released.before),
            (lows.at, lows.mark, highs.at, highs.mark),
        )
    )


@loop
def _count_rows(
    order: NDArray[np.int32],
    marks: NDArray[np.int64],
    before: NDArray[np.uint64],
    low_at: NDArray[np.int64],
    low_mark: NDArray[np.int64],
    high_at: NDArray[np.int64],
    high_mark: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Rows in all the intervals of each query."""
    out = np.zeros(len(low_at), np.int64)
    inside, work = np.empty(before.shape[1], np.uint64), np.empty(before.shape[1], np.uint64)
    for query in range(len(out)):
        inside[:] = ~np.uint64(0)
        for i in range(low_at.shape[1]):
            keep_interval(order, marks, before, low_at[query, i], low_mark[query, i], high_at[query, i], high_mark[query, i], work, inside)
        count = np.uint64(0)
        for word in range(len(inside)):
            count += population(inside[word])
        out[query] = count
    return out


@dividing
def _spread_counts(
    combinations: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]],
    cells: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]],
    intervals: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    rows: tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.uint64]],
    ends: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
) -> NDArray[np.float64]:
    """For each query, the sum over the combinations of cells: the share of their places that the query covers, times the rows with the
    queried sensitive values."""
    starts, numbers, first_cell = combinations
    runs, run_low, run_high, total = cells
    chosen, low, high = intervals
    order, marks, before = rows
    low_at, low_mark, high_at, high_mark = ends
    words = before.shape[1]
    out = np.zeros(len(chosen))
    inside, work = np.empty(words, np.uint64), np.empty(words, np.uint64)
    rank = np.empty(words + 1, np.int64)  # rows asked for before each word
    share, covered = np.empty(len(starts) - 1), np.empty(len(total))
    for query in range(len(out)):
        inside[:] = ~np.uint64(0)
        for i in range(low_at.shape[1]):
            keep_interval(order, marks, before, low_at[query, i], low_mark[query, i], high_at[query, i], high_mark[query, i], work, inside)
        rank[0] = 0
        for word in range(words):
            rank[word + 1] = rank[word] + np.int64(population(inside[word]))
        share[:] = 1.0
        for i in range(chosen.shape[1]):
            attribute, a, b = chosen[query, i], low[query, i], high[query, i]
            first = first_cell[attribute]
            for cell in range(first, first_cell[attribute + 1]):
                places = 0
                for run in range(runs[cell], runs[cell + 1]):
                    places += max(0, min(b, run_high[run]) - max(a, run_low[run]))
                covered[cell - first] = places / total[cell]
            for c in range(len(share)):
                share[c] *= covered[numbers[attribute, c]]
        for c in range(len(share)):
            if share[c] > 0.0:
                out[query] += share[c] * (_rows_before(rank, inside, starts[c + 1]) - _rows_before(rank, inside, starts[c]))
    return out


@making
def _rows_before(rank: NDArray[np.int64], inside: NDArray[np.uint64], row: int) -> np.int64:
    word, bit = row >> 6, row & 63
    if bit == 0:
        return np.int64(rank[word])
    return np.int64(rank[word]) + np.int64(population(inside[word] & ((np.uint64(1) << np.uint64(bit)) - np.uint64(1))))
