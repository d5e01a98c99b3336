"""Equal cells are one code, however they are stored."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest

from headgate.core.columns import Kind
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
