"""Ends of cells as headgate writes them, and as an independent reader of cells says they are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from headgate.core.cells import format_number
from headgate.core.published_form.bounds import all_ends, written_ends
from policies.sealed.promise import Promise, QuasiIdentifier
from policies.sealed.specs import domains_of
from tasks.tables.published_ends import ends_of, wrong_ends

TREE = (("1", "few", "*"), ("2", "few", "*"), ("9", "many", "*"))
LEVELS = (("low", "bad", "*"), ("mid", "good", "*"), ("high", "good", "*"))
CELLS = {
    QuasiIdentifier(name="age", kind="integer", domain=(0, 110)): ["[20..29]", "5", "[-3..0]", "*", ""],
    QuasiIdentifier(name="dose", kind="number", domain=(0.5, 2)): ["[0.75..1.5]", "2", "*", ""],
    QuasiIdentifier(name="seen", kind="date", domain=(19723, 19783)): ["2024-02", "2024-Q1", "2024-01-31", "2024", "[2020..2024]", "*", ""],
    QuasiIdentifier(name="grade", kind="ordinal", values=("a", "b..c", "*")): ["[a..b\\.\\.c]", "a", "\\*", "*", ""],
    QuasiIdentifier(name="kids", kind="integer", domain=(1, 9), hierarchy=TREE): ["few", "many", "2", "*", ""],
    QuasiIdentifier(name="state", kind="ordinal", hierarchy=LEVELS): ["good", "bad", "mid", "*"],
}


@pytest.mark.parametrize("quasi", CELLS, ids=lambda quasi: quasi.name)
def test_both_sides_agree_on_the_ends_of_every_cell(quasi: QuasiIdentifier) -> None:
    cells = CELLS[quasi]
    column = domains_of(Promise(requirements=(), quasi=(quasi,), sensitive=()))[quasi.name]
    low, high = written_ends(all_ends(cells, column), np.arange(len(cells)), column)

    def text(end):
        missing = end is None or end is pd.NA or end != end
        return None if missing else end if isinstance(end, str) else format_number(end)

    assert [(text(a), text(b)) for a, b in zip(low, high, strict=True)] == [ends_of(cell, quasi) for cell in cells]


def test_rows_with_other_ends_are_counted() -> None:
    quasi = QuasiIdentifier(name="age", kind="integer", domain=(0, 110), bounds=("l", "h"))
    promise = Promise(requirements=(), quasi=(quasi,), sensitive=())
    columns = {"age": ["[1..2]", "3", None, "*", "{x"], "l": ["1", "3", None, "0", None], "h": ["2", "4", "7", "110", None]}
    assert wrong_ends({name: pa.chunked_array([cells]) for name, cells in columns.items()}, promise) == {"age": 3}
    assert wrong_ends({}, Promise(requirements=(), quasi=(), sensitive=())) == {}


def test_two_columns_of_one_name_are_never_promised() -> None:
    quasi = QuasiIdentifier(name="age", kind="integer", domain=(0, 110), bounds=("age", "age high"))
    with pytest.raises(ValueError, match="two published columns have one name"):
        Promise(requirements=(), quasi=(quasi,), sensitive=())
