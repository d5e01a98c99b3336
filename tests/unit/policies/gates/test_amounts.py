"""Figures in sentences."""

from __future__ import annotations

import pytest

from policies.gates.amounts import amount, amounts, shares
from policies.gates.verdict import Comparison, Verdict


def judged(measured: float, required: float) -> Verdict:
    return Verdict(gate="k", comparison=Comparison.AT_LEAST, measured=measured, required=required, passed=False)


@pytest.mark.parametrize(("number", "said"), [(0, "0 rows"), (1, "1 row"), (1234567, "1,234,567 rows"), (0.25, "0.25 rows")])
def test_a_number_agrees_with_its_noun(number: float, said: str) -> None:
    assert amount(number, "row") == said


def test_two_figures_that_differ_never_read_as_equal() -> None:
    assert amounts(judged(0.80000001, 0.8)) == ("0.80000001", "0.8")
    assert shares(judged(0.5, 0.25)) == ("50 %", "25 %")
    measured, required = shares(judged(0.80000001, 0.8))
    assert measured != required
    assert amounts(judged(1, 2), "person", "people") == ("1 person", "2")
