"""Frames of a few columns at once, made from the cells as the policy reads them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from headgate.core.errors import InputRejected
from tasks.reading.source_cells import SourceCells


@pytest.fixture
def cells(clinic):
    """However a column is held."""
    policy = clinic.load().policy
    table = {
        "patient_id": pa.array(["p1", " p2", "p3"]),
        "age": pa.array([30, None, 41], pa.int8()),
        "sex": pa.array(["male", " ", None]).dictionary_encode(),
        "region": pa.array(["north-a "] * 3).dictionary_encode(),
        "admitted": pa.array(["2024-02-03", "2024-02-03", "x"]).dictionary_encode(),
        "diagnosis": pa.array([["flu", "asthma"], [], None]),
        "income": pa.array([-0.0, float("nan"), 2.5]),
        "education": pa.array(["primary"] * 3),
        "zip": pa.array([7, 8, 9]),
    }
    return SourceCells(pa.table(table), policy, "The source")


def test_a_frame_holds_the_columns_that_are_asked_for_and_knows_all(cells) -> None:
    assert cells.rows == 3
    assert cells.columns == ("patient_id", "age", "sex", "region", "admitted", "diagnosis", "income", "education", "zip")
    frame = cells.frame(["sex", "age"])
    assert list(frame.columns) == ["sex", "age"]
    assert repr(cells) == "SourceCells(9 columns)"


def test_cells_are_texts_without_blanks_numbers_and_days(cells) -> None:
    frame = cells.frame(cells.columns)
    assert frame["patient_id"].tolist() == ["p1", "p2", "p3"]
    assert frame["zip"].tolist() == ["7", "8", "9"]
    assert frame["region"].tolist() == ["north-a"] * 3
    assert [text for text in frame["sex"] if isinstance(text, str)] == ["male"]
    assert frame["diagnosis"].tolist()[:2] == ["flu|asthma", "|"]
    np.testing.assert_array_equal(frame["age"], [30, np.nan, 41])
    np.testing.assert_array_equal(np.signbit(frame["income"]), [False, False, False])
    assert frame["admitted"].tolist()[:2] == [pd.Timestamp("2024-02-03")] * 2
    assert frame["admitted"].isna().tolist() == [False, False, True]
    assert {str(frame[name].dtype) for name in ("sex", "zip", "diagnosis", "patient_id")} == {"str"}
    assert (str(frame["age"].dtype), str(frame["admitted"].dtype)) == ("float64", "datetime64[ns]")


def test_days_that_a_frame_cannot_hold_are_refused(clinic) -> None:
    held = SourceCells(pa.table({"admitted": ["1500-01-01"]}), clinic.load().policy, "The source")
    with pytest.raises(InputRejected, match="before 1678 or after 2262"):
        held.frame(["admitted"])
