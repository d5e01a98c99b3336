"""Parts of cells by kind; whole frames are looked at in test_released_tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Kind
from headgate.core.published_form.domain_column import domain_column
from headgate.core.published_form.published_table import PublishedCells
from headgate.released.typed_cells import parts_of, typed_quasi
from tests.unit.headgate.released.tiny_releases import AGES, TOWNS

COLUMNS = {
    "age": (domain_column("age", Kind.INTEGER, (0, 9)), ("low", "high")),
    "era": (domain_column("era", Kind.INTEGER, (20, 70), paths=AGES), ("low", "high", "level")),
    "town": (domain_column("town", Kind.CATEGORY, paths=TOWNS), ("level",)),
    "eye": (domain_column("eye", Kind.CATEGORY, None, ["blue", "brown"]), ("values",)),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_each_kind_of_cell_has_its_parts(name: str) -> None:
    column, parts = COLUMNS[name]
    assert parts_of(column) == parts


def test_each_row_has_the_parts_of_its_cell() -> None:
    cells = PublishedCells(np.array([1, 0, 2, 1], dtype=np.int32), np.array(["north", "t3", ""], dtype=object))
    assert list(typed_quasi(COLUMNS["town"][0], cells, "level")) == [0, 1, pd.NA, 0]
    cells = PublishedCells(np.array([0, 1], dtype=np.int32), np.array(["{|blue}", "*"], dtype=object))
    assert list(typed_quasi(COLUMNS["eye"][0], cells, "values")) == [(None, "blue"), (None, "blue", "brown")]
