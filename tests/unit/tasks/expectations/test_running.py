"""Running expectations: verdicts in the order asked for, and no value in an outcome, a message or a file."""

from __future__ import annotations

import gc
import os
import socket
import threading
import time
import weakref

import numpy as np
import pandas as pd
import pytest

from headgate.core.errors import InputRejected, RequirementNotMet
from tasks.expectations.running import (
    ExpectationOutcome,
    Expected,
    failures,
    import_great_expectations,
    refuse_failed_inbound,
    refuse_failed_outbound,
    run_expectations,
)


@pytest.fixture(scope="module", autouse=True)
def _imported():
    import_great_expectations()


def test_an_expectation_that_cannot_be_computed_has_failed():
    frame = pd.DataFrame({"a": ["CANARY", "2"]})
    outcomes = run_expectations(
        frame,
        [
            Expected("expect_column_values_to_be_between", {"column": "a", "min_value": 0, "max_value": 3}),
            Expected("expect_column_values_to_not_be_null", {"column": "b"}),
            Expected("expect_group_size_to_be_at_least", {"column": "a"}, lambda frame: int(frame["a"].iloc[0])),
            Expected("expect_column_to_exist", {"column": "a"}),
        ],
    )
    assert [(outcome.success, outcome.detail) for outcome in outcomes] == [(False, "could not be computed")] * 3 + [(True, "")]
    assert "CANARY" not in repr(outcomes)


def test_running_expectations_writes_nothing_calls_nobody_and_keeps_nothing(tmp_path, monkeypatch, capfd):
    def refuse(*_args, **_kwargs):
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    frame = pd.DataFrame({"a": ["CANARY", None] * 50})
    kept = weakref.ref(frame)
    assert not run_expectations(frame, [Expected("expect_column_values_to_not_be_null", {"column": "a"})])[0].success
    del frame
    gc.collect()
    assert kept() is None
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")
    assert os.environ["GX_ANALYTICS_ENABLED"] == "false"


def test_a_hundred_thousand_rows_are_checked_in_well_under_a_second():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({f"c{place}": pd.Series(rng.integers(0, 50, 100_000)).astype("str") for place in range(17)})
    frame["id"] = pd.Series(range(100_000)).astype("str")
    known = [str(value) for value in range(50)]
    expected = [Expected("expect_column_values_to_be_in_set", {"column": f"c{place}", "value_set": known}) for place in range(17)]
    expected += [Expected("expect_column_values_to_be_unique", {"column": "id"})]
    start = time.process_time()
    outcomes = run_expectations(frame, expected)
    taken = time.process_time() - start
    assert all(outcome.success for outcome in outcomes)
    assert taken < 1.5  # 0.2 s alone on the machine


def test_outcomes_come_in_the_order_asked_for_whatever_column_they_are_about():
    frame = pd.DataFrame({"a": [1, None], "b": [1, 2]})
    expected = [
        Expected("expect_column_values_to_not_be_null", {"column": "b"}),
        Expected("expect_column_values_to_not_be_null", {"column": "a"}),
        Expected("expect_column_to_exist", {"column": "b"}),
        Expected("expect_table_row_count_to_equal", {"value": 2}),
        Expected("expect_column_values_to_be_unique", {"column": "a"}),
    ]
    assert run_expectations(frame, expected) == (
        ExpectationOutcome("expect_column_values_to_not_be_null", "b", True),
        ExpectationOutcome("expect_column_values_to_not_be_null", "a", False),
        ExpectationOutcome("expect_column_to_exist", "b", True),
        ExpectationOutcome("expect_table_row_count_to_equal", None, True),
        ExpectationOutcome("expect_column_values_to_be_unique", "a", True),
    )
    assert run_expectations(frame, []) == ()


def test_runs_at_once_look_with_their_own_searches():
    """What a search of one run counts is no affair of another's."""
    frames = [pd.DataFrame({"a": range(rows)}) for rows in (3, 4)]
    outcomes: dict[int, bool] = {}

    def run(place: int) -> None:
        expected = [Expected("expect_group_size_to_be_at_least", {"column": "a"}, lambda frame: len(frame) - 3)]
        outcomes[place] = run_expectations(frames[place], expected)[0].success

    threads = [threading.Thread(target=run, args=(place,)) for place in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == {0: True, 1: False}


def outcomes_of(failed: int) -> tuple[ExpectationOutcome, ...]:
    """So many that failed, the first of which could not be computed, and one that was met."""
    details = ["could not be computed", *[""] * failed][:failed]
    lost = [ExpectationOutcome("expect_column_to_exist", f"c{number}", False, detail) for number, detail in enumerate(details)]
    return (*lost, ExpectationOutcome("expect_table_row_count_to_equal", None, True))


def test_what_met_every_expectation_goes_on():
    refuse_failed_inbound(outcomes_of(0))
    refuse_failed_outbound(outcomes_of(0), "table-1")
    assert failures(outcomes_of(2)) == outcomes_of(2)[:2]


def test_a_source_that_fails_one_is_bad_input_and_says_which():
    with pytest.raises(InputRejected) as caught:
        refuse_failed_inbound(outcomes_of(2))
    assert caught.value.message == (
        "2 of 3 expectations on the source failed: expect_column_to_exist on 'c0' (could not be computed); expect_column_to_exist on 'c1'."
    )
    assert (caught.value.code, caught.value.cure[:16]) == (2, "Correct the data")


def test_a_written_table_that_fails_one_does_not_meet_what_is_required():
    with pytest.raises(RequirementNotMet, match="1 of 2 expectations on table-1 as it was written failed") as caught:
        refuse_failed_outbound(outcomes_of(1), "table-1")
    problem = caught.value
    assert (problem.code, problem.measure, problem.measured, problem.required) == (3, "expectations", 1.0, 0.0)
    assert "roles and domains" in problem.cure


def test_of_many_failures_eight_are_named_and_the_rest_counted():
    with pytest.raises(InputRejected, match="10 of 11 expectations") as caught:
        refuse_failed_inbound(outcomes_of(10))
    assert caught.value.message.count("expect_column_to_exist") == 8
    assert caught.value.message.endswith(" and 2 more.")
