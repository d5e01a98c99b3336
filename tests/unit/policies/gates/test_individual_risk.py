"""The gate on individual risk."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from headgate.core.errors import PolicyInvalid
from policies.gates.beside import Beside
from policies.gates.individual_risk import IndividualRisk
from policies.gates.verdict import Measured, Requirement

GATE = IndividualRisk()


def bound(name: str, most: str) -> Requirement:
    return Requirement(gate="individual_risk", bound=name, required=most)


def test_the_risk_of_a_group_of_one_who_stands_for_a_hundred_is_the_golden_one(gated) -> None:
    """DEFINITIONS §13: f = 1, Σw = 100."""
    table = replace(gated(range(10)), beside=Beside(weights=np.full(10, 100.0)))
    figures = {one.figure: one.value for one in GATE.measure((), table)}
    assert figures == {
        "individual_risk_max": pytest.approx(0.0465168706, abs=5e-11),
        "individual_risk_mean": pytest.approx(0.0465168706, abs=5e-11),
    }


def test_weights_that_add_up_to_no_more_than_the_group_give_the_prosecutor_s_risk(gated) -> None:
    table = replace(gated(), beside=Beside(weights=np.full(10, 0.5)))
    figures = {one.figure: one.value for one in GATE.measure((), table)}
    assert figures == {"individual_risk_max": pytest.approx(1 / 3), "individual_risk_mean": pytest.approx(3 / 10)}


def test_without_weights_nothing_is_measured(gated) -> None:
    assert list(GATE.measure((), gated())) == []


def test_each_bound_that_is_written_is_required(narrowed, table) -> None:
    def asked(gates: str):
        return narrowed(
            ("linkability: 0.8", f"linkability: 0.8{gates}"),
            ("  age: {role: quasi", "  wgt: {role: weight, kind: number}\n  age: {role: quasi"),
        ).gates

    assert list(GATE.requirements(asked(", individual_risk: {max: 0.5}"), table)) == [bound("max", "0.5")]
    assert list(GATE.requirements(asked(", individual_risk: {mean: 0.1, max: 0.5}"), table)) == [bound("max", "0.5"), bound("mean", "0.1")]
    assert list(GATE.requirements(asked(""), table)) == []
    with pytest.raises(PolicyInvalid, match="without a bound"):
        asked(", individual_risk: {}")


def test_a_refusal_says_whose_chance_it_is(verdict) -> None:
    assert GATE.refusal(verdict(GATE, 0.5, "0.1", bound="max")) == (
        "In table-1, the chance to name somebody in the population by a row is 50 %; at most 10 % is allowed."
    )
    assert GATE.refusal(verdict(GATE, 0.5, "0.1", bound="mean")) == (
        "In table-1, on average over the rows, the chance to name the person is 50 %; at most 10 % is allowed."
    )


def test_it_is_measured_again_only_where_the_weights_are_published() -> None:
    figure = Measured(figure="individual_risk_max", value=0.1)
    assert GATE.rests_on(figure, None, True) == ""
    assert "another table" in GATE.rests_on(figure, None, False)
