"""A version as a home keeps it, so that later versions can be measured with it: who was in which group, and what the groups were published
with. Rows are not linked to people: who has which of a group's values is not kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes, Column, Kind
from headgate.core.errors import InputRejected
from headgate.core.published_form.published_table import PublishedTable
from headgate.core.spelling import value_text

Pseudonyms = NDArray[np.bytes_]


@dataclass(frozen=True, eq=False)
class CodedValues:
    """One published column: a code per row (−1 for missing), the text of each code, and which of them are sensitive, missing last."""

    codes: Codes
    texts: tuple[str, ...]
    sensitive: NDArray[np.bool_]

    @classmethod
    def of(cls, column: Column) -> CodedValues:
        return cls(column.codes, texts_of(column), column.sensitive)


@dataclass(frozen=True, eq=False)
class KeptTable:
    """One published table, in one or two readings of "class": that of each row, and that of each person."""

    classes: tuple[Codes, ...]
    groups: tuple[Codes, ...]
    columns: Mapping[str, CodedValues]


@dataclass(frozen=True, eq=False)
class KeptVersion:
    """`people` are pseudonyms, ascending."""

    people: Pseudonyms
    tables: tuple[KeptTable, ...]

    def places_of(self, others: Pseudonyms) -> NDArray[np.int64]:
        """Where each of these people is among `people`; −1 where they are not."""
        if not len(self.people):
            return np.full(len(others), -1, dtype=np.int64)
        at = np.minimum(np.searchsorted(self.people, others), len(self.people) - 1)
        return np.where(self.people[at] == others, at, -1)


def kept_version(
    people: Pseudonyms, tables: Sequence[tuple[PublishedTable, NDArray[np.int64]]]
) -> tuple[KeptVersion, tuple[Mapping[str, Codes], ...]]:
    """And, by table and attribute, the code of each person's own value, which is not kept. `people`: the pseudonym of each row of the
    source. Each table comes with the row of the source that each of its records is."""
    rows = np.sort(tables[0][1])
    order = np.argsort(people[rows], kind="stable")
    ascending = people[rows][order]
    if len(ascending) == 0 or (ascending[1:] == ascending[:-1]).any() or any(not np.array_equal(np.sort(of), rows) for _, of in tables):
        raise InputRejected("The tables do not hold the same people, each once.", "Give exactly one row per person in every table.")
    place = np.empty(int(rows[-1]) + 1, dtype=np.int64)
    place[rows[order]] = np.arange(len(rows))
    own = tuple({name: _by_person(column.codes, place[of]) for name, column in table.sensitive.items()} for table, of in tables)
    return KeptVersion(ascending, tuple(_kept_table(table, place[of]) for table, of in tables)), own


def texts_of(column: Column) -> tuple[str, ...]:
    """The values as a published file has them, so that they are the same in every version, however it was encoded."""
    if column.kind is Kind.DATE:
        return tuple(str(day) for day in column.values.astype("datetime64[D]"))
    return tuple("|".join(map(value_text, value)) if isinstance(value, np.ndarray) else value_text(value) for value in column.values)


def _kept_table(table: PublishedTable, place: NDArray[np.int64]) -> KeptTable:
    classes = tuple(table.classes())
    groups = tuple(_by_person(reading, place) for reading in classes)
    return KeptTable(classes, groups, {name: CodedValues.of(column) for name, column in table.sensitive.items()})


def _by_person(codes: Codes, place: NDArray[np.int64]) -> Codes:
    """What is known record by record. `place`: whose each record is."""
    out = np.empty_like(codes)
    out[place] = codes
    return out
