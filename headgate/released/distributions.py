"""How the published values of a column are spread, and how far that moved from one release to another.

A generalized cell is spread evenly over what it covers (DEFINITIONS §8); `*` covers the whole domain. Two columns of numbers or days are
compared in equal stretches of what both hold, others value by value.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.core.calendar_parts import FIRST_DAY, LAST_DAY, format_day
from headgate.core.columns import Column
from headgate.core.published_form.bounds import all_ends
from headgate.core.published_form.cell_reader import CellReader
from headgate.core.published_form.published_table import PublishedCells
from headgate.core.units import amount_text

STRETCHES = 20
MISSING = "missing"
OTHERS = "all others"
BITS = {"1": "has it", "0": "does not have it"}  # of a set: each of its values is a column
LARGEST = 1e300
SAME = 12  # decimals: shares that differ by rounding alone changed alike


@dataclass(frozen=True, eq=False)
class Spread:
    """Rows by where their values lie: on stretches of a line (`low`, `high`, `on_line`), or at a value (`listed`). `unit`: what values of a
    line are: number, integer or date; empty for other columns."""

    unit: str
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    on_line: NDArray[np.float64]
    listed: Mapping[str, float]
    missing: float

    @property
    def rows(self) -> float:
        return float(self.on_line.sum()) + sum(self.listed.values()) + self.missing


@dataclass(frozen=True)
class Moved:
    """`total_variation`: the least share of the rows that would have to change their value for both to be alike. `place`: where the share
    of the rows changed most."""

    total_variation: float
    place: str
    before: float
    after: float


def spread_of_values(column: Column) -> Spread:
    """A column that is published as in the source."""
    counts = column.counts().astype(np.float64)
    if column.kind.numeric and column.origin is None:
        points = column.kind.rules.points(column)
        return Spread(column.kind.rules.storage, points, points, counts[:-1], {}, counts[-1])
    listed = dict(zip(column.kind.rules.texts(column), counts[:-1].tolist(), strict=True))
    if column.origin is not None:
        listed = {said: listed.get(bit, 0.0) for bit, said in BITS.items()}
    return _listed(listed, counts[-1])


def spread_of_cells(column: Column, cells: PublishedCells) -> Spread:
    """`column` is the domain of a quasi-identifier."""
    rows = np.bincount(cells.codes, minlength=len(cells.texts)).astype(np.float64)
    texts = [str(text) for text in cells.texts]
    if column.kind.numeric:
        ends = all_ends(texts, column)
        known = np.array([pair is not None for pair in ends], dtype=bool)
        low, high = (np.array([pair[side] for pair in ends if pair is not None], dtype=np.float64) for side in (0, 1))
        return Spread(column.kind.rules.storage, low, high, rows[known], {}, float(rows[~known].sum()))
    reader, values, missing = CellReader(column), column.kind.rules.texts(column), 0.0
    listed: Counter[str] = Counter()
    for text, many in zip(texts, rows.tolist(), strict=True):
        covered = reader.covers(text)
        places = np.flatnonzero(covered[:-1])
        if text == "" or (not len(places) and covered[-1]):
            missing += many
        elif not len(places):
            listed[text] += many
        for place in places.tolist() if text else ():
            listed[values[place]] += many / len(places)
    return _listed(listed, missing)


def _listed(listed: Mapping[str, float], missing: float) -> Spread:
    none = np.empty(0)
    return Spread("", none, none, none, {value: rows for value, rows in listed.items() if rows}, float(missing))


def moved(before: Spread, after: Spread) -> Moved | None:
    """None where they cannot be compared: a line with values that have no order, a column without rows, or numbers and days beyond all that
    can be computed with."""
    if before.unit != after.unit or not before.rows or not after.rows or not all(map(_within_reach, (before, after))):
        return None
    edges, values = _edges(before, after), list(dict.fromkeys([*before.listed, *after.listed]))
    old, new = (_shares(spread, values, edges) for spread in (before, after))
    most = int(np.argmax(np.round(np.abs(new - old), SAME)))
    place = [MISSING, *values, *_names(edges, before.unit)][most]
    return Moved(float(np.abs(new - old).sum()) / 2, place, float(old[most]), float(new[most]))


def _within_reach(spread: Spread) -> bool:
    first, last = (FIRST_DAY, LAST_DAY) if spread.unit == "date" else (-LARGEST, LARGEST)
    return bool((spread.low >= first).all() and (spread.high <= last).all())


def _shares(spread: Spread, values: Sequence[str], edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Missing, each value, each stretch between two edges."""
    below = [*(_rows_below(spread, edge) for edge in edges[1:-1]), *([float(spread.on_line.sum())] if len(edges) else [])]
    return np.array([spread.missing, *(spread.listed.get(value, 0.0) for value in values), *np.diff(below, prepend=0.0)]) / spread.rows


def _edges(before: Spread, after: Spread) -> NDArray[np.float64]:
    """Of equal stretches between round numbers; each takes its lower end. Whole numbers and days are not cut."""
    low, high = np.concatenate([before.low, after.low]), np.concatenate([before.high, after.high])
    if not len(low):
        return np.empty(0)
    first, last = float(low.min()), float(high.max())
    if before.unit == "date":
        return np.unique(np.floor(np.linspace(first, last + 1, STRETCHES + 1)))
    step = _round_step((last - first) / STRETCHES, before.unit != "number")
    start = math.floor(first / step)
    return np.arange(start, max(math.ceil(last / step), start) + 2, dtype=np.float64) * step


def _round_step(least: float, whole: bool) -> float:
    """1, 2 or 5 of a power of ten."""
    if least <= 0 or (whole and least <= 1):
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    return next(times * power for times in (1, 2, 5, 10) if times * power >= least)


def _rows_below(spread: Spread, edge: float) -> float:
    """Expected, where a stretch reaches across the edge."""
    end = spread.high if spread.unit == "number" else spread.high + 1  # whole numbers and days take a unit of the line each
    width = end - spread.low
    part = np.where(width > 0, np.clip((edge - spread.low) / np.where(width > 0, width, 1.0), 0, 1), spread.low < edge)
    return float(part @ spread.on_line)


def _names(edges: NDArray[np.float64], unit: str) -> list[str]:
    """What a person calls each stretch."""
    pairs = list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
    if unit == "number":
        return [f"{amount_text(low)} to {amount_text(high)}" for low, high in pairs]
    names = []
    for first, past in pairs:
        low, high = (format_day(int(end)) if unit == "date" else f"{end:.0f}" for end in (first, past - 1))
        names.append(low if low == high else f"{low} to {high}")
    return names


@dataclass(frozen=True)
class Beside:
    """Where the values of a column lie, in two tables: each place with its share of the rows of both. `total_variation` as in `Moved`."""

    total_variation: float
    places: tuple[tuple[str, float, float], ...]


def beside(before: Spread, after: Spread, least: int, most: int = STRETCHES) -> Beside | None:
    """Coarse enough to be told of a source: shares in steps of 1 %, or of `least` rows where these are more; places that hold less than a
    step in both are one, and beyond `most` places all the others are. None where the two cannot be compared."""
    if before.unit != after.unit or not before.rows or not after.rows or not all(map(_within_reach, (before, after))):
        return None
    edges, values = _edges(before, after), list(dict.fromkeys([*before.listed, *after.listed]))
    old, new = (_shares(spread, values, edges) for spread in (before, after))
    step = max(0.01, least / before.rows)
    names = [MISSING, *values, *_names(edges, before.unit)]
    told = [(name, round(was / step) * step, now) for name, was, now in zip(names, old, new, strict=True)]
    large = sorted((place for place, (_, was, now) in enumerate(told) if max(was, now) >= step), key=lambda place: -max(told[place][1:]))
    kept = set(large[:most])
    rest = [each for place, each in enumerate(told) if place not in kept and max(old[place], new[place]) > 0]
    shown = [each for place, each in enumerate(told) if place in kept]
    if rest:
        shown.append((OTHERS, max(0.0, 1 - sum(was for _, was, _ in shown)), max(0.0, 1 - sum(now for _, _, now in shown))))
    moved_rows = float(np.abs(new - old).sum()) / 2
    return Beside(math.ceil(moved_rows / 0.01 - 1e-9) * 0.01, tuple((name, float(was), float(now)) for name, was, now in shown))
