"""The background join against what it should tell."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings

from headgate.attacks.background_join import background_join, join_across
from headgate.attacks.homogeneity import homogeneity
from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec
from headgate.core.published_form.published_table import from_frame, publish_form, to_frame
from tests.unit.headgate.attacks.planted import drawn, majority, small
from tests.unit.headgate.attacks.seeds import seeds


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_a_background_join_is_right_as_often_as_the_majority_of_rows_with_the_known_value(seed: int) -> None:
    case = drawn(seed, 1)
    jobs = Counter(row[3] for row in case.rows)
    right = certain = 0
    for person, row in enumerate(case.rows):
        left = [case.rows[i][3] for i in case.fits(0, person) if case.rows[i][2] == row[2]]
        right += majority(left, jobs) == row[3]
        certain += len(set(left)) == 1
    found = background_join(case.published[0], case.table.columns, "illness", "job")
    assert found.success.right == right
    assert found.certain == certain
    assert found.mistaken == 0  # who was released is among the rows that fit
    assert found.certain_alone == homogeneity(case.published[0], case.table.columns, "job").certain
    assert found.right_alone == homogeneity(case.published[0], case.table.columns, "job").success.right


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_information_of_a_join_is_that_of_its_definition(seed: int) -> None:
    case = drawn(seed, 1)

    def given_h(target: list[str | None], condition: list[object]) -> float:
        joint, alone, n = Counter(zip(target, condition, strict=True)), Counter(condition), len(target)
        return -sum(count / n * math.log(count / alone[key[1]]) for key, count in joint.items())

    known, unknown = [row[2] for row in case.rows], [row[3] for row in case.rows]
    cells = list(zip(*(column.codes.tolist() for column in case.published[0].cells.values()), strict=True))
    gains, informations = [], []
    for reading in (case.groups[0], cells):
        both = list(zip(known, reading, strict=True))
        gains.append(given_h(unknown, list(reading)) - given_h(unknown, list(both)))
        informations.append(given_h(unknown, list(known)) - given_h(unknown, list(both)))
    found = background_join(case.published[0], case.table.columns, "illness", "job")
    assert found.gain == pytest.approx(max(gains), abs=1e-12)
    assert found.information == pytest.approx(max(informations), abs=1e-12)
    assert found.exposable == pytest.approx(given_h(unknown, list(known)), abs=1e-12)
    assert found.information <= found.exposable + 1e-12


def test_tables_side_by_side_tell_nothing_once_shuffled_and_everything_before() -> None:
    """Two tables of the same people: jobs follow illnesses, groups hold every illness equally often."""
    n = 1200
    rng = np.random.default_rng(5)
    rows = [(20 + i // 300, "f", str(value), f"j{value}") for i, value in enumerate(rng.integers(0, 6, n))]
    case = small(rows, [i // 300 for i in range(n)])
    specs = [ColumnSpec(name, Kind.CATEGORY, Role.SENSITIVE) for name in ("illness", "job")]
    one = publish_form(case.table, np.array(case.groups[0]), "one", ["illness"])
    other = publish_form(case.table, np.array(case.groups[0]), "other", ["job"])
    before = join_across(one, other, case.table.columns, "illness", "job")
    assert before.success.share == 1
    shuffled = from_frame(to_frame(other, 11), "other", ["age", "sex"], {"job": specs[1]})
    mixed = from_frame(to_frame(one, 12), "one", ["age", "sex"], {"illness": specs[0]})
    after = join_across(mixed, shuffled, case.table.columns, "illness", "job")
    assert abs(after.advantage) < 0.05
    assert before.certain == n
