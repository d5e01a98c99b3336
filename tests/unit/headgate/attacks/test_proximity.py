"""The proximity attack against the densest neighbourhood counted by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.attacks.proximity import proximity
from headgate.core.columns import Kind, Role
from headgate.core.distance import Distance
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.hierarchy import Hierarchy
from headgate.core.published_form.published_table import publish_form
from tests.unit.headgate.attacks.planted import drawn
from tests.unit.headgate.attacks.seeds import seeds


@settings(max_examples=60, deadline=None)
@given(seeds, st.sampled_from([0, 1, 2, 5]))
def test_proximity_is_right_as_often_as_the_densest_centre_of_the_rows_that_fit(seed: int, reach: int) -> None:
    case = drawn(seed, 1)
    pay = [int(value) for value in np.random.default_rng(seed).integers(0, 20, len(case.rows))]
    frame = pd.DataFrame({"age": [row[0] for row in case.rows], "sex": [row[1] for row in case.rows], "pay": pay})
    specs = [
        ColumnSpec("age", Kind.INTEGER, Role.QUASI, domain=(0, 120)),
        ColumnSpec("sex", Kind.CATEGORY, Role.QUASI),
        ColumnSpec("pay", Kind.NUMBER, Role.SENSITIVE, domain=(0, 20)),
    ]
    table = encode_table(frame, {spec.name: spec for spec in specs})
    published = publish_form(table, np.array(case.groups[0]), "t", ["pay"])

    def around(centre: int, among: list[int]) -> int:
        return sum(abs(value - centre) <= reach for value in among)

    def densest(among: list[int]) -> int:
        return min(set(among), key=lambda value: (-around(value, among), -around(value, pay), value))

    right = sum(abs(densest([pay[i] for i in case.fits(0, person)]) - pay[person]) <= reach for person in range(len(pay)))
    found = proximity(published, table.columns, "pay", f"{reach / 20}")
    assert found.success.right == right
    assert proximity(published, table.columns, "pay", reach, Distance(own_units=True)).success.right == right
    assert found.success.right_overall == around(densest(pay), pay)


def test_proximity_follows_a_hierarchy_where_there_is_one() -> None:
    """Two of three rows are siblings (0.5 apart), so their node is the largest neighbourhood; alone each value is as frequent."""
    tree = Hierarchy.from_rows([["a1", "a", "*"], ["a2", "a", "*"], ["b1", "b", "*"]], "illness")
    specs = {
        "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI, domain=(0, 120)),
        "illness": ColumnSpec("illness", Kind.CATEGORY, Role.SENSITIVE, hierarchy=tree),
    }
    table = encode_table(pd.DataFrame({"age": [20, 21, 22], "illness": ["a1", "a2", "b1"]}), specs)
    published = publish_form(table, np.zeros(3, dtype=np.int32), "t", ["illness"])
    assert proximity(published, table.columns, "illness", "0.5").success.right == 2
    assert proximity(published, table.columns, "illness", "0.5").belief == pytest.approx(2 / 3)
    assert proximity(published, table.columns, "illness", "0.4").success.right == 1
    assert proximity(published, table.columns, "illness", 1).success.right == 3
