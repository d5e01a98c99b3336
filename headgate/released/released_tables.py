"""A release as a reader uses it: its tables with typed cells, and estimates over one table at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from headgate.core.columns import BIT, GROUP, Codes, Column, Kind, Role
from headgate.core.encode import ColumnSpec
from headgate.core.errors import InputRejected, IntegrityBroken
from headgate.core.frame_specs import absent_column
from headgate.core.published_form.bounds import free_name
from headgate.core.published_form.published_table import PublishedTable, from_frame
from headgate.core.published_form.weights import positive_numbers
from headgate.released.description import AGAIN, DescribedTable, Description
from headgate.released.distributions import Spread, spread_of_cells, spread_of_values
from headgate.released.estimates import Estimate, Measure, Rows, count, mean, rows_of, share
from headgate.released.possible import Met, exact_values, generalized_cells
from headgate.released.reader_conditions import Condition, parse_conditions, plain_column
from headgate.released.released_frame import COUNT_EACH, NOT_BY_GROUP, ReleasedFrame
from headgate.released.typed_cells import HIGH, LOW, parts_of, typed_column, typed_quasi
from headgate.released.wanted import PRESENT

MISSING = ("is missing", "is not missing")


class ReleasedTable:
    """One published table. `frame` is typed: beside each generalized column stand the parts of its cells, under the names in `parts`."""

    def __init__(self, description: Description, said: DescribedTable, published: PublishedTable, groups: NDArray[np.int64]) -> None:
        self._description, self._published, self._groups = description, published, groups
        self.name, self.rows = said.name, published.rows
        self.quasi = tuple(published.cells)
        self.sensitive, self.insensitive = tuple(published.sensitive), tuple(published.insensitive)
        self.parts = self._named_parts()

    @property
    def columns(self) -> tuple[str, ...]:
        """As conditions name them: the published columns without group numbers and ends of cells."""
        own = (*self._published.sensitive.values(), *self._published.insensitive.values())
        return (*self.quasi, *(part for column in own for part in column.parts))

    @property
    def hierarchies(self) -> dict[str, pd.DataFrame]:
        """Level 0 holds the values, the last level everything."""
        trees = {name: self._description.quasi[name].hierarchy for name in self.quasi}
        return {name: pd.DataFrame(tree.labels, dtype="str") for name, tree in trees.items() if tree is not None}

    @cached_property
    def frame(self) -> ReleasedFrame:
        published, columns = self._published, dict[str, Any]()
        for name, cells in published.cells.items():
            texts = np.array([text or None for text in cells.texts], dtype=object)
            columns[name] = pd.array(texts[cells.codes], dtype="str")
            for part, shown in self.parts[name].items():
                columns[shown] = typed_quasi(self._description.quasi[name], cells, part)
        for column in (*published.sensitive.values(), *published.insensitive.values()):
            columns.update(typed_column(column))
        columns[GROUP] = self._groups
        frame = ReleasedFrame(columns, index=pd.RangeIndex(self.rows))
        frame.released_from = (self._description.release, self.name)
        return frame

    def estimate(self, measure: str, of: str | None = None, where: str | Sequence[str] = "") -> Estimate:
        """count, share or mean over the rows that meet all conditions; a mean is `of` a column of numbers."""
        asked = _measure(measure, of, self.numbers)
        conditions = _conditions(where)
        weighed = of != self._weight  # the weights themselves are of rows
        for condition in conditions:
            if condition.column not in self._sets or condition.operator not in MISSING:
                self._require(plain_column(condition))
        if of is None:
            spread = (count if asked is Measure.COUNT else share)(self._rows(conditions)[0])
        else:
            self._require_numbers(of)
            rows, met = self._rows((*conditions, Condition(of, PRESENT)), weighed)
            ends, codes = met[of], self._codes(of)
            spread = mean(rows, ends.low[codes], ends.high[codes], ends.mean[codes], of)
        said = where if isinstance(where, str) else " and ".join(where)
        return Estimate(
            spread.lowest,
            spread.expected,
            spread.highest,
            asked,
            of,
            said,
            self.name,
            self.rows,
            self._description.suppressed,
            self._weight if weighed or of is None else None,
            tuple(self._notes(of)),
        )

    def spread(self, name: str) -> Spread:
        """How the values of one of `columns` are spread over the rows."""
        self._require(name)
        if name in self._published.cells:
            return spread_of_cells(self._description.quasi[name], self._published.cells[name])
        return spread_of_values(self._exact[name])

    def _rows(self, conditions: Sequence[Condition], weighed: bool = True) -> tuple[Rows, dict[str, Met]]:
        by_column: dict[str, list[Condition]] = {}
        for condition in map(self._plain, conditions):
            by_column.setdefault(condition.column, []).append(condition)
        met = {name: self._met(name, own) for name, own in by_column.items()}
        return rows_of(met, {name: self._codes(name) for name in met}, self.rows, self._weights if weighed else None), met

    @property
    def _weight(self) -> str | None:
        """The column with the weights, in the one table that has it."""
        weight = self._description.weight
        return weight if weight in self._published.insensitive else None

    @cached_property
    def _weights(self) -> NDArray[np.float64] | None:
        return None if self._weight is None else positive_numbers(self._published.insensitive[self._weight])

    def _plain(self, condition: Condition) -> Condition:
        """`diagnosis has asthma` is about the column diagnosis=asthma; and a set that is missing is missing in each of its columns."""
        if condition.operator == "has":
            return Condition(plain_column(condition), "==", ("1",))
        first = next((column.name for column in self._published.sensitive.values() if column.origin == condition.column), None)
        return condition if first is None else replace(condition, column=first)

    def _met(self, name: str, conditions: Sequence[Condition]) -> Met:
        if name in self._published.cells:
            texts = [str(text) for text in self._published.cells[name].texts]
            return generalized_cells(self._description.quasi[name], texts, conditions)
        return exact_values(self._exact[name], conditions)

    def _codes(self, name: str) -> Codes:
        cells = self._published.cells.get(name)
        return self._exact[name].codes if cells is None else cells.codes

    @cached_property
    def _exact(self) -> dict[str, Column]:
        """The columns that are as in the source, a vector by its components."""
        columns: dict[str, Column] = {}
        for column in (*self._published.sensitive.values(), *self._published.insensitive.values()):
            if not column.kind.rules.components:
                columns[column.name] = column
                continue
            for place, part in enumerate(column.parts):
                columns[part] = Column(part, Kind.NUMBER, column.codes, column.values[:, place], column.sensitive)
        return columns

    @cached_property
    def _sets(self) -> frozenset[str]:
        return frozenset(column.origin for column in self._published.sensitive.values() if column.origin is not None)

    def _require(self, name: str) -> None:
        if name in self.columns:
            return
        if name in self._sets:
            raise InputRejected(f"'{name}' is a set, of which each value is a column.", f"Ask for a value, such as {name} has VALUE.")
        if name == GROUP:
            raise InputRejected(f"A condition names '{GROUP}', whose numbers are random.", "Name other columns.")
        raise absent_column(name, [*self.columns, *sorted(self._sets)], self.name)

    def _require_numbers(self, name: str) -> None:
        self._require(name)
        column = self._description.quasi[name] if name in self.quasi else self._exact.get(name)
        if column is None or not _numeric(column):
            raise InputRejected(f"'{name}' does not hold numbers, so it has no mean.", "Ask for a share or a count of its values.")

    @property
    def numbers(self) -> tuple[str, ...]:
        """The columns that have a mean."""
        columns = {**{name: self._description.quasi[name] for name in self.quasi}, **self._exact}
        return tuple(name for name in self.columns if name in columns and _numeric(columns[name]))

    def _notes(self, of: str | None) -> Iterator[str]:
        suppressed, weight = self._description.suppressed, self._description.weight
        if of is not None and of == self._weight:
            yield f"'{of}' says how many people a row stands for, so each row counts once here. For the people in all, ask for a count."
        elif self._weight is not None:
            yield f"Weighted by '{weight}': each row stands for as many people of the population as its weight says."
        elif weight is not None:
            yield f"Not weighted: '{weight}' is in another table, and tables cannot be joined. The figures count rows, not people."
        if suppressed == 1:
            yield "1 row was suppressed and is in no table; these figures leave it out."
        elif suppressed:
            yield f"{suppressed:,} rows were suppressed and are in no table; these figures leave them out."
        if not self._description.people:
            yield "Rows are counted; nobody checked that a row is a person."
        coded = self._description.numbers.get(of or "")
        if coded:
            yield f"The numbers of '{of}' were rounded or coded before they were published; the lowest and the highest do not undo that."

    def _named_parts(self) -> dict[str, dict[str, str]]:
        """Under names that no published column has; where the ends of cells are published, under theirs."""
        given = self._description.bounds
        used = {*self.columns, GROUP, *(name for ends in given.values() for name in ends)}
        named: dict[str, dict[str, str]] = {}
        for name in self.quasi:
            ends = dict(zip((LOW, HIGH), given.get(name, ()), strict=False))
            parts = parts_of(self._description.quasi[name])
            named[name] = {part: ends.get(part) or free_name(f"{name} {part}", used) for part in parts}
        return named


class Release(Mapping[str, ReleasedTable]):
    """The published tables by name."""

    def __init__(self, description: Description, tables: Sequence[ReleasedTable]) -> None:
        self.dataset, self.title, self.suppressed = description.dataset, description.title, description.suppressed
        self._tables = {table.name: table for table in tables}

    def __getitem__(self, name: str) -> ReleasedTable:
        if name not in self._tables:
            raise InputRejected(f"The release has no table '{name}'.", f"Name one of: {', '.join(self._tables)}.")
        return self._tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __contains__(self, name: object) -> bool:
        return name in self._tables

    def estimate(self, measure: str, of: str | None = None, where: str | Sequence[str] = "", table: str | None = None) -> Estimate:
        """Over the named table, else over the first that has all columns that are named."""
        if table is not None:
            return self[table].estimate(measure, of, where)
        _measure(measure, of, [name for one in self._tables.values() for name in one.numbers])
        names = {plain_column(condition) for condition in _conditions(where)} | ({of} if of is not None else set())
        return self._with(names).estimate(measure, of, where)

    def _with(self, names: set[str]) -> ReleasedTable:
        sets = {name: {column.rpartition(BIT)[0] for column in table.columns if BIT in column} for name, table in self._tables.items()}
        having = {name: names & ({*table.columns, GROUP} | sets[name]) for name, table in self._tables.items()}
        for name, own in having.items():
            if own == names:
                return self[name]
        known = set().union(*having.values())
        if known != names:
            unknown = min(names - known)
            raise absent_column(unknown, sorted({column for table in self._tables.values() for column in table.columns}), "the release")
        raise InputRejected(f"No table has all the columns that are named, and tables cannot be joined. {NOT_BY_GROUP}", COUNT_EACH)


def release_of(
    description: Description, frame: Callable[[DescribedTable], pd.DataFrame], kinds: Mapping[str, ColumnSpec] | None = None
) -> Release:
    """`frame` gives the cells of a table, as texts or typed. `kinds`: how insensitive columns are read, where that is known."""
    tables = [_table(description, said, frame(said), kinds or {}) for said in description.tables]
    return Release(description, tables)


def _table(description: Description, said: DescribedTable, frame: pd.DataFrame, kinds: Mapping[str, ColumnSpec]) -> ReleasedTable:
    insensitive = {name: kinds.get(name) or ColumnSpec(name, Kind.CATEGORY, Role.INSENSITIVE) for name in said.insensitive}
    unknown = [name for name in said.sensitive if name not in description.sensitive]
    if unknown or len(frame) != said.rows:
        raise IntegrityBroken(f"{said.name} is not the table that the manifest describes.", AGAIN)
    sensitive = {name: description.sensitive[name] for name in said.sensitive}
    published = from_frame(frame, said.name, tuple(description.quasi), sensitive, insensitive)
    try:
        groups = frame[GROUP].to_numpy(dtype=np.int64)
    except ValueError:
        raise IntegrityBroken(f"{said.name} has group numbers that are not whole numbers.", AGAIN) from None
    return ReleasedTable(description, said, published, groups)


def _numeric(column: Column) -> bool:
    return column.kind.rules.storage in ("number", "integer") or column.origin is not None


def _measure(measure: str, of: str | None, numbers: Sequence[str]) -> Measure:
    """`numbers`: the columns that it may be of."""
    if measure not in tuple(Measure):
        raise InputRejected(f"'{measure}' cannot be estimated.", f"Ask for one of: {', '.join(Measure)}.")
    asked = Measure(measure)
    if (asked is Measure.MEAN) != (of is not None):
        if of is not None:
            raise InputRejected(f"A {asked} is of rows, not of a column.", "Leave the column out, or ask for the mean.")
        listed = " or ".join(f"'{name}'" for name in dict.fromkeys(numbers))
        cure = (
            f"Name the column whose mean you want as `of`: {listed}." if listed else "No column holds numbers: ask for a share or a count."
        )
        raise InputRejected("A mean is of a column of numbers.", cure)
    return asked


def _conditions(where: str | Sequence[str]) -> tuple[Condition, ...]:
    return tuple(condition for text in ([where] if isinstance(where, str) else where) for condition in parse_conditions(text))
