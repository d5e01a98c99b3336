"""The gate on linkability."""

from __future__ import annotations

from headgate.core.distance import Distance
from policies.gates.linkability import Linkability
from tests.unit.claimed import required

GATE = Linkability()


def test_the_largest_share_of_one_value_is_measured(gated) -> None:
    """Everybody of group 1 has the school `low`."""
    assert {one.figure: one.value for one in GATE.measure((), gated())} == {"linkability": 1.0, "linkability_all": 1.0}


def test_it_is_a_limit_on_each_column_unless_it_allows_everything(table) -> None:
    columns = table.select(table.sensitive)
    names = [limit.name for column in columns for limit in GATE.column_limits((required("linkability", "0.8"),), column, Distance())]
    assert names == ["linkability of income", "linkability of school"]
    assert list(GATE.column_limits((required("linkability", 1),), columns[0], Distance())) == []


def test_a_refusal_says_how_certain_an_attacker_is(verdict) -> None:
    said = "In table-1, 90 % of the people in some group share a sensitive value; at most 80 % may."
    assert GATE.refusal(verdict(GATE, 0.9, "0.8")) == said
