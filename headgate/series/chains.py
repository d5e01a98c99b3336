"""Chains: the classes of a person in the versions that hold the person, and the values of these classes.

What is compared is a table's steady attributes together, over the versions that publish just these in one table, and each attribute alone,
over all versions that publish it: an attribute may have moved to another table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes, Column
from headgate.core.compiling import inner, loop, starts_of
from headgate.core.distinct import distinct_rows, joint_values
from headgate.core.errors import InputRejected
from headgate.counting.class_counts import ClassCounts, class_counts
from headgate.series.published_versions import Version, VersionTable

ABSENT = -1  # from the version
UNKNOWN = -1  # own value


@dataclass(frozen=True, eq=False)
class Chains:
    """What one reading of "class" shows. `classes[p, i]` is the class of person p in version i; classes of all versions are numbered
    through, and `counts` says how often each value occurs in each."""

    classes: Codes
    counts: ClassCounts
    first: NDArray[np.int64]  # class of each version


@dataclass(frozen=True, eq=False)
class Compared:
    """The steady attributes `names` over the versions that publish them together. `own[p, i]` is person p's own value in version i."""

    names: tuple[str, ...]
    versions: tuple[int, ...]
    people: NDArray[np.int64]  # the numbers of the people who are in one of these versions
    columns: tuple[Column, ...]
    distinct: Codes  # the codes of each value in these columns
    sensitive: NDArray[np.bool_]
    own: Codes
    readings: tuple[Chains, ...]

    @property
    def several(self) -> NDArray[np.bool_]:
        """Who is in more than one of these versions."""
        return np.asarray((self.readings[0].classes != ABSENT).sum(axis=1) > 1)


def comparisons(versions: Sequence[Version]) -> list[Compared]:
    """The attributes of each table together, where there are several; then each attribute alone."""
    tables = {tuple(sorted(table.steady)): tuple(table.steady) for version in versions for table in version.tables}
    alone = dict.fromkeys(name for version in versions for table in version.tables for name in table.steady)
    compared = [compare(versions, names) for names in tables.values() if len(names) > 1]
    return compared + [compare(versions, (name,)) for name in alone]


def compare(versions: Sequence[Version], names: tuple[str, ...]) -> Compared:
    """One comparison: of these attributes."""
    holders = [(i, version, table) for i, version in enumerate(versions) for table in version.tables if _holds(table, names)]
    if not holders:
        raise InputRejected("No version publishes these attributes in one table.", "Name attributes that a version publishes together.")
    tables = [table for _, _, table in holders]
    pieces = [[table.steady[name].codes for table in tables] + [_own(table, name) for table in tables] for name in names]
    columns = tuple(replace(tables[0].steady[name], codes=np.concatenate(codes)) for name, codes in zip(names, pieces, strict=True))
    distinct, place, sensitive = joint_values(columns)
    parts = [place[start:end] for start, end in pairwise(starts_of(pieces[0]))]
    people, rows = _numbered([version.people for _, version, _ in holders])
    own = np.full((len(people), len(holders)), UNKNOWN, dtype=np.int32)
    for i, (values, table) in enumerate(zip(parts[len(tables) :], tables, strict=True)):
        if table.own is not None:
            own[rows[i], i] = values
    readings = tuple(
        _chains(tables, parts[: len(tables)], rows, len(people), reading) for reading in range(max(len(table.classes) for table in tables))
    )
    return Compared(names, tuple(i for i, _, _ in holders), people, columns, distinct, sensitive, own, readings)


def _holds(table: VersionTable, names: tuple[str, ...]) -> bool:
    return names[0] in table.steady if len(names) == 1 else set(names) == set(table.steady)


def _numbered(people: Sequence[Codes]) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
    """Everybody, ascending, and the place of each of these people among them."""
    present = np.zeros(max(int(some.max()) for some in people) + 1, dtype=np.bool_)
    for some in people:
        present[some] = True
    place = np.cumsum(present) - 1
    return np.flatnonzero(present), [place[some] for some in people]


def _own(table: VersionTable, name: str) -> Codes:
    return np.empty(0, dtype=np.int32) if table.own is None else table.own[name]


def _chains(
    tables: Sequence[VersionTable], values: Sequence[Codes], rows: Sequence[NDArray[np.int64]], people: int, reading: int
) -> Chains:
    """A table with one reading has the same classes in the second."""
    counts = [class_counts(own, table.classes[min(reading, len(table.classes) - 1)]) for own, table in zip(values, tables, strict=True)]
    before, entries = starts_of(counts), starts_of([one.codes for one in counts])
    classes = np.full((people, len(tables)), ABSENT, dtype=np.int32)
    for i, table in enumerate(tables):
        classes[rows[i], i] = table.groups[min(reading, len(table.groups) - 1)] + np.int32(before[i])
    starts = [one.starts[:-1] + first for one, first in zip(counts, entries[:-1], strict=True)]
    through = ClassCounts(
        np.append(np.concatenate(starts), entries[-1]),
        np.concatenate([one.codes for one in counts]),
        np.concatenate([one.counts for one in counts]),
        np.concatenate([one.sizes for one in counts]),
    )
    return Chains(classes, through, before[:-1])


def changed(compared: Compared) -> NDArray[np.bool_]:
    """Whose own value is known not to be the same in all versions."""
    return np.asarray(_differing(compared.own))


def not_shared(compared: Compared, chains: Chains) -> NDArray[np.bool_]:
    """Who has an own value that one of their classes lacks, so that comparing the classes tells that it changed."""
    return np.asarray(_lacking(chains.classes, compared.own, chains.counts.starts, chains.counts.codes))


def distinct_chains(chains: Chains, apart: NDArray[np.bool_]) -> tuple[Codes, NDArray[np.bool_], NDArray[np.int32]]:
    """The distinct chains, those of `apart` on their own; which these are; and each person's place among them."""
    rows, place = distinct_rows(np.column_stack([chains.classes, apart.astype(np.int32)]))
    return np.ascontiguousarray(rows[:, :-1]), rows[:, -1] > 0, place


@loop
def _differing(own: NDArray[np.int32]) -> NDArray[np.bool_]:
    out = np.zeros(len(own), np.bool_)
    for person in range(len(own)):
        first = UNKNOWN
        for value in own[person]:
            if value != UNKNOWN and first == UNKNOWN:
                first = value
            out[person] |= value not in (UNKNOWN, first)
    return out


@loop
def _lacking(classes: NDArray[np.int32], own: NDArray[np.int32], starts: NDArray[np.int64], codes: NDArray[np.int32]) -> NDArray[np.bool_]:
    out = np.zeros(len(own), np.bool_)
    for person in range(len(own)):
        for i in range(own.shape[1]):
            value = own[person, i]
            if value == UNKNOWN:
                continue
            for j in range(own.shape[1]):
                group = classes[person, j]
                if group != ABSENT and own[person, j] != value and entry_of(value, starts[group], starts[group + 1], codes) < 0:
                    out[person] = True
    return out


@inner
def entry_of(value: int, start: int, end: int, codes: NDArray[np.int32]) -> int:
    """The entry of a value among those of one class, −1 where there is none; codes ascend."""
    low, high = start, end
    while low < high:
        middle = (low + high) // 2
        if codes[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low if low < end and codes[low] == value else -1
