"""Intersection attack (codip, section 6.1): the tables generalize differently, and whoever fits a person's classes in all of them is
fewer than who fits in one.

Candidates of a person are the people who could share a class with the person in every table. Only combinations of source cells that some
table tells apart are compared, as rows of bits. Sensitive attributes of the tables are disjoint, so fewer candidates do not by themselves
tell a value (Theorem 2); they tell who is behind a class. `people` is everybody the attacker takes into account, all who were released
among them.
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
from headgate.core.distinct import distinct_rows
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
            fit = "person fits" if others == 1 else "people fit"
            shared = f"For each person, at least {others:,} other {fit} the same groups in every table."
        left = f"up to {self.growth:.3g} times fewer people than" if round(self.growth, 2) > 1 else "as many people as"
        pinned = f"{people_counted(self.pinned)} whom no single table does" if self.pinned else "nobody else"
        return f"{shared} All tables together single out {pinned}, and leave {left} the best single table."

    def who(self, tables: str) -> str:
        return f"somebody who compares a person's groups in {tables} names the right person"


def intersection(tables: Sequence[PublishedTable], people: Mapping[str, Column]) -> Intersection:
    if not tables:
        raise InputRejected("No tables were given to intersect.", "Give at least one.")
    names = list(dict.fromkeys(name for table in tables for name in table.cells))
    cells, cell, number = distinct_people(people, names)
    heads = {name: people[name].take(np.unique(cell, return_index=True)[1]) for name in names}
    matches = [match(table, heads) for table in tables]
    told_apart, kind = distinct_rows(np.stack([fits.cell for fits in matches], axis=1))
    number = np.bincount(kind, weights=number).astype(np.int64)  # people of each kind, and combinations of cells
    combinations = np.bincount(kind)
    cell, size, whole = kind[cell], len(told_apart), len(cells)
    left, kinds = np.zeros(size, np.int64), np.zeros(size, np.int64)
    alone = np.zeros((len(tables), size), np.int64)
    for start in range(0, size, 64 * _WORDS):
        part = np.arange(start, min(size, start + 64 * _WORDS))
        members = [_members(fits.bits, fits.wanted[told_apart[part, i]], len(fits.sizes)) for i, fits in enumerate(matches)]
        people_here, cells_here = number[part], combinations[part]
        for first in range(0, size, _CELLS):
            rows = np.arange(first, min(size, first + _CELLS))
            acc = np.full((len(rows), members[0].shape[1]), 2**64 - 1, dtype=np.uint64)
            for i, fits in enumerate(matches):
                reached = _reached(fits.bits, fits.wanted[told_apart[rows, i]], members[i])
                alone[i, rows] += _weigh(reached, people_here)
                acc &= reached
            left[rows] += _weigh(acc, people_here)
            kinds[rows] += _weigh(acc, cells_here)
    # a person who fits nothing in some table was not released, and stays one of all
    nobody = left == 0
    left[nobody], kinds[nobody] = len(cell), whole
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
    """For each combination, all combinations that could be in the same class. Where classes are wide, a few of them have everybody, and the
    others are not looked at."""
    words = members.shape[1]
    everybody = np.zeros(words, np.uint64)
    for row in range(len(members)):
        for word in range(words):
            everybody[word] |= members[row, word]
    out = np.zeros((len(wanted), words), np.uint64)
    fits = np.empty(len(members), np.int64)
    for cell in range(len(wanted)):
        complete = 0  # words that no class can add to
        for i in range(fitting_classes(bits, wanted[cell], fits)):
            for word in range(complete, words):
                out[cell, word] |= members[fits[i], word]
            while complete < words and out[cell, complete] == everybody[complete]:
                complete += 1
            if complete == words:
                break
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
