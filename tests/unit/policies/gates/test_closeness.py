"""The gate on t-closeness."""

from __future__ import annotations

import pytest

from headgate.core.errors import PolicyInvalid
from policies.gates.closeness import Closeness
from tests.unit.claimed import required

GATE = Closeness()
ALL = (required("closeness", "0.5", "income"), required("closeness", "0.5", "school"))


def test_one_group_of_all_is_as_the_whole_table(gated) -> None:
    assert {one.of: one.value for one in GATE.measure((), gated([0] * 10))} == {"income": 0.0, "school": 0.0}


def test_a_group_of_one_value_is_as_far_as_the_cumulated_shares(gated) -> None:
    """Schools of all: 5 low, 2 middle, 3 high. Of group 1: low only. Mean of 1 − 0.5 and 1 − 0.7."""
    assert {one.of: one.value for one in GATE.measure((), gated())}["school"] == pytest.approx(0.4)


def test_a_number_is_meant_of_every_attribute_and_a_mapping_of_those_it_names(asked, table) -> None:
    assert tuple(GATE.requirements(asked(", closeness: 0.5").gates, table)) == ALL
    assert tuple(GATE.requirements(asked(", closeness: {school: 0.5}").gates, table)) == ALL[1:]
    assert tuple(GATE.requirements(asked().gates, table)) == ()
    with pytest.raises(PolicyInvalid, match=r"gates\.closeness\.age: found 'age', which is quasi"):
        asked(", closeness: {age: 0.5}")


def test_it_is_a_condition_on_the_columns_of_a_table() -> None:
    assert [condition.name for condition in GATE.conditions(ALL, ("school",))] == ["closeness of school"]


def test_a_refusal_says_what_differs_from_what(verdict) -> None:
    said = "In table-1, the income of some group differs by 0.6 from the whole table's; at most 0.5 is allowed."
    assert GATE.refusal(verdict(GATE, 0.6, "0.5", attribute="income")) == said
