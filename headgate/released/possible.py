"""What a published cell may stand for, and how much of that meets conditions.

Values are spread evenly over what a cell covers (DEFINITIONS §8): over every whole number or day of the domain in it, over the length of an
interval of numbers, over the leaves under a node, over the members of a set. Everything (`*`) may also be missing: it counts as one more
value where the column shows missing cells. A missing cell meets no comparison.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.cells import EVERYTHING, Single, cell_refused, parse_cell
from headgate.core.columns import Column
from headgate.core.published_form.cell_reader import CellReader
from headgate.released.reader_conditions import Condition
from headgate.released.stretches import Size, Stretches, lengths, whole_numbers
from headgate.released.wanted import Wanted, wanted

Answer = tuple[bool, bool, float, Size | None]  # of one cell: must, may, share, and where the numbers that do lie


@dataclass(frozen=True, eq=False)
class Met:
    """For each distinct cell: whether it meets the conditions whatever it stands for, whether it may, and the share of what it may stand
    for that does. `low`, `high` and `mean` of that share, where the values are numbers, else NaN."""

    must: NDArray[np.bool_]
    may: NDArray[np.bool_]
    share: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    mean: NDArray[np.float64]

    @classmethod
    def of(cls, answers: Sequence[Answer]) -> Met:
        sizes = [(math.nan,) * 3 if size is None else (size.low, size.high, size.mean) for *_, size in answers]
        ends = np.array(sizes, dtype=np.float64).reshape(-1, 3)
        return cls(
            np.array([must for must, *_ in answers], dtype=bool),
            np.array([may for _, may, *_ in answers], dtype=bool),
            np.array([share for *_, share, _ in answers], dtype=np.float64),
            *(np.ascontiguousarray(ends[:, side]) for side in range(3)),
        )


def generalized_cells(column: Column, texts: Sequence[str], conditions: Sequence[Condition]) -> Met:
    """`column` is the domain of a quasi-identifier, `texts` its distinct published cells."""
    reader = CellReader(column)
    asked = wanted(column, reader, conditions)
    shows_missing = any(_says_missing(text) for text in texts)
    answer = _on_line if column.kind.numeric else _listed
    return Met.of([answer(text, reader, asked, shows_missing) for text in texts])


def exact_values(column: Column, conditions: Sequence[Condition]) -> Met:
    """A column whose cells are as in the source. One place per value, and a last one for missing."""
    asked = wanted(column, CellReader(column), conditions)
    if column.kind.numeric:
        numbers = column.values.astype(np.float64)
        met = np.array([asked.values and asked.stretches.holds(number) for number in numbers.tolist()], dtype=bool)
    else:
        numbers = _bits(column)
        met = asked.mask if asked.values else np.zeros(len(column.values), dtype=bool)
    met, numbers = np.append(met, asked.missing), np.append(numbers, np.nan)
    return Met(met, met, met.astype(np.float64), numbers, numbers, numbers)


def _bits(column: Column) -> NDArray[np.float64]:
    if column.origin is None:
        return np.full(len(column.values), np.nan)
    return column.values.astype(np.float64)


def _says_missing(text: str) -> bool:
    return text == "" or text.startswith("{|")


def _on_line(text: str, reader: CellReader, asked: Wanted, shows_missing: bool) -> Answer:
    if text == "":
        return asked.missing, asked.missing, float(asked.missing), None
    cell = _stretch_of(text, reader)
    if cell is None:
        return _of_points(Stretches.points(reader.column.values[reader.covers(text)[:-1]].tolist()), asked)
    whole, absent = reader.column.kind.rules.whole, text == EVERYTHING
    met = cell.within(asked.stretches) if asked.values else Stretches(())
    everything, inside = (whole_numbers(cell), whole_numbers(met)) if whole else (lengths(cell), lengths(met))
    if everything.empty:
        raise cell_refused()
    weight = float(absent and shows_missing and whole)
    if everything.amount > 0:
        share = (inside.amount + weight * asked.missing) / (everything.amount + weight)
    else:
        share = float(not inside.empty)
    must = inside.amount == everything.amount if whole else met == cell
    return must and (asked.missing or not absent), not inside.empty or (absent and asked.missing), share, inside


def _of_points(cell: Stretches, asked: Wanted) -> Answer:
    """Of a node that is a name and no interval: the numbers under it count alike."""
    if not cell.parts:
        raise cell_refused()
    met = cell.within(asked.stretches) if asked.values else Stretches(())
    return met == cell, bool(met.parts), len(met.parts) / len(cell.parts), lengths(met)


def _stretch_of(text: str, reader: CellReader) -> Stretches | None:
    """Inside the domain, which holds every published value."""
    low, high = reader.column.domain or (-math.inf, math.inf)
    if text == EVERYTHING:
        if math.isinf(low):
            raise cell_refused()
        return Stretches.closed(low, high)
    ends = reader.interval(text)
    return None if ends is None else Stretches.closed(*ends).within(Stretches.closed(low, high))


def _listed(text: str, reader: CellReader, asked: Wanted, shows_missing: bool) -> Answer:
    cell: Any = parse_cell(text)
    if asked.masked and isinstance(cell, Single) and cell.label not in reader.nodes:
        met = asked.meets_name(cell.label, reader)
        return met, met, float(met), None
    covered = reader.covers(text)
    places, absent = covered[:-1], bool(covered[-1])
    if not covered.any():
        raise cell_refused()
    inside = places & asked.mask if asked.values else np.zeros_like(places)
    sure, all_places = int(inside.sum()), int(places.sum())
    named = asked.named_under(inside if asked.negated else places & ~inside, reader) if asked.values else 0
    expected = sure - named if asked.negated else sure + named
    weight = int(absent and (shows_missing or text != EVERYTHING))
    must = sure == all_places and not (asked.negated and named) and (asked.missing or not absent)
    may = sure + named > 0 or (absent and asked.missing)
    return must, may, (expected + weight * asked.missing) / (all_places + weight), None
