"""Equal cells are one code, however they are stored."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest

from headgate.core.columns import Kind
from headgate.core.errors import InputRejected
from tests.unit.headgate.core.encoded import decoded, encode


def test_cells_are_taken_by_position_and_unused_categories_are_dropped() -> None:
    cells = pd.Series(pd.Categorical(["b", "a", None], categories=["z", "b", "a"]), index=[2, 2, 0])
    column = encode(cells, Kind.CATEGORY)
    assert (column.values.tolist(), column.codes.tolist()) == (["a", "b"], [1, 0, -1])


@pytest.mark.parametrize("dtype", ["float32", "Float32", "float[pyarrow]"])
def test_a_narrow_float_is_the_decimal_that_was_written(dtype: str) -> None:
    cells = pd.Series([0.7, 0.8, None, 0.7, 3]).astype(dtype)
    assert decoded(encode(cells, Kind.NUMBER)) == [0.7, 0.8, None, 0.7, 3]
    assert decoded(encode(cells, Kind.CATEGORY)) == ["0.7", "0.8", None, "0.7", "3"]


def test_a_nan_that_arrow_holds_beside_nulls_is_missing_as_they_are() -> None:
    cells = pd.Series(pd.arrays.ArrowExtensionArray(pa.array([2.0, float("nan"), None, 1.0])))
    assert decoded(encode(cells, Kind.NUMBER)) == [2, None, None, 1]


ALIKE = [
    ("HIV", "HIV\u200b"),
    ("HIV", "HI\u00adV"),
    ("\u2060flu", "flu\ufeff"),
    ("caf\u00e9", "cafe\u0301"),
    ("type 2", "type\u00a02"),
    ("\u202eHIV", "HIV"),
]


@pytest.mark.parametrize("kind", [Kind.CATEGORY, Kind.SET])
@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_values_that_nobody_can_tell_apart_are_refused(one: str, other: str, kind: Kind) -> None:
    """Every measure would take them for several values, and readers for one."""
    with pytest.raises(InputRejected, match="1 of the values of 'c' look like another one") as refused:
        encode([one, other, "none"], kind)
    assert one not in refused.value.message + refused.value.cure
    assert set(refused.value.values) & {one, other}


def test_values_that_are_alone_keep_their_spelling() -> None:
    """Persian joins words by a sign that is not shown, and a file in normal form D is read as it is."""
    cells = ["\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "cafe\u0301", "HIV", "hiv", "a b"]
    assert decoded(encode(cells, Kind.CATEGORY)) == cells
