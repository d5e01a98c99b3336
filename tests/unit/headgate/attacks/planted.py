"""Small random tables with overlapping generalizations, and what fits whom, from the definition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from headgate.core.columns import Kind, Role, Table
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.published_form.published_table import PublishedTable, publish_form

Row = tuple[int, str | None, str | None, str]  # age, sex, illness, job


@dataclass(frozen=True)
class Small:
    rows: list[Row]
    table: Table
    groups: list[list[int]]  # a group number a row, per published table
    published: list[PublishedTable]

    def fits(self, table: int, person: int) -> list[int]:
        """Rows of one table whose group's bounding interval of ages and set of sexes hold the person's: pure Python."""
        out = []
        for row, group in enumerate(self.groups[table]):
            members = [self.rows[i] for i, other in enumerate(self.groups[table]) if other == group]
            ages = [member[0] for member in members]
            if min(ages) <= self.rows[person][0] <= max(ages) and self.rows[person][1] in {member[1] for member in members}:
                out.append(row)
        return out


def small(rows: list[Row], *groups: list[int]) -> Small:
    frame = pd.DataFrame(rows, columns=["age", "sex", "illness", "job"])
    specs = [
        ColumnSpec("age", Kind.INTEGER, Role.QUASI, domain=(0, 120)),
        ColumnSpec("sex", Kind.CATEGORY, Role.QUASI),
        ColumnSpec("illness", Kind.CATEGORY, Role.SENSITIVE),
        ColumnSpec("job", Kind.CATEGORY, Role.SENSITIVE),
    ]
    table = encode_table(frame, {spec.name: spec for spec in specs})
    published = [publish_form(table, np.array(each), f"t{i}", ["illness", "job"]) for i, each in enumerate(groups)]
    return Small(rows, table, [list(each) for each in groups], published)


def drawn(seed: int, tables: int = 2) -> Small:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 26))
    sexes, illnesses = [None, "f", "m"], [None, "a", "b", "c"]
    rows: list[Row] = [
        (int(rng.integers(20, 32)), sexes[rng.integers(3)], illnesses[rng.integers(4)], "xyz"[rng.integers(3)]) for _ in range(n)
    ]
    groups = []
    for _ in range(tables):
        by = sorted(range(n), key=lambda i: (rows[i][0] + float(rng.normal(0, 2)), i))
        size, numbers = int(rng.integers(1, 6)), [0] * n
        for place, row in enumerate(by):
            numbers[row] = place // size
        groups.append(numbers)
    return small(rows, *groups)


def majority(values: Sequence[str | None], overall: Mapping[str | None, int]) -> str | None:
    """Ties go to the value more frequent overall, then to the first in the alphabet, the missing one last."""
    counts = Counter(values)
    return min(counts, key=lambda value: (-counts[value], -overall[value], value is None, str(value)))
