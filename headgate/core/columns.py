"""A table as headgate processes it: one small integer per cell, and the meaning of these integers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.calendar_parts import YEAR_BANDS
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy
from headgate.core.kinds.kind import Kind
from headgate.core.number_form import NumberForm
from headgate.core.scale import Scale
from headgate.core.spelling import MISSING, Codes

__all__ = ["BIT", "GROUP", "MISSING", "Codes", "Column", "Kind", "Role", "Table", "check_quasi"]

GROUP = "group"  # the column of group numbers in a published table
BIT = "="  # a bitmap column is named attribute=value


class Role(StrEnum):
    IDENTIFIER = "identifier"
    QUASI = "quasi"
    SENSITIVE = "sensitive"
    INSENSITIVE = "insensitive"
    WEIGHT = "weight"  # how many people of the population a row stands for: one column at most
    HOUSEHOLD = "household"  # who lives together: one column at most, never published
    DROPPED = "dropped"


@dataclass(frozen=True, eq=False)
class Column:
    """One attribute, dictionary-encoded.

    `values` holds the distinct values in domain order: numbers and days ascending, ordinals by level (all declared
    levels), categories in leaf order of their hierarchy or else sorted, sets as sorted tuples, vectors as rows of a matrix.
    With a hierarchy they are all its leaves, so that `hierarchy.nodes[codes]` holds for every kind.
    `codes[row]` is a position in `values`, or MISSING (−1).
    `sensitive` has one flag per value and a last flag for missing, so that `sensitive[codes]` works with −1.
    """

    name: str
    kind: Kind
    codes: Codes
    values: NDArray[Any]
    sensitive: NDArray[np.bool_]
    domain: tuple[float, float] | None = None
    hierarchy: Hierarchy | None = None
    weight: float = 1.0
    metric: str | None = None  # vectors: total-variation | lp | min
    origin: str | None = None  # bitmap columns: the set attribute they come from
    components: tuple[str, ...] = ()  # vectors: the source columns
    separator: str = "|"  # sets: between the values of a cell
    number_form: NumberForm | None = None  # numbers: how they were rounded and coded
    year_bands: tuple[int, ...] = YEAR_BANDS  # dates: years per level between a year and everything
    scale: Scale = Scale.LINEAR  # numbers: whether they are compared by difference or by ratio

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def width(self) -> float:
        """The width of a numeric domain; 0 where it has only one value."""
        return 0.0 if self.domain is None else float(self.domain[1] - self.domain[0])

    @property
    def parts(self) -> tuple[str, ...]:
        """Its columns in the file: the column itself or, for a vector, its components."""
        if not self.kind.rules.components:
            return (self.name,)
        return self.components or tuple(f"{self.name}_{i + 1}" for i in range(self.values.shape[1]))

    def take(self, rows: NDArray[Any] | slice) -> Column:
        return replace(self, codes=self.codes[rows])

    def counts(self) -> NDArray[np.int64]:
        """Rows per value; the last place counts the missing ones."""
        return np.bincount(np.where(self.codes < 0, len(self.values), self.codes), minlength=len(self.values) + 1)


def check_quasi(column: Column) -> None:
    """Refuses a column that cannot be a quasi-identifier."""
    if not column.kind.rules.single:
        raise InputRejected(f"'{column.name}' is a {column.kind}, which cannot be a quasi-identifier.", "Make it sensitive, or drop it.")


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of equal length with their roles. The identifier has been dropped before a Table exists.

    `weight` is one of the insensitive columns, and published in one table like them. `household` numbers who lives together and is in no
    published table; somebody whose household is not known has one of their own."""

    columns: Mapping[str, Column]
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    insensitive: tuple[str, ...] = ()
    weight: str | None = None
    household: str | None = None

    @property
    def rows(self) -> int:
        return len(next(iter(self.columns.values()))) if self.columns else 0

    def __getitem__(self, name: str) -> Column:
        return self.columns[name]

    def select(self, names: Iterable[str]) -> tuple[Column, ...]:
        return tuple(self.columns[name] for name in names)

    def codes(self, names: Iterable[str]) -> Codes:
        """Rows × columns, contiguous by row, for the compiled loops."""
        chosen = self.select(names)
        if not chosen:
            return np.empty((self.rows, 0), dtype=np.int32)
        return np.ascontiguousarray(np.stack([column.codes for column in chosen], axis=1))

    def only(self, names: Iterable[str]) -> Table:
        """With these columns alone. There may be as many tables as attributes, and what is done for each should not be done to all."""
        kept = frozenset(names)
        quasi, sensitive, insensitive = (
            tuple(name for name in named if name in kept) for named in (self.quasi, self.sensitive, self.insensitive)
        )
        weight, household = (name if name in kept else None for name in (self.weight, self.household))
        columns = {name: column for name, column in self.columns.items() if name in kept}
        return Table(columns, quasi, sensitive, insensitive, weight, household)

    def kept(self, flags: NDArray[np.bool_]) -> Table:
        """The rows with a flag: the table itself, and no copy, where all have one."""
        return self if flags.all() else self.take(np.flatnonzero(flags))

    def take(self, rows: NDArray[Any]) -> Table:
        return replace(self, columns={name: column.take(rows) for name, column in self.columns.items()})
