"""Intersection attack (codip, section 6.1): the tables generalize differently, and whoever fits a person's classes in all of them is
fewer than who fits in one.

Candidates of a person are the people who could share a class with the person in every table. Only distinct combinations of source cells
are compared, as rows of bits. Sensitive attributes of the tables are disjoint, so fewer candidates do not by themselves tell a value
(Theorem 2); they tell who is behind a class. `people` is everybody the attacker takes into account, all who were released among them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.attacks.matching import distinct_people, fitting_classes, match
from headgate.attacks.success import AttackResult, Success, people_counted, success
from headgate.core.columns import Column
from headgate.core.compiling import loop
from headgate.core.errors import InputRejected
from headgate.core.published_form.published_table import PublishedTable

_WORDS = 256  # of candidate combinations at a time
_CELLS = 2048  # combinations that are processed at a time


@dataclass(frozen=True, eq=False)
class Intersection(AttackResult):
    """By person: the number of candidates that remain, the distinct combinations of cells among them, and the number of candidates in
    the best single table."""

    candidates: NDArray[np.int64]
    cells: NDArray[np.int64]
    alone: NDArray[np.int64]
    success: Success

    @property
    def pinned(self) -> int:
        """People whom no single table points out, but all tables together do."""
        return int(np.count_nonzero((self.candidates == 1) & (self.alone > 1)))

    @property
    def growth(self) -> float:
        """The largest factor by which the certainty about a person exceeds the certainty from the best single table."""
        return float((self.alone / self.candidates).max())

    def remark(self) -> str:
        others = int(self.candidates.min()) - 1
        shared = "Some people are the only ones who fit one group in every table."
        if others > 0:
            shared = (
                f"At least {others:,} other {'person fits' if others == 1 else 'people fit'} the same groups as anybody in every table."
            )
        narrowed = f"by up to {self.growth:.3g} times" if round(self.growth, 2) > 1 else "no further than one table does"
        pinned = f"{people_counted(self.pinned)} whom no table does alone" if self.pinned else "nobody else"
        return f"{shared} The tables together single out {pinned}, and narrow a person down {narrowed}."


def intersection(tables: Sequence[PublishedTable], people: Mapping[str, Column]) -> Intersection:
    if not tables:
        raise InputRejected("No tables were given to intersect.", "Give at least one.")
    names = list(dict.fromkeys(name for table in tables for name in table.cells))
    cells, cell, number = distinct_people(people, names)
    heads = {name: people[name].take(np.unique(cell, return_index=True)[1]) for name in names}
    matches = [match(table, heads) for table in tables]
    size = len(cells)
    left, kinds = np.zeros(size, np.int64), np.zeros(size, np.int64)
    alone = np.zeros((len(tables), size), np.int64)
    for start in range(0, size, 64 * _WORDS):
        part = np.arange(start, min(size, start + 64 * _WORDS))
        members = [_members(fits.bits, fits.wanted[fits.cell[part]], len(fits.sizes)) for fits in matches]
        weights = number[part]
        for first in range(0, size, _CELLS):
            rows = np.arange(first, min(size, first + _CELLS))
            acc = np.full((len(rows), members[0].shape[1]), 2**64 - 1, dtype=np.uint64)
            for i, fits in enumerate(matches):
                reached = _reached(fits.bits, fits.wanted[fits.cell[rows]], members[i])
                alone[i, rows] += _weigh(reached, weights)
                acc &= reached
            left[rows] += _weigh(acc, weights)
            kinds[rows] += _weigh(acc, np.ones_like(weights))
    # a person who fits nothing in some table was not released, and stays one of all
    nobody = left == 0
    left[nobody], kinds[nobody] = len(cell), size
    best = np.where(alone > 0, alone, len(cell)).min(axis=0)
    done = success("Intersection", "one of the people who fit in every table", len(cell), float((1.0 / left)[cell].sum()), 1.0)
    return Intersection(left[cell], kinds[cell], best[cell], done)


@loop
def _members(bits: NDArray[np.uint64], wanted: NDArray[np.int64], classes: int) -> NDArray[np.uint64]:
    """Classes × bits over these combinations: which of them fit each class."""
    out = np.zeros((classes, (len(wanted) + 63) // 64), np.uint64)
    fits = np.empty(classes, np.int64)
    for cell in range(len(wanted)):
        for i in range(fitting_classes(bits, wanted[cell], fits)):
            out[fits[i], cell >> 6] |= np.uint64(1) << np.uint64(cell & 63)
    return out


@loop
def _reached(bits: NDArray[np.uint64], wanted: NDArray[np.int64], members: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """For each combination, all combinations that could be in the same class."""
    out = np.zeros((len(wanted), members.shape[1]), np.uint64)
    fits = np.empty(len(members), np.int64)
    for cell in range(len(wanted)):
        for i in range(fitting_classes(bits, wanted[cell], fits)):
            for word in range(members.shape[1]):
                out[cell, word] |= members[fits[i], word]
    return out


@loop
def _weigh(rows: NDArray[np.uint64], weights: NDArray[np.int64]) -> NDArray[np.int64]:
    out = np.zeros(len(rows), np.int64)
    for row in range(len(rows)):
        for word in range(rows.shape[1]):
            left, place = rows[row, word], 64 * word
            while left != np.uint64(0) and place < len(weights):
                if left & np.uint64(1):
                    out[row] += weights[place]
                left >>= np.uint64(1)
                place += 1
    return out
