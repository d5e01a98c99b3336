"""Which row's cell stands for a person, by each rule; and sums. Equal cells have equal codes, greater ones greater codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from tasks.rows.people import NONE, People

LARGEST = 2**62  # so that what is added stays in 64 bits


@dataclass(frozen=True, eq=False)
class Chosen:
    """A row per person, NONE for people without one; `tied`: how many people have another cell at the same place of the order."""

    rows: NDArray[np.int64]
    tied: int = 0


def by_order(people: People, codes: NDArray[np.int64], order: NDArray[np.int64], last: bool) -> Chosen:
    """The first or last row whose cell is not missing."""
    rank = order if last else -order
    rows = people.sorted_rows(codes != NONE, rank)
    chosen = people.last_of_each(rows)
    beside = chosen[people.of_row[rows]]
    tied = (rank[rows] == rank[beside]) & (codes[rows] != codes[beside])
    return Chosen(chosen, len(np.unique(people.of_row[rows[tied]])))


def extreme(people: People, codes: NDArray[np.int64], largest: bool) -> Chosen:
    return Chosen(people.last_of_each(people.sorted_rows(codes != NONE, codes if largest else -codes)))


def most_frequent(people: People, codes: NDArray[np.int64]) -> Chosen:
    """Of several values that are equally frequent, the smallest."""
    rows = people.sorted_rows(codes != NONE, codes)
    if not len(rows):
        return Chosen(np.full(people.number, NONE, dtype=np.int64))
    begins = np.append(True, (people.of_row[rows][1:] != people.of_row[rows][:-1]) | (codes[rows][1:] != codes[rows][:-1]))
    starts = np.flatnonzero(begins)
    times = np.diff(np.append(starts, len(rows)))
    one_each = rows[starts]
    order = np.lexsort((-codes[one_each], times, people.of_row[one_each]))
    return Chosen(people.last_of_each(one_each[order]))


def sums(people: People, codes: NDArray[np.int64], numbers: Sequence[Decimal]) -> list[Decimal | None]:
    """Exact, whatever the order of the rows. Missing where a cell is: a sum of the others would only look like one."""
    places = max((-min(0, int(number.as_tuple().exponent)) for number in numbers), default=0)
    scaled = [_scaled(number, places) for number in numbers]
    most = max(map(abs, scaled), default=0)
    fits = most * max(1, len(codes)) < LARGEST
    values: NDArray[np.int64] | NDArray[np.object_] = np.array([*scaled, 0], dtype=np.int64 if fits else object)
    order = np.argsort(people.of_row, kind="stable")
    starts = np.searchsorted(people.of_row[order], np.arange(people.number))
    added = np.add.reduceat(values[codes][order], starts)
    complete = people.present(codes) == people.sizes()
    return [_decimal(int(number), places) if whole else None for number, whole in zip(added.tolist(), complete, strict=True)]


def _scaled(number: Decimal, places: int) -> int:
    """Without Decimal's own arithmetic, which rounds to 28 digits."""
    sign, digits, exponent = number.as_tuple()
    whole = int("".join(map(str, digits))) * int(10 ** (int(exponent) + places))
    return -whole if sign else whole


def _decimal(number: int, places: int) -> Decimal:
    return Decimal((int(number < 0), tuple(map(int, str(abs(number)))), -places))


def members(people: People, codes: NDArray[np.int64], sets: Sequence[frozenset[str]]) -> list[frozenset[str] | None]:
    """The union of each person's sets; missing where all are."""
    united: list[frozenset[str] | None] = [None] * people.number
    rows = people.sorted_rows(codes != NONE, codes)
    owners, values = people.of_row[rows], codes[rows]
    different = np.append(True, (owners[1:] != owners[:-1]) | (values[1:] != values[:-1])) if len(rows) else np.zeros(0, dtype=bool)
    for person, code in zip(owners[different].tolist(), values[different].tolist(), strict=True):
        before = united[person]
        united[person] = sets[code] if before is None else before | sets[code]
    return united
