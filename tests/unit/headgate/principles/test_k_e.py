"""(k, e)-anonymity against its definition, with the variance of the same numbers."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import pvariance
from typing import Any

import pytest
from hypothesis import given, settings

from headgate.core.columns import Kind
from headgate.core.errors import InputRejected
from headgate.principles.k_e import k_e
from headgate.principles.variance import variance
from tests.unit.headgate.principles.counted_rows import NUMBERS, classed, concerned, split


@settings(max_examples=60, deadline=None)
@given(NUMBERS)
def test_k_and_e_and_variance_are_those_of_the_known_numbers(rows: list[tuple[int, Any]]) -> None:
    classes = split(rows)
    counted = classed(classes, Kind.NUMBER)
    known = [[Fraction(str(v)) for v in one if v is not None] for one in classes]
    worst = [math.inf if not concerned(one) else 0.0 for one in classes]
    spread = k_e(counted)
    distinct = [len(set(one)) for one in known]
    ranges = [float(max(one) - min(one)) if one else 0.0 for one in known]
    squares = [float(pvariance(one)) if one else 0.0 for one in known]
    assert spread.k_all.per_group.tolist() == distinct
    assert spread.e_all.per_group.tolist() == pytest.approx(ranges)
    assert spread.k.per_group.tolist() == [max(d, w) for d, w in zip(distinct, worst, strict=True)]
    assert spread.e.per_group.tolist() == pytest.approx([max(r, w) for r, w in zip(ranges, worst, strict=True)])
    found = variance(counted)
    assert found.variance_all.per_group.tolist() == pytest.approx(squares)
    assert found.variance.per_group.tolist() == pytest.approx([max(s, w) for s, w in zip(squares, worst, strict=True)])


def test_salaries_of_two_classes_by_hand() -> None:
    """{3,4,5}: three numbers, range 2, variance 2/3. {6,8,11}: range 5, variance 38/9."""
    counted = classed([[3, 4, 5], [6, 8, 11]], Kind.NUMBER)
    spread = k_e(counted)
    assert spread.holds(3, 2)
    assert not spread.holds(3, "2.1")
    assert not spread.holds(4, 2)
    assert variance(counted).variance.per_group.tolist() == pytest.approx([2 / 3, 38 / 9])
    assert variance(counted).variance.short_of(1).groups.tolist() == [0]


def test_missing_cells_alone_are_no_spread_at_all() -> None:
    counted = classed([[None, None], [1, 2]], Kind.NUMBER)
    assert k_e(counted).k.per_group.tolist() == [0, 2]
    assert k_e(counted).e.per_group.tolist() == [0, 1]
    assert variance(counted).variance.per_group.tolist() == [0, 0.25]
    nothing = classed([[None]], Kind.NUMBER)
    assert (k_e(nothing).k.value, variance(nothing).variance.value) == (0, 0)


def test_spread_is_of_numbers_only() -> None:
    for measure in (k_e, variance):
        with pytest.raises(InputRejected, match="needs numbers"):
            measure(classed([["a"]]))
