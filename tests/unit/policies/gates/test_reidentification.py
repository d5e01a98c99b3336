"""The gate on prosecutor risk."""

from __future__ import annotations

import pytest

from headgate.core.errors import PolicyInvalid
from policies.gates.reidentification import Reidentification
from policies.gates.verdict import Requirement

GATE = Reidentification()


def bound(name: str, most: str) -> Requirement:
    return Requirement(gate="reidentification", bound=name, required=most)


def test_the_largest_and_the_mean_risk_are_measured(gated) -> None:
    figures = {one.figure: one.value for one in GATE.measure((), gated())}
    assert figures == {"reidentification_max": pytest.approx(1 / 3), "reidentification_mean": pytest.approx(3 / 10)}


def test_each_bound_that_is_written_is_required(asked, table) -> None:
    assert list(GATE.requirements(asked(", reidentification: {max: 0.5}").gates, table)) == [bound("max", "0.5")]
    both = asked(", reidentification: {mean: 0.1, max: 0.5}")
    assert list(GATE.requirements(both.gates, table)) == [bound("max", "0.5"), bound("mean", "0.1")]
    with pytest.raises(PolicyInvalid, match="without a bound"):
        asked(", reidentification: {}")


def test_the_largest_risk_leaves_a_least_k() -> None:
    assert [GATE.least_k(bound("max", most)) for most in ("0.25", "0.3", "1")] == [4, 4, 1]
    assert GATE.least_k(bound("mean", "0.1")) == 1


def test_a_refusal_says_whose_chance_it_is(verdict) -> None:
    said = "is 50 %; at most 10 % is allowed."
    assert GATE.refusal(verdict(GATE, 0.5, "0.1", bound="max")) == f"In table-1, the chance to pick somebody's row {said}"
    assert GATE.refusal(verdict(GATE, 0.5, "0.1", bound="mean")) == f"In table-1, the chance to pick a person's row on average {said}"
