"""Which classes of published rows fit a person, by what each cell covers."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd
import pytest

from headgate.attacks.matching import fitting_classes, last_is_missing, match, translated
from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.errors import InputRejected
from headgate.core.published_form.published_table import publish_form
from tests.unit.headgate.attacks.planted import drawn, small


@pytest.mark.parametrize("seed", range(12))
def test_the_classes_that_fit_are_those_whose_cells_cover_the_person(seed: int) -> None:
    planted = drawn(seed)
    matches = match(planted.published[0], planted.table.columns)
    out = np.empty(len(matches.sizes), dtype=np.int64)
    for person in range(len(planted.rows)):
        many = fitting_classes(matches.bits, matches.wanted[matches.cell[person]], out)
        rows = np.flatnonzero(np.isin(matches.classes, out[:many]))
        assert rows.tolist() == planted.fits(0, person)


def test_people_whom_the_classes_cannot_tell_apart_are_looked_up_together() -> None:
    """Where groups ignore the quasi-identifiers, as colors do, nearly everybody fits nearly every class."""
    rows = [(20 + i, "fm"[i % 2], "a", "x") for i in range(12)]
    case = small(rows, [0] * 12, [i // 6 for i in range(12)])
    one, two = (match(published, case.table.columns) for published in case.published)
    assert (one.cell.tolist(), one.people.tolist(), len(one.wanted)) == ([0] * 12, [12], 1)
    assert (two.cell.tolist(), two.people.tolist()) == ([0] * 6 + [1] * 6, [6, 6])


def test_values_of_another_coding_are_translated_and_unseen_ones_are_told() -> None:
    column = drawn(1).table.columns["job"]
    assert translated(column, column).tolist() == last_is_missing(column).tolist()


def test_people_without_the_quasi_identifiers_cannot_be_attacked() -> None:
    planted = drawn(2)
    people = {name: column for name, column in planted.table.columns.items() if name != "age"}
    with pytest.raises(InputRejected, match="no column 'age'"):
        match(planted.published[0], people)


def many_places(values: int) -> tuple[int, int]:
    """Ten people are looked up among groups of two, whose cells each list two of so many places: the bytes that this takes at most, and
    the rows of bits that are kept."""
    specs = {"place": ColumnSpec("place", Kind.CATEGORY, Role.QUASI)}
    table = encode_table(pd.DataFrame({"place": [f"p{i:05}" for i in range(values)]}), specs)
    published = publish_form(table, np.arange(values) // 2, "t", [])
    people = table.take(np.arange(10)).columns
    tracemalloc.start()
    matches = match(published, people)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak, len(matches.bits)


def test_what_matching_takes_grows_with_the_values_and_not_with_values_times_cells() -> None:
    many_places(10)  # compiles
    (little, bits), (much, more_bits) = many_places(3_000), many_places(6_000)
    assert much < 2.5 * little
    assert bits == more_bits == 5  # ten people in five groups
