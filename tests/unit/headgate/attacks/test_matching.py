"""Which classes of published rows fit a person, by what each cell covers."""

from __future__ import annotations

import numpy as np
import pytest

from headgate.attacks.matching import fitting_classes, last_is_missing, match, translated
from headgate.core.errors import InputRejected
from tests.unit.headgate.attacks.planted import drawn


@pytest.mark.parametrize("seed", range(12))
def test_the_classes_that_fit_are_those_whose_cells_cover_the_person(seed: int) -> None:
    planted = drawn(seed)
    matches = match(planted.published[0], planted.table.columns)
    out = np.empty(len(matches.sizes), dtype=np.int64)
    for person in range(len(planted.rows)):
        many = fitting_classes(matches.bits, matches.wanted[matches.cell[person]], out)
        rows = np.flatnonzero(np.isin(matches.classes, out[:many]))
        assert rows.tolist() == planted.fits(0, person)


def test_values_of_another_coding_are_translated_and_unseen_ones_are_told() -> None:
    column = drawn(1).table.columns["job"]
    assert translated(column, column).tolist() == last_is_missing(column).tolist()


def test_people_without_the_quasi_identifiers_cannot_be_attacked() -> None:
    planted = drawn(2)
    people = {name: column for name, column in planted.table.columns.items() if name != "age"}
    with pytest.raises(InputRejected, match="no column 'age'"):
        match(planted.published[0], people)
