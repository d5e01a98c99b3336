"""A series as somebody sees it who knows in which versions, and in which groups, a person is (DEFINITIONS §11)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes, Column
from headgate.core.distinct import rows_of_each
from headgate.core.errors import InputRejected
from headgate.counting.class_counts import class_sizes

MOST_VERSIONS = 1000


@dataclass(frozen=True, eq=False)
class VersionTable:
    """One table of a version, in one or two readings of "class": `classes` has the class of each published row, `groups` that of each
    person of the version, in the same numbers. Who is not asked about may be left out of the people, but not of the rows.

    `steady` are the published values of those sensitive attributes that a person keeps from version to version; each attribute has the same
    `values` in all versions. `own` has each person's own codes where they are known: rows of a published table are shuffled."""

    groups: Sequence[Codes]
    classes: Sequence[Codes]
    steady: Mapping[str, Column]
    own: Mapping[str, Codes] | None = None

    @classmethod
    def in_order(cls, classes: Sequence[Codes], steady: Mapping[str, Column]) -> VersionTable:
        """A table whose rows are in the order of the people."""
        return cls(classes, classes, steady, {name: column.codes for name, column in steady.items()})


@dataclass(frozen=True, eq=False)
class Version:
    """What was published at once. A person has the same number in every version; who was suppressed in it is not in it."""

    people: Codes
    tables: Sequence[VersionTable]


def check_versions(versions: Sequence[Version]) -> None:
    """Refuses what cannot be a series: what a wrong key, a damaged store or another coding would look like."""
    if not 1 <= len(versions) <= MOST_VERSIONS:
        raise InputRejected(f"A series of {len(versions):,} versions cannot be measured.", f"Give 1 to {MOST_VERSIONS:,}.")
    known: dict[str, Column] = {}
    for number, version in enumerate(versions, 1):
        where = f"version {number}"
        if len(version.people) == 0 or not version.tables:
            raise InputRejected(f"There is nobody in {where}.", "Give only versions that were published.")
        if version.people.min() < 0 or rows_of_each(version.people, int(version.people.max()) + 1).max() > 1:
            raise InputRejected(f"A person is in {where} twice.", "Give exactly one row per person.")
        names: set[str] = set()
        for table in version.tables:
            if not table.steady or names & set(table.steady):
                raise InputRejected(f"A table of {where} lacks sensitive attributes of its own.", "Name each in one table of a version.")
            names |= set(table.steady)
            _check_table(table, len(version.people), where)
            for name, column in table.steady.items():
                other = known.setdefault(name, column).values
                if other is not column.values and not np.array_equal(other, column.values):
                    raise InputRejected(f"'{name}' is coded differently in {where}.", "Encode the attribute once for all versions.")


def _check_table(table: VersionTable, people: int, where: str) -> None:
    if not table.classes or len(table.classes) != len(table.groups):
        raise InputRejected(f"A table of {where} has no groups.", "Give the group of each row, and of each person.")
    own = (table.own or {}).values()
    if any(len(codes) != people for codes in (*table.groups, *own)):
        raise InputRejected(f"A table of {where} does not hold the people of {where}.", "Give one group and one value per person.")
    for groups, classes in zip(table.groups, table.classes, strict=True):
        if any(len(column) != len(classes) for column in table.steady.values()):
            raise InputRejected(f"A table of {where} has columns of different lengths.", "Give one cell and one group per row.")
        if not _fit(groups, class_sizes(classes)):
            raise InputRejected(
                f"The groups of the people of {where} are not those of its table.", "Give the groups with which this version was published."
            )


def _fit(groups: Codes, sizes: NDArray[np.int64]) -> bool:
    """No class has more people than rows."""
    if len(groups) == 0 or groups.min() < 0 or groups.max() >= len(sizes):
        return False
    return bool((rows_of_each(groups, len(sizes)) <= sizes).all())
