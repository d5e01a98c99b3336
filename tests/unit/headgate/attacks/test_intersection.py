"""Intersection against pure Python, and a person pinned by two overlapping generalizations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.attacks.intersection import intersection
from headgate.core.errors import InputRejected
from tests.unit.headgate.attacks.planted import Small, drawn, small


def classes_of(case: Small, table: int, person: int) -> set[tuple[int, ...]]:
    """Published cells of the rows that fit the person."""
    cells = list(zip(*(column.codes.tolist() for column in case.published[table].cells.values()), strict=True))
    return {cells[row] for row in case.fits(table, person)}


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 3))
def test_candidates_are_the_people_who_could_share_a_class_everywhere(seed: int, tables: int) -> None:
    case = drawn(seed, tables)
    n = len(case.rows)
    found = intersection(case.published, case.table.columns)
    fitting = [[classes_of(case, table, person) for person in range(n)] for table in range(tables)]
    for person in range(n):
        alike = [{other for other in range(n) if fits[other] & fits[person]} for fits in fitting]
        everywhere = set.intersection(*alike)
        assert found.candidates[person] == len(everywhere)
        assert found.cells[person] == len({case.rows[other][:2] for other in everywhere})
        assert found.alone[person] == min(len(each) for each in alike)
    assert found.success.right == pytest.approx(sum(1 / count for count in found.candidates))


def test_a_person_whom_only_two_tables_together_point_out_is_found() -> None:
    """Ages 20, 30, 40: one table groups the 30 with the 20, the other with the 40."""
    rows = [(20, "f", "a", "x"), (30, "f", "b", "x"), (40, "f", "a", "y"), (50, "f", "b", "y")]
    case = small(rows, [0, 0, 1, 1], [0, 1, 1, 0])
    case_two = small(rows, [0, 0, 1, 1], [1, 0, 0, 2])
    assert intersection(case.published[:1], case.table.columns).pinned == 0
    found = intersection(case_two.published, case_two.table.columns)
    assert found.candidates.tolist() == [1, 1, 1, 1]
    assert found.alone.tolist() == [1, 2, 2, 1]
    assert found.pinned == 2
    assert found.growth == 2
    assert (
        "All tables together single out 2 people whom no single table does, and leave up to 2 times fewer people than the best single "
        "table." in found.sentence()
    )
    assert (
        "single out nobody else, and leave as many people as the best single table."
        in intersection(case.published[:1], case.table.columns).sentence()
    )


def test_no_tables_cannot_be_intersected() -> None:
    with pytest.raises(InputRejected, match="No tables were given"):
        intersection([], drawn(1).table.columns)
    many = drawn(3)
    assert np.all(intersection(many.published, many.table.columns).candidates >= 1)
