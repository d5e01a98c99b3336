"""The homogeneity attack against the majority counted by hand."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings

from headgate.attacks.background_join import background_join
from headgate.attacks.homogeneity import homogeneity
from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec
from headgate.core.errors import InputRejected
from headgate.core.published_form.published_table import from_frame, to_frame
from tests.unit.headgate.attacks.planted import drawn, majority, small
from tests.unit.headgate.attacks.seeds import seeds


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_homogeneity_is_right_as_often_as_the_majority_of_the_rows_that_fit(seed: int) -> None:
    case = drawn(seed, 1)
    illnesses = [row[2] for row in case.rows]
    overall = Counter(illnesses)
    guesses = [majority([illnesses[i] for i in case.fits(0, person)], overall) for person in range(len(illnesses))]
    certain = sum(len({illnesses[i] for i in case.fits(0, person)}) == 1 for person in range(len(illnesses)))
    found = homogeneity(case.published[0], case.table.columns, "illness")
    assert found.success.people == len(illnesses)
    assert found.success.right == sum(a == b for a, b in zip(guesses, illnesses, strict=True))
    assert found.success.right_overall == overall[majority(illnesses, overall)]
    assert found.certain == certain


def test_homogeneous_groups_give_the_attacker_everybody() -> None:
    case = small([(20, "f", "a", "x"), (21, "f", "a", "y"), (40, "m", "b", "x"), (41, "m", "b", "y")], [0, 0, 1, 1])
    found = homogeneity(case.published[0], case.table.columns, "illness")
    assert found.success.share == 1
    assert found.success.share_overall == 0.5
    assert found.certain == 4
    assert homogeneity(case.published[0], case.table.columns, "job").certain == 0


def test_a_file_read_again_is_attacked_as_the_table_was() -> None:
    case = drawn(7, 1)
    specs = {name: ColumnSpec(name, Kind.CATEGORY, Role.SENSITIVE) for name in ("illness", "job")}
    again = from_frame(to_frame(case.published[0], 3), "t", ["age", "sex"], specs)
    for name in ("illness", "job"):
        assert homogeneity(again, case.table.columns, name) == homogeneity(case.published[0], case.table.columns, name)


def test_an_attribute_of_another_table_cannot_be_guessed() -> None:
    case = drawn(1, 1)
    with pytest.raises(InputRejected, match="not sensitive"):
        homogeneity(case.published[0], case.table.columns, "age")
    with pytest.raises(InputRejected, match="known and the unknown attribute are the same"):
        background_join(case.published[0], case.table.columns, "job", "job")
    with pytest.raises(InputRejected, match="no column 'sex'"):
        homogeneity(case.published[0], {name: case.table[name] for name in ("age", "illness")}, "illness")
