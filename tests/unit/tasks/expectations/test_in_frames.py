"""Expectations see no more of a table at once than they need, and say the same."""

from __future__ import annotations

import pandas as pd
import pytest

import tasks.expectations.in_frames as room
from tasks.expectations.in_frames import run_in_frames
from tasks.expectations.running import Expected, import_great_expectations


@pytest.fixture(scope="module", autouse=True)
def _imported():
    import_great_expectations()


class Asked:
    """A table that notes which of its columns lay in one frame."""

    def __init__(self) -> None:
        self._frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["x", "y", "x"], "c": [3.0, 2.0, 9.0], "d": [0.0] * 3})
        self.rows, self.columns = 3, tuple(self._frame.columns)
        self.frames: list[tuple[str, ...]] = []

    def frame(self, columns):
        self.frames.append(tuple(columns))
        return self._frame[list(columns)]


EXPECTED = [
    Expected("expect_column_values_to_be_between", {"column": "a", "min_value": 0, "max_value": 2}),
    Expected("expect_table_columns_to_match_set", {"column_set": ["a", "b", "c", "d"], "exact_match": True}),
    Expected("expect_column_values_to_be_unique", {"column": "b"}),
    Expected("expect_table_row_count_to_be_between", {"min_value": 3, "max_value": 3}),
    Expected("expect_column_pair_values_a_to_be_greater_than_b", {"column_A": "c", "column_B": "a"}),
    Expected("expect_column_values_to_be_in_set", {"column": "a", "value_set": [1, 2, 3]}),
    Expected("expect_multicolumn_sum_to_equal", {"column_list": ["a", "c"], "sum_total": 4}),
    Expected("expect_column_to_exist", {"column": "d"}),
    Expected("expect_column_to_exist", {"column": "e"}),
]


@pytest.mark.parametrize("at_once", [1, 6, 1000])
def test_outcomes_stand_in_their_order_however_many_columns_a_frame_holds(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    monkeypatch.setattr(room, "CELLS_AT_ONCE", at_once)
    asked = Asked()
    outcomes = run_in_frames(asked, EXPECTED)
    assert [(outcome.type, outcome.column) for outcome in outcomes] == [(item.type, item.kwargs.get("column")) for item in EXPECTED]
    assert [outcome.success for outcome in outcomes] == [False, True, False, True, False, True, False, True, False]
    widest = max(map(len, asked.frames))
    assert widest == {1: 2, 6: 2, 1000: 4}[at_once]  # two columns that are compared lie together, whatever fits


def test_great_expectations_hashes_no_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    """It did to each frame of less than a gigabyte, which took more time and room than all expectations."""
    hashed: list[pd.DataFrame] = []
    monkeypatch.setattr("great_expectations.execution_engine.pandas_execution_engine.hash_pandas_dataframe", hashed.append)
    assert len(run_in_frames(Asked(), EXPECTED)) == len(EXPECTED)
    assert hashed == []
