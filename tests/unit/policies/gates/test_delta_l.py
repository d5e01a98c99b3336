"""The gate on (δ, l)-diversity."""

from __future__ import annotations

import pytest

from headgate.core.distance import Distance
from headgate.core.errors import PolicyInvalid
from policies.gates.delta_l import DeltaL
from tests.unit.claimed import required

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
