"""The gate on distinct values."""

from __future__ import annotations

import pytest

from policies.gates.distinct_l import DistinctL
from policies.gates.figures import TableFigures
from tests.unit.claimed import claiming, required

GATE = DistinctL()


@pytest.fixture
def figures() -> TableFigures:
    return TableFigures(name="t", sensitive=("school",), rows=10, groups=3, mean_group=3.3, discernibility=34, ncp=0.5)


def test_the_fewest_values_of_a_group_are_measured(gated) -> None:
    figures = {(one.figure, one.of): one.value for one in GATE.measure((), gated())}
    assert (figures["distinct_l", "school"], figures["distinct_attainable", "school"]) == (1, 3)
    assert figures["distinct_l", "income"] == 2


def test_more_than_the_table_has_is_not_required_and_that_is_said(figures: TableFigures) -> None:
    asked = (required("distinct_l", 5, "school"), required("distinct_l", 5, "elsewhere"))
    (capped,) = GATE.judge(asked, claiming(figures, distinct_l={"school": 3}, distinct_attainable={"school": 3}))
    assert (capped.measured, capped.required, capped.passed) == (3.0, 3.0, True)
    assert capped.remedy == "The required l of 5 is capped at 3, the number of distinct values in the table."
    (short,) = GATE.judge(asked, claiming(figures, distinct_l={"school": 3}, distinct_attainable={"school": 9}))
    assert (short.required, short.passed, short.remedy) == (5.0, False, GATE.cure)


def test_it_is_a_condition_on_the_columns_of_a_table() -> None:
    assert [condition.name for condition in GATE.conditions((required("distinct_l", 2, "school"),), ("school",))] == [
        "distinct l of school"
    ]


@pytest.mark.parametrize(("values", "said"), [(1, "1 different value"), (2, "2 different values")])
def test_a_refusal_counts_values(values: int, said: str, verdict) -> None:
    refused = verdict(GATE, values, "3", attribute="school")
    assert GATE.refusal(refused) == f"In table-1, some group has only {said} of school; at least 3 are required."
