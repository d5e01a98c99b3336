"""What every gate does the same way."""

from __future__ import annotations

from fractions import Fraction

import pytest

from policies.gates.closeness import Closeness
from policies.gates.k import K
from tests.unit.claimed import required


@pytest.mark.parametrize("measured", [None, float("nan"), float("inf"), float("-inf")])
def test_what_is_no_finite_figure_has_not_passed(measured: float | None) -> None:
    judged = Closeness().verdict(required("closeness", 1, "job"), "table-1", measured)
    assert (judged.measured, judged.passed) == (None, False)
    assert judged.remedy == f"It could not be measured, so it has not passed. {Closeness.cure}"
    assert Closeness().refusal(judged) == "In table-1, closeness of job could not be measured."


def test_what_passes_needs_no_remedy_and_the_bound_is_the_decimal_as_written() -> None:
    judged = Closeness().verdict(required("closeness", "1/3", "job"), "table-1", 1 / 3)
    assert (judged.passed, judged.remedy, judged.required) == (True, "", 1 / 3)
    assert K().verdict(required("k", 5), "table-1", 3, Fraction(3)).passed


def test_an_attribute_that_is_named_is_told_with_its_key(asked) -> None:
    gates = asked(", closeness: {school: 0.5}").gates
    assert list(Closeness().attributes(gates)) == [(("gates", "closeness", "school"), "school")]
    assert list(Closeness().attributes(asked(", closeness: 0.5").gates)) == []
