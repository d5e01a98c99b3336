"""A dictionary of which only published frequency tables are known. Its fields are assumed to be independent (DEFINITIONS §7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from headgate.core.columns import Column
from headgate.core.errors import InputRejected
from headgate.core.published_form.published_table import PublishedCells
from headgate.core.spelling import LARGEST_INTEGER, is_blank
from headgate.risk.candidates.consistency import check_shared, open_column
from headgate.risk.candidates.runs import cell_runs

FIELD, VALUE, COUNT = "field", "value", "count"


@dataclass(frozen=True, eq=False)
class Marginals:
    """`columns` has one row per line of a field's table. `counts` holds the people per value; the last entry counts people whose value
    is not known."""

    individuals: int
    columns: Mapping[str, Column]
    counts: Mapping[str, NDArray[np.int64]]


def marginals_of(frame: pd.DataFrame, domains: Mapping[str, Column], fields: Sequence[str], individuals: int | None = None) -> Marginals:
    """Reads frequency tables that are listed one below the other, with the columns field, value and count. An empty value counts people
    whose value is not known. All tables must count the same number of people, unless `individuals` is given; then only their shares are
    used."""
    for name in (FIELD, VALUE, COUNT):
        if int((frame.columns == name).sum()) != 1:
            raise InputRejected(
                f"Column '{name}' is not in the frequency tables, or appears twice.", "Give the columns field, value and count."
            )
    if len(frame) == 0:
        raise InputRejected("The frequency tables have no rows.", "Give one row per value.")
    if not fields:
        raise InputRejected("A dictionary needs at least one field shared with the release.", "Name the shared fields.")
    if individuals is not None and (isinstance(individuals, bool) or not individuals >= 1 or individuals % 1 != 0):
        raise InputRejected("The number of individuals is not a whole number of at least 1.", "Say how many people the tables speak of.")
    people = _whole(frame[COUNT])
    values = frame[VALUE].mask(frame[VALUE].map(is_blank).astype(bool))
    columns, counts = {}, {}
    for name in fields:
        rows = np.flatnonzero(frame[FIELD].astype(object) == name)
        columns[name], counts[name] = _table(values.iloc[rows], people[rows], name, domains)
    totals = {int(own.sum()) for own in counts.values()}
    if individuals is None and len(totals) > 1:
        raise InputRejected("The frequency tables do not count the same number of people.", "Correct them, or say how many individuals.")
    return Marginals(max(totals) if individuals is None else int(individuals), columns, counts)


def expected_individuals(cells: Mapping[str, PublishedCells], marginals: Marginals, fields: Sequence[str]) -> NDArray[np.float64]:
    """N·Π share: the number of individuals who are expected to be consistent with each record if fields are independent. It is 0 if some
    share is 0. An expectation below one counts as one, which is the worst case: a person always hides among at least one."""
    check_shared(fields, cells, marginals.columns, "the frequency tables")
    expected = np.full(len(cells[fields[0]].codes), float(marginals.individuals))
    nobody = np.zeros(len(expected), dtype=bool)
    for name in fields:
        counts = marginals.counts[name]
        share = (cell_runs(cells[name], marginals.columns[name]).sums(counts) / counts.sum())[cells[name].codes]
        expected *= share
        nobody |= share == 0
    return np.where(nobody, 0.0, np.maximum(expected, 1.0))


def _table(values: pd.Series, people: NDArray[np.int64], name: str, domains: Mapping[str, Column]) -> tuple[Column, NDArray[np.int64]]:
    if name not in domains:
        raise InputRejected(f"Field '{name}' is not in the release.", "Name fields that both have.")
    if len(values) == 0:
        raise InputRejected(f"Field '{name}' has no frequency table.", "Give one row per value, or leave the field out.")
    column = open_column(values, name, domains[name])
    if (column.counts() > 1).any():
        raise InputRejected(f"The frequency table of '{name}' lists a value twice.", "Give one row per value.")
    counts = np.zeros(len(column.values) + 1, dtype=np.int64)
    counts[column.codes] = people
    if counts.sum() == 0:
        raise InputRejected(f"The frequency table of '{name}' counts nobody.", "Leave the field out.")
    return column, counts


def _whole(counts: pd.Series) -> NDArray[np.int64]:
    numbers = pd.to_numeric(counts.astype(object), errors="coerce").to_numpy(dtype=np.float64)
    right = (numbers >= 0) & (numbers <= LARGEST_INTEGER) & (numbers == np.floor(numbers))
    if not right.all():
        raise InputRejected(f"{int((~right).sum())} counts of the frequency tables are not whole numbers from 0 up.", "Correct them.")
    return numbers.astype(np.int64)
