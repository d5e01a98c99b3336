"""Step 6, first half: what was read back of one published table, compared with what was declared.

Nothing here knows what the anonymizer did: it sees files, the encoded source, the names that must not appear and, while the run is
in memory, the identifiers' values. Group numbers are drawn anew and mean nothing, so one of them may well be somebody's number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import pandas as pd
import pyarrow as pa

from headgate.core.columns import GROUP, Column, Table
from policies.schema.policy import Policy
from policies.sealed.promise import Promise
from tasks.expectations.running import ExpectationOutcome, Expected, run_expectations
from tasks.reading.identifiers import IdentifierValues
from tasks.tables.published_cells import distinct_texts, identifiers_in, known_texts, strange_quasi_cells
from tasks.tables.published_ends import wrong_ends
from tasks.tables.read_published import ReadBack


@dataclass(frozen=True, eq=False)
class DeclaredTable:
    """What one published table is meant to be. `source` is the encoded table with its bitmap columns; `withheld` are the columns of
    the source that are never published."""

    name: str
    source: Table
    sensitive: tuple[str, ...]
    insensitive: tuple[str, ...]
    withheld: tuple[str, ...]
    identifiers: IdentifierValues
    released_rows: int
    k: int
    promise: Promise

    def places(self) -> list[tuple[str, Column, int | None]]:
        """Each published column in order, the attribute it belongs to and, for a vector, which component it is."""
        published: list[tuple[str, Column, int | None]] = []
        for column in self.source.select((*self.source.quasi, *self.sensitive, *self.insensitive)):
            components = column.kind.rules.components
            published += [(part, column, place if components else None) for place, part in enumerate(column.parts)]
        return published

    def columns(self) -> list[str]:
        """In the order of the file: the ends of a cell stand behind it."""
        ends = {quasi.name: quasi.bounds or () for quasi in self.promise.quasi}
        return [*(each for name, _column, _part in self.places() for each in (name, *ends.get(name, ()))), GROUP]


def withheld_columns(policy: Policy) -> tuple[str, ...]:
    """Columns of the source that no published table has."""
    return tuple(name for name, attribute in policy.attributes.items() if not attribute.published)


def expect_outbound(read: ReadBack, declared: DeclaredTable) -> tuple[ExpectationOutcome, ...]:
    """Every file of one table, one format each: the first is looked at closely, the others must hold the same cells."""
    frame = pd.DataFrame({name: read.texts.column(name).to_pandas() for name in read.texts.column_names})
    return run_expectations(frame, list(_suite(read, declared)))


def _suite(read: ReadBack, declared: DeclaredTable) -> Iterator[Expected]:
    places = declared.places()
    yield Expected("expect_table_columns_to_match_ordered_list", {"column_list": declared.columns()})
    yield Expected("expect_table_columns_to_be_absent", search=lambda frame: len(set(frame.columns) & set(declared.withheld)))
    yield Expected("expect_table_row_count_to_equal", {"value": declared.released_rows})
    for differs in read.differing:
        yield Expected("expect_formats_to_hold_the_same_cells", search=partial(_counted, differs))
    yield Expected("expect_column_values_to_not_be_null", {"column": GROUP})
    yield Expected("expect_group_size_to_be_at_least", {"column": GROUP}, lambda frame: _small_groups(frame[GROUP], declared.k))
    for quasi in declared.promise.quasi:
        if quasi.bounds is not None:
            yield Expected(
                "expect_ends_to_be_those_of_the_cell",
                {"column": quasi.name},
                partial(_wrong_ends, read.texts, declared.promise, quasi.name),
            )
    for name, column, part in places:
        yield from _cells(read.texts, name, column, part, declared)


def _counted(differs: bool, _frame: pd.DataFrame) -> int:
    return int(differs)


def _wrong_ends(texts: pa.Table, promise: Promise, name: str, _frame: pd.DataFrame) -> int:
    return wrong_ends({each: texts.column(each) for each in texts.column_names}, promise).get(name, 0)


def _small_groups(groups: pd.Series, k: int) -> int:
    return int((groups.value_counts() < k).sum()) + int(groups.isna().any()) + int(len(groups) == 0)


def _cells(texts: pa.Table, name: str, column: Column, part: int | None, declared: DeclaredTable) -> Iterator[Expected]:
    if column.name in declared.source.quasi:
        yield Expected(
            "expect_column_cells_to_be_generalized_as_declared",
            {"column": name},
            lambda _frame: strange_quasi_cells(distinct_texts(texts.column(name)), column),
        )
    else:
        yield Expected(
            "expect_column_cells_to_be_known_values",
            {"column": name},
            lambda _frame: len(set(distinct_texts(texts.column(name))) - known_texts(column, part)),
        )
    yield Expected(
        "expect_column_cells_to_hold_no_identifier",
        {"column": name},
        lambda _frame: identifiers_in(distinct_texts(texts.column(name)), column, declared.identifiers),
    )
