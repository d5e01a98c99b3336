"""Which published classes fit each person's quasi-identifiers: where every attack begins.

The attacker knows a person's own cells as the source has them, the missing ones too, so that the person's class is always among those that
fit. Classes are rows with the same published quasi-identifiers: the attacker cannot tell these rows apart. People are grouped by distinct
combination of cells, and never compared with records one by one: each value that one of them has, of each attribute, has a row of bits over
the classes, and rows are intersected.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import MISSING, Codes, Column
from headgate.core.compiling import loop
from headgate.core.distinct import distinct_rows, firsts_and_sizes
from headgate.core.errors import InputRejected
from headgate.core.published_form.cell_reader import NOTHING, CellReader
from headgate.core.published_form.published_table import PublishedCells, PublishedTable

UNSEEN = -2  # a person's value that the published column does not contain


@dataclass(frozen=True, eq=False)
class Matches:
    """`cell[person]` numbers combinations of source cells; those that fit the same classes by every attribute have one number. Combination
    c fits the classes that are set in all the rows wanted[c] of `bits`."""

    cell: Codes
    people: NDArray[np.int64]  # people with each combination
    wanted: NDArray[np.int64]
    bits: NDArray[np.uint64]
    classes: Codes  # the class of each published row
    sizes: NDArray[np.int64]  # rows of each class


def match(published: PublishedTable, people: Mapping[str, Column]) -> Matches:
    """`people` has one row per person and the source's encoded columns, including the quasi-identifiers."""
    return match_all([published], people)


def match_all(tables: Sequence[PublishedTable], people: Mapping[str, Column]) -> Matches:
    """Matches people with tables put side by side, row by row. A class consists of the rows with the same cells in all tables."""
    if len({table.rows for table in tables}) != 1:
        raise InputRejected("The tables have different numbers of rows.", "Put tables of the same people side by side.")
    fields = [(name, cells) for table in tables for name, cells in table.cells.items()]
    names = list(dict.fromkeys(name for name, _ in fields))
    cells, cell, _ = distinct_people(people, names)
    known, classes = distinct_rows(np.stack([column.codes for _, column in fields], axis=1))
    rows: list[NDArray[np.uint64]] = []
    wanted, offset = np.empty((len(cells), len(fields)), dtype=np.int64), 0
    for i, (name, column) in enumerate(fields):
        codes = cells[:, names.index(name)].astype(np.int64)
        looked_for, which = np.unique(np.where(codes < 0, len(people[name].values), codes), return_inverse=True)
        different, alike = _distinct_lines(_value_bits(column, people[name], known[:, i], looked_for))
        rows.append(different)
        wanted[:, i] = offset + alike[which]
        offset += len(rows[-1])
    apart, place = distinct_rows(wanted.astype(np.int32))
    cell = place[cell]
    number = np.bincount(cell, minlength=len(apart))
    return Matches(cell, number, apart.astype(np.int64), np.concatenate(rows), classes, firsts_and_sizes(classes)[1])


def distinct_people(people: Mapping[str, Column], names: Sequence[str]) -> tuple[Codes, Codes, NDArray[np.int64]]:
    """The distinct combinations of source cells, each person's number among them, and how many people have each."""
    absent = [name for name in names if name not in people]
    if absent:
        raise InputRejected(f"The attacked people have no column '{absent[0]}'.", "Give the source's own columns.")
    if not names or len(people[names[0]]) == 0:
        raise InputRejected("An attack needs at least one person and one quasi-identifier.", "Give at least one of each.")
    cells, cell = distinct_rows(np.stack([people[name].codes for name in names], axis=1))
    return cells, cell, np.bincount(cell, minlength=len(cells))


def _value_bits(cells: PublishedCells, column: Column, of_class: Codes, looked_for: NDArray[np.int64]) -> NDArray[np.uint64]:
    """These values of the column, missing as the number after the last, × classes."""
    reader = CellReader(column)
    ends = [reader.ends(text) for text in cells.texts]
    starts = np.concatenate([[0], np.cumsum([len(each) for each in ends])])
    return np.asarray(_covered(starts, np.searchsorted(looked_for, np.concatenate([NOTHING, *ends])), of_class, len(looked_for)))


@loop
def _covered(starts: NDArray[np.int64], ends: NDArray[np.int64], of_class: NDArray[np.int32], values: int) -> NDArray[np.uint64]:
    """A class's bit changes where a stretch of its cell begins and where it ends, so that a wide stretch costs as much as a narrow one."""
    changes = np.zeros((values + 1, (len(of_class) + 63) // 64), np.uint64)
    for number in range(len(of_class)):
        bit = np.uint64(1) << np.uint64(number & 63)
        for end in range(starts[of_class[number]], starts[of_class[number] + 1]):
            changes[ends[end], number >> 6] ^= bit
    for value in range(1, values):
        for word in range(changes.shape[1]):
            changes[value, word] ^= changes[value - 1, word]
    return changes[:values]


def _distinct_lines(bits: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """The distinct rows of bits, and for each row its number among them. Rows are compared by digest: sorting them would copy them."""
    numbers: dict[bytes, int] = {}
    alike = np.array([numbers.setdefault(hashlib.blake2b(row).digest(), len(numbers)) for row in bits], dtype=np.int64)
    first = np.unique(alike, return_index=True)[1]
    return bits[first], alike


@loop
def fitting_classes(bits: NDArray[np.uint64], wanted: NDArray[np.int64], out: NDArray[np.int64]) -> int:
    """Writes the classes that are set in all the wanted rows; returns how many."""
    many = 0
    for word in range(bits.shape[1]):
        fitting = bits[wanted[0], word]
        for field in range(1, len(wanted)):
            fitting &= bits[wanted[field], word]
        place = 64 * word
        while fitting != np.uint64(0):
            if fitting & np.uint64(1):
                out[many] = place
                many += 1
            fitting >>= np.uint64(1)
            place += 1
    return many


def translated(column: Column, into: Column) -> NDArray[np.int64]:
    """A source column's codes as the published column numbers the same values: missing is the number after the last, UNSEEN is none.
    A file read again holds only the values that were published, so its numbers differ from the source's."""
    if len(into.values) == len(column.values) and all(_key(a) == _key(b) for a, b in zip(column.values, into.values, strict=True)):
        place = np.arange(len(column.values), dtype=np.int64)
    else:
        numbers = {_key(value): code for code, value in enumerate(into.values)}
        place = np.array([numbers.get(_key(value), UNSEEN) for value in column.values], dtype=np.int64)
    return np.append(place, len(into.values))[np.where(column.codes == MISSING, len(place), column.codes)]


def _key(value: object) -> object:
    if isinstance(value, np.ndarray | tuple | list):
        return tuple(_key(part) for part in value)
    return float(value) if isinstance(value, int | float | np.number) else str(value)


def published_column(published: PublishedTable, people: Mapping[str, Column], name: str) -> Column:
    """A sensitive column, which the attacked people must have too, so that guesses can be compared with the truth."""
    if name not in published.sensitive:
        raise InputRejected(f"'{name}' is not sensitive in table '{published.name}'.", "Name a sensitive attribute of the table.")
    if name not in people:
        raise InputRejected(f"The attacked people have no column '{name}'.", "Give the source's own columns.")
    return published.sensitive[name]


def last_is_missing(column: Column) -> Codes:
    """Codes in which a missing cell is the number after the last."""
    return np.where(column.codes == MISSING, len(column.values), column.codes).astype(np.int32)
