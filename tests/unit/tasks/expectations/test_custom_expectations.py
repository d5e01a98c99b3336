"""Our own expectations succeed where their search counts nothing, and what they search for is no argument of theirs."""

from __future__ import annotations

import pandas as pd
import pytest

from tasks.expectations.running import Expected, import_great_expectations, run_expectations

OURS = (
    "expect_column_numbers_to_be_whole",
    "expect_column_set_members_to_be_declared",
    "expect_table_columns_to_be_absent",
    "expect_column_cells_to_be_generalized_as_declared",
    "expect_column_cells_to_be_known_values",
    "expect_column_cells_to_hold_no_identifier",
    "expect_group_size_to_be_at_least",
    "expect_ends_to_be_those_of_the_cell",
    "expect_formats_to_hold_the_same_cells",
)
FRAME = pd.DataFrame({"a": ["x", "CANARY", "x"]})


@pytest.fixture(scope="module", autouse=True)
def _imported():
    import_great_expectations()


def offences(frame: pd.DataFrame) -> int:
    return int((frame["a"] == "CANARY").sum())


@pytest.mark.slow
@pytest.mark.parametrize("kind", OURS)
def test_one_offence_is_enough(kind: str) -> None:
    outcomes = [run_expectations(frame, [Expected(kind, {"column": "a"}, offences)])[0] for frame in (FRAME, FRAME[FRAME["a"] == "x"])]
    assert [(outcome.type, outcome.column, outcome.success) for outcome in outcomes] == [(kind, "a", False), (kind, "a", True)]
    assert "CANARY" not in repr(outcomes)


def test_two_of_one_kind_and_column_look_for_different_things() -> None:
    """By its arguments alone, the second would be taken for the first."""
    kind = "expect_column_cells_to_be_known_values"
    outcomes = run_expectations(FRAME, [Expected(kind, {"column": "a"}, lambda _: 0), Expected(kind, {"column": "a"}, offences)])
    assert [outcome.success for outcome in outcomes] == [True, False]


def test_the_searches_of_a_run_lie_in_its_own_engine() -> None:
    from great_expectations.execution_engine import PandasExecutionEngine

    from tasks.expectations.custom_expectations import SEARCHES, hand_over

    one, other = PandasExecutionEngine(), PandasExecutionEngine()
    searches = [offences]
    hand_over(one, searches)
    hand_over(other, [])
    searches.clear()
    assert (getattr(one, SEARCHES), getattr(other, SEARCHES)) == ((offences,), ())
