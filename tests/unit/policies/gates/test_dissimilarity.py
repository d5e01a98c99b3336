"""The gate on (ε, δ)-dissimilarity, of all sensitive attributes together and of each by itself."""

from __future__ import annotations

import pytest

from headgate.core.distance import Distance
from headgate.core.errors import PolicyInvalid
from policies.gates.dissimilarity import Dissimilarity
from policies.gates.verdict import Measured
from tests.unit.claimed import proximity

GATE = Dissimilarity()
HALVES = Distance(weights={"income": 2, "school": 1})


def test_each_attribute_is_measured_at_its_own_epsilon_or_else_at_that_of_all(gated) -> None:
    """Schools of group 1 are equal. Two of its incomes are equal too, and the third is far: one neighbour of two others."""
    figures = {(one.figure, one.of): one.value for one in GATE.measure((proximity("0.1", "0.5"),), gated(composite=HALVES))}
    assert figures["risk", ""] == 0.5
    assert figures["delta_reached", ""] == 0.5
    assert (figures["single_risk", "income"], figures["single_risk", "school"]) == (0.5, 1.0)
    own = (proximity("0.1", "0.5"), proximity("1", "0", "income"))
    figures = {(one.figure, one.of): one.value for one in GATE.measure(own, gated(composite=HALVES))}
    assert figures["single_risk", "income"] == 1.0  # everything is within 1


def test_without_its_callable_the_composite_is_not_measured(gated) -> None:
    assert {one.figure for one in GATE.measure((proximity("0.1", "0.5"),), gated())} == {"single_risk"}
    assert list(GATE.measure((), gated(composite=HALVES))) == []


def test_the_policy_requires_the_composite_and_each_attribute_that_it_names(asked, table) -> None:
    policy = asked(anonymize=", each: {school: {epsilon: 0, delta: 0.2}}")
    assert list(GATE.requirements(policy.anonymize, table)) == [proximity("0.1", "0.5"), proximity("0", "0.2", "school")]


def test_epsilon_needs_delta(edited) -> None:
    for old in ("epsilon: 0.1, ", ", delta: 0.5"):
        with pytest.raises(PolicyInvalid, match="both, or neither"):
            edited((old, ""))


def test_limits_are_of_all_columns_or_of_one(table) -> None:
    columns = table.select(table.sensitive)
    both = (proximity("0.1", "0.5"), proximity("0", "0.2", "school"))
    assert [(limit.name, limit.columns) for limit in GATE.table_limits(both, columns, HALVES)] == [("dissimilarity", ("income", "school"))]
    assert [limit.name for column in columns for limit in GATE.column_limits(both, column, HALVES)] == ["dissimilarity of school"]


def test_merging_can_make_the_composite_easier_and_no_single_attribute() -> None:
    assert not GATE.monotone(proximity("0.1", "0.5"))
    assert GATE.monotone(proximity("0.1", "0.5", "income"))


def test_a_composite_under_a_callable_rests_on_code() -> None:
    assert "mine:distance" in GATE.rests_on(Measured(figure="risk", value=0.5), "mine:distance")
    assert GATE.rests_on(Measured(figure="risk", value=0.5), None) == ""
    assert GATE.rests_on(Measured(figure="single_risk", of="income", value=0.5), "mine:distance") == ""


def test_a_refusal_names_the_attribute_where_it_is_about_one(verdict) -> None:
    said = "the other rows in some group have {} that differ enough; at least 60 % must."
    assert GATE.refusal(verdict(GATE, 0.25, "0.6")) == f"In table-1, only 25 % of {said.format('sensitive values')}"
    assert GATE.refusal(verdict(GATE, 0.25, "0.6", attribute="income")) == f"In table-1, only 25 % of {said.format('values of income')}"
    assert "anonymize.each" in verdict(GATE, 0.25, "0.6", attribute="income").remedy
