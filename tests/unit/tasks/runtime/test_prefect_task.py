"""A step as a Prefect task: what Prefect is told to keep, to try again, and to call it. No flow and no server runs here."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from prefect.cache_policies import NO_CACHE

from headgate.core.errors import Defect, HeadgateError, InputRejected, RequirementNotMet, StoreUnavailable
from tasks.runtime.prefect_task import prefect_task


def refuse(problem: BaseException) -> None:
    raise problem


def test_nothing_of_a_step_is_cached_or_persisted() -> None:
    step = prefect_task("ingest")(refuse)
    assert step.persist_result is False
    assert step.cache_policy is NO_CACHE
    assert step.retries == 0
    assert prefect_task("publish", retries=3)(refuse).retries == 3


def test_a_step_is_shown_by_its_name_or_by_what_its_run_is_called() -> None:
    plain = prefect_task("gate")(refuse)
    assert (plain.name, plain.task_run_name) == ("gate", "gate")

    def of_table() -> str:
        return "gate table-2"

    about = prefect_task("gate", run_name=of_table)(refuse)
    assert (about.name, about.task_run_name) == ("gate", of_table)


def test_arguments_and_results_pass_through() -> None:
    step = prefect_task("sum")(lambda first, second=0: first + second)
    assert step.fn(1, second=2) == 3


@pytest.mark.parametrize("problem", [InputRejected("No rows.", "Give some."), RequirementNotMet("k is 1.", "Raise it.", "k")])
def test_a_refusal_stays_what_it_is_and_names_its_step(problem: HeadgateError) -> None:
    with pytest.raises(HeadgateError) as caught:
        prefect_task("gate")(refuse).fn(problem)
    assert caught.value is problem
    assert caught.value.step == "gate"


def test_what_is_foreign_leaves_without_its_text_and_names_its_step() -> None:
    with pytest.raises(Defect) as caught:
        prefect_task("ingest")(refuse).fn(ValueError("CANARY-cell 42"))
    assert caught.value.step == "ingest"
    assert "CANARY" not in str(caught.value)
    with pytest.raises(StoreUnavailable) as unavailable:
        prefect_task("publish")(refuse).fn(PermissionError(13, "Permission denied", "/home/CANARY"))
    assert unavailable.value.step == "publish"


@pytest.mark.parametrize(
    ("problem", "again"),
    [
        (StoreUnavailable("The store did not answer.", "Try again."), True),
        (RequirementNotMet("k is 1.", "Raise it.", "k"), False),
        (InputRejected("No rows.", "Give some."), False),
        (Defect("A step broke.", "Report it."), False),
        (None, False),
    ],
)
def test_only_a_store_or_server_that_did_not_answer_is_tried_again(problem: Any, again: bool) -> None:
    step = prefect_task("publish", retries=2)(refuse)
    ended = SimpleNamespace(result=lambda raise_on_failure: problem)
    assert step.retry_condition_fn(step, None, ended) is again
