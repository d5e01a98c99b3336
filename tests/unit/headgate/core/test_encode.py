"""From cells to codes: every value once, in domain order, by position, and refusals that name no value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.errors import InputRejected
from tests.unit.headgate.core.encoded import encode


def test_what_is_declared_harmless_is_not_sensitive() -> None:
    column = encode(["none", "flu", None], Kind.CATEGORY, nonsensitive=frozenset({"none", None}))
    assert column.sensitive[column.codes].tolist() == [False, True, False]
    number = encode([0, 0.5], Kind.NUMBER, nonsensitive=frozenset({"0"}))
    assert number.sensitive[number.codes].tolist() == [False, True]


SECRET = "canary-7f3a"


@pytest.mark.parametrize(
    ("cells", "kind", "more", "reason"),
    [
        ([SECRET], Kind.NUMBER, {}, "1 cell of 'c' is not a number \\(in row 1 of the data\\)"),
        ([1.5], Kind.INTEGER, {}, "fraction"),
        ([float("inf")], Kind.NUMBER, {}, "infinite"),
        ([" "], Kind.NUMBER, {}, "blank"),
        ([SECRET], Kind.DATE, {}, "is not a date"),
        (["2025-01-01T10:00"], Kind.DATE, {}, "holds a time of day"),
        (["-0044-03-15"], Kind.DATE, {}, "before the year 1"),
        (["2025-01-01+01:00", "2025-01-01+02:00"], Kind.DATE, {}, "are not dates|times of day"),
        ([SECRET, "a"], Kind.CATEGORY, {"declared": ("a",)}, "1 cell of 'c' is not among its declared values \\(in row 1 of the data\\)"),
        ([SECRET], Kind.ORDINAL, {"levels": ("a",)}, "is not among its declared"),
        (["a"], Kind.ORDINAL, {"levels": ("a", "a")}, "twice"),
        ([f"a|{SECRET}"], Kind.SET, {"declared": ("a",)}, "holds values that are not declared"),
        ([5, 200], Kind.NUMBER, {"domain": (0, 100)}, "1 cell of 'c' is outside its domain \\(in row 2 of the data\\)"),
        (pd.DataFrame({"p": [0.5], "q": [0.6]}), Kind.VECTOR, {"metric": "total-variation"}, "do not sum to 1"),
        (pd.DataFrame({"p": [SECRET]}), Kind.VECTOR, {"metric": "lp"}, "1 cell of 'p' is not a finite number"),
    ],
)
def test_a_cell_that_the_kind_cannot_hold_is_refused_without_showing_it(cells: Any, kind: Kind, more: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputRejected, match=reason) as refusal:
        encode(cells, kind, **more)
    assert SECRET not in str(refusal.value)
    assert refusal.value.cure


def test_a_column_with_nothing_in_it_is_legal() -> None:
    for kind in (Kind.NUMBER, Kind.INTEGER, Kind.DATE, Kind.CATEGORY, Kind.SET):
        column = encode([None, None], kind)
        assert (len(column.values), column.codes.tolist(), column.width) == (0, [-1, -1], 0.0)


def test_a_table_keeps_the_roles_apart_and_names_what_is_absent() -> None:
    specs = {
        name: ColumnSpec(name, Kind.CATEGORY, role)
        for name, role in [("id", Role.IDENTIFIER), ("q", Role.QUASI), ("s", Role.SENSITIVE), ("i", Role.INSENSITIVE), ("d", Role.DROPPED)]
    }
    frame = pd.DataFrame({name: ["x", "y"] for name in specs})
    table = encode_table(frame, specs)
    assert (list(table.columns), table.quasi, table.sensitive, table.insensitive) == (["q", "s", "i"], ("q",), ("s",), ("i",))
    assert table.codes(["s", "q"]).tolist() == [[0, 0], [1, 1]]
    assert table.take(np.array([1])).rows == 1
    with pytest.raises(InputRejected, match="'s' is not in the data"):
        encode_table(frame.drop(columns="s"), specs)
