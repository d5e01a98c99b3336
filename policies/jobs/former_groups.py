"""In which groups of earlier versions the people of a new one were: for methods that keep together who was published together."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from headgate.core.columns import MISSING, Codes


@dataclass(frozen=True, eq=False)
class FormerTable:
    """One table of an earlier version: its sensitive columns, and the group of each row's person, −1 where they were not in it."""

    names: frozenset[str]
    groups: Codes


@dataclass(frozen=True, eq=False)
class FormerGroups:
    """By version, oldest first, its tables."""

    versions: tuple[tuple[FormerTable, ...], ...]

    def of(self, sensitive: Collection[str], rows: int) -> Codes:
        """Rows × versions. Of each version the table counts that has most of these attributes: what it told of them must not be divided."""
        return np.stack([_groups(tables, frozenset(sensitive), rows) for tables in self.versions], axis=1)


def _groups(tables: tuple[FormerTable, ...], sensitive: frozenset[str], rows: int) -> Codes:
    nearest = max(tables, key=lambda table: len(table.names & sensitive), default=None)
    if nearest is None or not nearest.names & sensitive:
        return np.full(rows, MISSING, dtype=np.int32)
    return nearest.groups
