"""β-likeness against its definition."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings

from headgate.principles.beta_likeness import beta_likeness
from tests.unit.headgate.principles.counted_rows import ROWS, classed, is_harmless, split


@settings(max_examples=80, deadline=None)
@given(ROWS)
def test_beta_is_the_relative_gain_and_infinite_beyond_minus_ln_p(rows: list[tuple[int, Any]]) -> None:
    classes = split(rows)
    cells = [cell for _, cell in rows]

    def gains(inside: list[Any], everything: bool) -> list[tuple[float, float]]:
        shares = {v: Fraction(cells.count(v), len(cells)) for v in set(inside) if everything or not is_harmless(v)}
        pairs = [(Fraction(inside.count(v), len(inside)), p) for v, p in shares.items()]
        return [(float((q - p) / p), -math.log(p)) for q, p in pairs if q > p]

    found = beta_likeness(classed(classes))
    for everything, basic, enhanced in ((False, found.basic, found.enhanced), (True, found.basic_all, found.enhanced_all)):
        for one, b, e in zip(classes, basic.per_group, enhanced.per_group, strict=True):
            values = gains(one, everything)
            assert b == pytest.approx(max((gain for gain, _ in values), default=0), abs=1e-9)
            wanted = math.inf if any(gain > cap + 1e-9 for gain, cap in values) else max((gain for gain, _ in values), default=0)
            assert e == pytest.approx(wanted, abs=1e-9)


def test_a_frequent_value_made_certain_meets_basic_but_no_enhanced_beta() -> None:
    """p = 1/2, p_E = 1: the gain 1 exceeds −ln ½ ≈ 0.69. With p = 0.1, p_E = 0.2 the same gain stays under −ln 0.1 ≈ 2.3."""
    found = beta_likeness(classed([["a", "a"], ["b", "b"]]))
    assert (found.basic.value, found.enhanced.value) == (1, math.inf)
    assert found.basic.short_of(1).met
    assert not found.enhanced.short_of(10**9).met
    rare = [["a", *"bcde"], ["f", *"bcde"]]
    assert beta_likeness(classed(rare)).enhanced.value == pytest.approx(1)
