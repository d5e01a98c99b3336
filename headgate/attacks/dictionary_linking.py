"""Linking with a dictionary (decision-theoretic-privacy-risk): whoever holds a register lists the individuals consistent with a record
on the shared fields, and names one of them at random.

Published rows are shuffled, so the record of a person is one of the rows that fit the person's own quasi-identifiers, each as likely; for a
person who fits no row, anybody in the dictionary is named. The dictionary's individuals with exactly the person's own values, missing ones
where the person's are, are the person's twins. The person is one of them; without any he is not in the dictionary and never named.

Records and names are really drawn. The result is a second opinion on the formula: `consistency` counts 1/|ρ|, and the drawing
does not use it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Jaro

from headgate.attacks.matching import Matches, fitting_classes, match, translated
from headgate.attacks.success import AttackResult, Success, percent, success
from headgate.core.cells import Members, Single, parse_cell
from headgate.core.columns import MISSING, Codes, Column
from headgate.core.distinct import distinct_rows
from headgate.core.errors import InputRejected
from headgate.core.published_form.cell_reader import CellReader
from headgate.core.published_form.published_table import PublishedCells, PublishedTable
from headgate.core.tolerance import TOLERANCE
from headgate.risk.candidates.consistency import consistent_individuals

NOBODY = -1


@dataclass(frozen=True, eq=False)
class Register:
    """`columns` have one row per individual, as `encode_dictionary` makes them; the texts of a field in `similar` may differ, up to that
    Jaro similarity."""

    name: str
    columns: Mapping[str, Column]
    fields: Sequence[str]
    similar: Mapping[str, float] = field(default_factory=dict)

    @property
    def individuals(self) -> int:
        return len(self.columns[self.fields[0]])


@dataclass(frozen=True)
class DictionaryLinking(AttackResult):
    dictionary: str
    success: Success
    expected: float  # by the formula: the share of people who are named rightly
    listed: int  # people who are in the dictionary

    def remark(self) -> str:
        return (
            f"The formula (1 divided by the number of individuals who fit a record) expects {percent(self.expected)} %. "
            f"The dictionary lists {self.listed:,} of these people with exactly their values."
        )

    def who(self, tables: str) -> str:
        return f"somebody who holds '{self.dictionary}' and looks up records of {tables} names the right person"


def dictionary_linking(
    published: PublishedTable,
    people: Mapping[str, Column],
    register: Register,
    generator: np.random.Generator,
    known: Mapping[str, Column] | None = None,
) -> DictionaryLinking:
    """`people` has the source's quasi-identifiers. If some of their cells were suppressed before the groups were made, `known` has the
    complete columns: twins agree with these."""
    shared = [name for name in register.fields if name in published.cells and name in register.columns]
    if not shared or len(shared) < len(register.fields):
        raise InputRejected(f"The dictionary shares {'not all' if shared else 'no'} fields.", "Name quasi-identifiers that both have.")
    matches = match(published, people)
    kinds, individuals, own = _individuals(people if known is None else known, register)
    listed = own != NOBODY
    classes, chance = _records(matches, published, register, generator)
    texts = _texts_by_class(published, register.fields, matches.classes)
    right = np.zeros(len(own), dtype=bool)
    for record_class in np.unique(classes):
        drawn = np.flatnonzero(classes == record_class)
        consistent = np.arange(len(kinds)) if record_class == NOBODY else _consistent(texts[record_class], register, kinds)
        right[drawn] = _named(consistent, individuals, own[drawn], generator)
    words = f"one of the individuals in '{register.name}' who are consistent with the person's record"
    done = success("Dictionary linking", words, len(own), int(right.sum()), listed.sum() / register.individuals)
    return DictionaryLinking(register.name, done, float(chance[listed].sum() / len(own)), int(listed.sum()))


def _individuals(people: Mapping[str, Column], register: Register) -> tuple[Codes, NDArray[np.int64], NDArray[np.int64]]:
    """The distinct individuals, the count of each, and for every person the number of the person's twins, or NOBODY."""
    kinds, place = distinct_rows(np.stack([register.columns[name].codes for name in register.fields], axis=1))
    mine = np.stack([_numbered_alike(people[name], register.columns[name]) for name in register.fields], axis=1)
    both = distinct_rows(np.concatenate([kinds, mine]))[1]
    number = np.full(int(both.max()) + 1, NOBODY)
    number[both[: len(kinds)]] = np.arange(len(kinds))
    return kinds, np.bincount(place, minlength=len(kinds)), number[both[len(kinds) :]]


def _numbered_alike(column: Column, dictionary: Column) -> Codes:
    codes = translated(column, dictionary)
    return np.where(codes == len(dictionary.values), MISSING, codes).astype(np.int32)


def _records(
    matches: Matches, published: PublishedTable, register: Register, generator: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """For every person, the class of the record that is drawn, and the formula's expectation over all records that could be drawn."""
    everybody = np.split(np.argsort(matches.cell, kind="stable"), np.cumsum(matches.people)[:-1])
    fits = [_fitting(matches, cell) for cell in range(len(everybody))]
    chance_in = _by_formula(published, register, matches, np.unique(np.concatenate(fits)))
    classes, chance = np.full(len(matches.cell), NOBODY), np.full(len(matches.cell), 1.0 / register.individuals)
    for fitting, members in zip(fits, everybody, strict=True):
        if len(fitting):
            rows = np.cumsum(matches.sizes[fitting])
            classes[members] = fitting[np.searchsorted(rows, generator.integers(rows[-1], size=len(members)), side="right")]
            chance[members] = np.average(chance_in[fitting], weights=matches.sizes[fitting])
    return classes, chance


def _fitting(matches: Matches, cell: int) -> NDArray[np.int64]:
    out = np.empty(len(matches.sizes), np.int64)
    return out[: fitting_classes(matches.bits, matches.wanted[cell], out)].copy()


def _by_formula(published: PublishedTable, register: Register, matches: Matches, wanted: NDArray[np.int64]) -> NDArray[np.float64]:
    """1/|ρ| of the rows of each wanted class, 0 if nobody is consistent."""
    first = np.unique(matches.classes, return_index=True)[1][wanted]
    cells = {name: PublishedCells(column.codes[first], column.texts) for name, column in published.cells.items()}
    out = np.zeros(len(matches.sizes))
    if len(wanted):
        consistent = consistent_individuals(cells, register.columns, register.fields, register.similar)
        out[wanted] = np.where(consistent > 0, 1.0 / np.maximum(consistent, 1), 0.0)
    return out


def _texts_by_class(published: PublishedTable, fields: Sequence[str], classes: Codes) -> list[tuple[str, ...]]:
    """The published cells that the rows of each class share."""
    first = np.unique(classes, return_index=True)[1]
    cells = [published.cells[name] for name in fields]
    return list(zip(*([str(text) for text in column.texts[column.codes[first]]] for column in cells), strict=True))


def _consistent(texts: Sequence[str], register: Register, kinds: Codes) -> NDArray[np.int64]:
    """The distinct individuals that agree with a record on every field, the field that fewest values agree on first. Missing agrees with
    everything, on either side."""
    agrees = [_agreeing(text, register, name) for text, name in zip(texts, register.fields, strict=True)]
    left = np.arange(len(kinds))
    for place in np.argsort([flags.mean() for flags in agrees], kind="stable"):
        left = left[agrees[place][kinds[left, place]]]
    return left


def _agreeing(text: str, register: Register, name: str) -> NDArray[np.bool_]:
    """One flag per value of the column, and a last flag for missing."""
    column, least = register.columns[name], register.similar.get(name)
    if text == "":
        return np.ones(len(column.values) + 1, dtype=bool)
    agrees = CellReader(column).covers(text) if least is None else _similar(text, column, least)
    return np.ones_like(agrees) if agrees[MISSING] else np.append(agrees[:-1], True)


def _similar(text: str, column: Column, least: float) -> NDArray[np.bool_]:
    cell = parse_cell(text)
    labels = (cell.label,) if isinstance(cell, Single) else cell.labels if isinstance(cell, Members) else (None,)
    if None in labels:
        return np.ones(len(column.values) + 1, dtype=bool)
    near = [any(Jaro.similarity(str(label), str(value)) >= least - TOLERANCE for label in labels) for value in column.values]
    return np.array([*near, False])


def _named(
    consistent: NDArray[np.int64], individuals: NDArray[np.int64], own: NDArray[np.int64], generator: np.random.Generator
) -> NDArray[np.bool_]:
    """Whether the individual drawn for each person is the person, who is the first of the twins."""
    last = np.cumsum(individuals[consistent])
    if len(last) == 0:
        return np.zeros(len(own), dtype=bool)
    drawn = generator.integers(last[-1], size=len(own))
    place = np.searchsorted(last, drawn, side="right")
    first = last[place] - individuals[consistent[place]]
    return np.asarray((consistent[place] == own) & (drawn == first))
