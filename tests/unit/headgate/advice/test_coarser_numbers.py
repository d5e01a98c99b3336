"""Costs and gains of rounding, counted by hand and by brute force."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate.advice.coarser_numbers import coarser_number, few_valued_steps, round_steps, suggested_steps
from headgate.core.columns import Column, Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.number_form import NumberForm


def column_of(cells: list[float | None], kind: Kind = Kind.NUMBER) -> Column:
    return encode_column(pd.Series(cells, dtype=object), ColumnSpec("income", kind, Role.SENSITIVE))


def test_changes_and_what_stays_unique_are_counted_over_rows() -> None:
    column = column_of([100.0, 140.0, 160.0, 160.0, 900.0, None])
    rounded = coarser_number(column, NumberForm(Fraction(100)))
    assert (rounded.unique, rounded.mean_change, rounded.largest_change) == (pytest.approx(1 / 5), pytest.approx(120 / 5), 40.0)
    coded = coarser_number(column, NumberForm(Fraction(100), top=Fraction(200)))
    assert (coded.unique, coded.mean_change, coded.largest_change) == (0, pytest.approx(820 / 5), 700.0)


@given(st.lists(st.integers(0, 5000), min_size=1, max_size=60), st.sampled_from([Kind.NUMBER, Kind.INTEGER]))
def test_no_finer_step_leaves_as_little_as_a_suggested_one(cells: list[int], kind: Kind) -> None:
    column = column_of(list(map(float, cells)), kind)
    steps, suggested = list(round_steps(column)), suggested_steps(column)

    def unique(step: Fraction) -> float:
        rounded = [round(Fraction(cell) / step) for cell in cells]
        return sum(rounded.count(cell) == 1 for cell in rounded) / len(rounded)

    assert steps == sorted(steps)
    if kind is Kind.INTEGER:
        assert all(step.denominator == 1 for step in steps)
    before = sum(cells.count(cell) == 1 for cell in cells) / len(cells)
    for each in suggested:
        step = each.form.step
        assert step in steps
        assert each.unique == pytest.approx(unique(step))
        assert each.unique < before
    for target in (0.5, 0.1, 0.01):
        enough = [step for step in steps if unique(step) <= target]
        if before > target and enough:
            assert min(step for each in suggested if each.unique <= target and (step := each.form.step)) == min(enough)


@given(st.lists(st.integers(0, 5000), min_size=1, max_size=300))
def test_no_finer_step_leaves_as_few_numbers_as_one_for_a_series(cells: list[int]) -> None:
    column = column_of(list(map(float, cells)))

    def left(step: Fraction) -> int:
        return len({round(Fraction(cell) / step) for cell in cells})

    wanted = []
    for most in (100, 30, 10):
        finest = next((step for step in round_steps(column) if left(step) <= most), None)
        if most < len(set(cells)) and finest is not None and finest not in wanted:
            wanted.append(finest)
    assert [each.form.step for each in few_valued_steps(column)] == wanted
