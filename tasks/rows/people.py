"""Whose each row is, and what of a column differs within people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NONE = -1  # the code of a missing cell, and the row that stands for a person who has none


@dataclass(frozen=True, eq=False)
class People:
    """`of_row`: the person of each row, numbered from 0 in the order of their first rows."""

    of_row: NDArray[np.int64]
    number: int

    def sizes(self) -> NDArray[np.int64]:
        return np.bincount(self.of_row, minlength=self.number)

    def present(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many cells of each person are not missing."""
        return np.bincount(self.of_row[codes != NONE], minlength=self.number)

    def sorted_rows(self, among: NDArray[np.bool_], *within: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows `among`, person by person; of one person by the first of `within`, then by the next, then as they stand."""
        rows = np.flatnonzero(among)
        return rows[np.lexsort((*(key[rows] for key in reversed(within)), self.of_row[rows]))]

    def last_of_each(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Of rows that are sorted by person, the last of each; NONE for people who have none among them."""
        people = self.of_row[rows]
        ends = np.append(people[1:] != people[:-1], True) if len(rows) else np.zeros(0, dtype=bool)
        last = np.full(self.number, NONE, dtype=np.int64)
        last[people[ends]] = rows[ends]
        return last

    def any_row(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """The first row of each person whose cell is not missing; NONE where all are."""
        rows = np.flatnonzero(codes != NONE)[::-1]
        first = np.full(self.number, NONE, dtype=np.int64)
        first[self.of_row[rows]] = rows
        return first

    def varying(self, codes: NDArray[np.int64]) -> int:
        """How many people have several different cells. A missing cell beside others is no different one."""
        rows = np.flatnonzero(codes != NONE)
        differs = codes[rows] != codes[self.any_row(codes)[self.of_row[rows]]]
        return len(np.unique(self.of_row[rows[differs]]))


def people_of(codes: NDArray[np.int64]) -> People:
    """`codes`: of the identifier, numbered in any order, none missing."""
    _, first, of_row = np.unique(codes, return_index=True, return_inverse=True)
    place = np.empty(len(first), dtype=np.int64)
    place[np.argsort(first, kind="stable")] = np.arange(len(first))
    return People(place[of_row], len(first))


def ranks(keys: Iterator[NDArray[np.int64]] | list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """One number per row that orders rows as the keys do, the first key first. A row that lacks a key has none."""
    listed = list(keys)
    order = np.lexsort(tuple(reversed(listed)))
    changes = np.zeros(len(order), dtype=bool)
    for key in listed:
        changes[1:] |= key[order][1:] != key[order][:-1]
    found = np.empty(len(order), dtype=np.int64)
    found[order] = np.cumsum(changes)
    for key in listed:
        found[key == NONE] = NONE
    return found
