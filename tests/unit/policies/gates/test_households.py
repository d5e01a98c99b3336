"""The gate on households."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from headgate.core.household_column import household_column
from policies.gates.beside import Beside
from policies.gates.households import Households
from policies.gates.verdict import Measured
from tests.unit.claimed import required

GATE = Households()
HOMES = np.array([0, 0, 1, 2, 3, 4, 5, 5, 5, -1], dtype=np.int32)  # of the ten people: groups of 3, 3 and 4 with 2, 3 and 2 households


def test_households_and_the_largest_family_of_a_group_are_measured(gated) -> None:
    table = replace(gated(), beside=Beside(household=household_column("home", HOMES)))
    assert {one.figure: one.value for one in GATE.measure((), table)} == {"households": 2.0, "family_share": 0.75}


def test_nothing_is_measured_where_nobody_knows_who_lives_together(gated) -> None:
    assert list(GATE.measure((), gated())) == []


def test_k_is_required_of_households_where_the_table_knows_them(asked, table) -> None:
    known = replace(table, columns={**table.columns, "home": household_column("home", HOMES)}, household="home")
    assert list(GATE.requirements(asked().anonymize, known)) == [required("households", 3)]
    assert list(GATE.requirements(asked().anonymize, table)) == []


@pytest.mark.parametrize(("homes", "said"), [(1, "1 household"), (2, "2 households")])
def test_a_refusal_counts_households(homes, said, verdict) -> None:
    assert GATE.refusal(verdict(GATE, homes, "3")) == f"In table-1, some group has people of only {said}; at least 3 are required."


def test_nobody_else_can_measure_it() -> None:
    assert "not published" in GATE.rests_on(Measured(figure="households", value=3.0), None, True)
