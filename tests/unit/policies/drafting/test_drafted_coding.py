"""How a draft makes numbers coarser: enough people always lie beyond a bound."""

from __future__ import annotations

import pytest

from headgate.core.columns import Kind, Role
from policies.drafting.column_roles import Guess
from policies.drafting.drafted_coding import SMALLEST_GROUP, decimal_of, published_as, said_of_coding
from policies.drafting.table_profile import ColumnProfile

COST = Guess(Role.SENSITIVE, Kind.NUMBER, "")


@pytest.mark.parametrize("people", [200, 399, 400, 999, 1000, 2000, 3999, 4000, 100_000])
def test_a_top_leaves_twice_the_smallest_group_beyond_it(people: int) -> None:
    column = ColumnProfile("cost", "number", 5000, 200_000, least=1, greatest=4e6, tail=40)
    (top,) = published_as(column, COST, people)
    assert people * (1 - float(top.removeprefix("top: "))) >= 2 * SMALLEST_GROUP - 1e-6
    assert any("one value (top)" in line for line in said_of_coding(column, COST, people))


@pytest.mark.parametrize(
    ("least", "greatest", "grid", "step"),
    [(0.25, 9.0, 0.25, "0.25"), (1.25, 9.0, 0.25, "0.25"), (1.25, 9.0, 0.01, "0.1"), (2.0, 400.0, 0.25, "1")],
)
def test_weights_on_a_coarse_grid_stay_on_it(least: float, greatest: float, grid: float, step: str) -> None:
    """Weights in steps of 0.25 were rounded to 0.02 or 0.1, which made others of nearly all."""
    weight = ColumnProfile("weight", "number", 30, 1000, least=least, greatest=greatest, grid=grid)
    assert published_as(weight, Guess(Role.WEIGHT, Kind.NUMBER, ""), 1000) == [f"round: {step}"]


def test_nothing_is_coded_that_is_not_sensitive_or_has_no_tail_and_few_values() -> None:
    column = ColumnProfile("cost", "number", 50, 9000, least=1, greatest=4e6)
    assert published_as(column, COST, 9000) == []
    assert list(said_of_coding(column, COST, 9000)) == []
    assert published_as(column, Guess(Role.QUASI, Kind.NUMBER, ""), 9000) == []


def test_steps_are_written_without_exponents() -> None:
    assert [decimal_of(number) for number in (1e6, 0.00001, 20.0, 0.5)] == ["1000000", "0.00001", "20", "0.5"]
