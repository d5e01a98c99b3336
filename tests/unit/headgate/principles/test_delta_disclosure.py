"""δ-disclosure against its definition."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings

from headgate.principles.delta_disclosure import delta_disclosure
from tests.unit.headgate.principles.counted_rows import ROWS, classed, is_harmless, split


@settings(max_examples=80, deadline=None)
@given(ROWS)
def test_delta_disclosure_is_the_largest_logarithm_over_the_values_of_the_table(rows: list[tuple[int, Any]]) -> None:
    classes = split(rows)
    cells = [cell for _, cell in rows]

    def logs(inside: list[Any], over: set[Any]) -> float:
        ratios = [Fraction(inside.count(v) * len(cells), len(inside) * cells.count(v)) for v in over]
        return max((math.inf if ratio == 0 else abs(math.log(ratio)) for ratio in ratios), default=0)

    sensitive = {v for v in cells if not is_harmless(v)}
    found = delta_disclosure(classed(classes))
    assert found.figure.per_group.tolist() == pytest.approx([logs(one, sensitive) for one in classes], abs=1e-9)
    assert found.present.per_group.tolist() == pytest.approx([logs(one, set(one) & sensitive) for one in classes], abs=1e-9)
    assert found.figure_all.per_group.tolist() == pytest.approx([logs(one, set(cells)) for one in classes], abs=1e-9)
    assert found.present_all.per_group.tolist() == pytest.approx([logs(one, set(one)) for one in classes], abs=1e-9)


def test_a_value_that_a_class_lacks_discloses_without_bound() -> None:
    """Brickell, Shmatikov 2008: |log(p_E/p)| < δ for every value of S, and the logarithm of 0 is beyond any."""
    found = delta_disclosure(classed([list("aab"), list("abb")]))
    assert found.figure.value == pytest.approx(math.log(3 / 2))  # the rarer value tells more: 1/3 to 1/2
    lacking = delta_disclosure(classed([list("ab"), ["a", "none"]]))
    assert lacking.figure.per_group.tolist() == [pytest.approx(math.log(2)), math.inf]
    assert lacking.present.per_group.tolist() == [pytest.approx(math.log(2)), 0]
    assert not lacking.figure.short_of(10**6).met


def test_a_class_without_sensitive_values_tells_that_nobody_in_it_is_concerned() -> None:
    found = delta_disclosure(classed([["a", "a"], ["none", "none"]]))
    assert found.figure.per_group.tolist() == [pytest.approx(math.log(2)), math.inf]
    assert found.present.per_group[1] == 0
    assert delta_disclosure(classed([["none"], ["none"]])).figure.value == 0
