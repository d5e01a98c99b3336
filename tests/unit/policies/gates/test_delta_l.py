"""The gate on (δ, l)-diversity."""

from __future__ import annotations

from fractions import Fraction

import pytest

from headgate.core.distance import Distance
from headgate.core.errors import PolicyInvalid
from headgate.methods.full_domain.windows import WindowL
from policies.gates.delta_l import DeltaL
from policies.judging.measure import measure_table
from policies.sealed.specs import promise_of
from tests.unit.claimed import claiming, required

GATE = DeltaL()
ASKED = required("delta_l", "1.5", "income", interval="10")


def test_only_what_is_required_is_measured_and_only_where_it_is_published(gated) -> None:
    """Two of three in group 1 earn 100: 3/2."""
    assert {(one.figure, one.of): one.value for one in GATE.measure((ASKED,), gated())}["delta_l", "income"] == 1.5
    assert list(GATE.measure((), gated())) == []
    assert list(GATE.measure((required("delta_l", 2, "elsewhere", interval="1"),), gated())) == []


def test_the_policy_names_attributes_with_numbers(asked, table) -> None:
    assert list(GATE.requirements(asked(", delta_l: {income: {interval: 10, l: 1.5}}").gates, table)) == [ASKED]
    with pytest.raises(PolicyInvalid, match=r"gates\.delta_l\.school"):
        asked(", delta_l: {school: {interval: 10, l: 2}}")


def test_it_is_a_limit_on_its_column(table) -> None:
    names = [limit.name for column in table.select(table.sensitive) for limit in GATE.column_limits((ASKED,), column, Distance())]
    assert names == ["delta_l of income"]


def test_a_refusal_counts_people(verdict) -> None:
    said = "In table-1, some group has one in 1.5 people near one value of income; at most one in 2 is allowed."
    assert GATE.refusal(verdict(GATE, 1.5, "2", attribute="income")) == said


def test_mlflow_is_told_its_interval_too() -> None:
    assert GATE.parameters(ASKED) == {"delta_l_interval": "10", "delta_l": "1.5"}


WINDOW = required("delta_l", "1.5", "income", interval="10", reading="window")


def test_the_window_reading_is_required_of_whole_levels_only(asked, table) -> None:
    keys = ", delta_l: {income: {interval: 10, l: 1.5, reading: window}}"
    with pytest.raises(PolicyInvalid, match=r"gates\.delta_l\.income\.reading: found reading: window with method xcolor"):
        asked(keys)
    policy = asked(keys, ", method: full-domain")
    assert list(GATE.requirements(policy.gates, table)) == [WINDOW]


def test_the_window_reading_is_measured_judged_and_kept_by_levels(asked, gated, table) -> None:
    measured = {one.figure: one.value for one in GATE.measure((WINDOW,), gated())}
    assert measured["delta_l"] <= measured["delta_l_window"]
    figures = claiming(
        measure_table(promise_of(asked(), table), gated().published), delta_l={"income": 1.0}, delta_l_window={"income": 1.5}
    )
    assert GATE.reached(WINDOW, figures) == 1.5
    assert GATE.reached(ASKED, figures) == 1.0
    assert [limit for column in table.select(table.sensitive) for limit in GATE.column_limits((WINDOW,), column, Distance())] == []
    assert list(GATE.conditions((ASKED, WINDOW), ["income"])) == [WindowL("income", Fraction(10), Fraction(3, 2))]
    assert list(GATE.conditions((WINDOW,), ["school"])) == []
    assert GATE.parameters(WINDOW)["delta_l_reading"] == "window"
