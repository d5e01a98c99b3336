"""k counted in households, against sets of Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate.core.columns import Column, Kind
from headgate.counting.class_counts import count
from headgate.principles.households import households
from headgate.principles.k_anonymity import k_anonymity


def _column(homes: list[int | None]) -> Column:
    codes = np.array([-1 if home is None else home for home in homes], dtype=np.int32)
    values = np.arange(int(codes.max(initial=-1)) + 1)
    return Column("home", Kind.INTEGER, codes, values, np.ones(len(values) + 1, dtype=bool))


def _renumbered(classes: list[int]) -> np.ndarray:
    return np.unique(np.array(classes), return_inverse=True)[1].astype(np.int32)


def test_ten_people_of_two_households_are_two():
    """DEFINITIONS §13: k = 10 by rows is 2 by households, and either family is half of the group."""
    homes, group = [0] * 5 + [1] * 5, np.zeros(10, dtype=np.int32)
    counted = households(count(_column(homes), [group]))
    assert (counted.k, k_anonymity([group]).k, counted.family.value) == (2, 10, 0.5)


def test_a_missing_household_is_one_of_its_own():
    group = np.zeros(5, dtype=np.int32)
    counted = households(count(_column([0, 0, None, None, None]), [group]))
    assert (counted.k, counted.family.value) == (4, 0.4)


@given(st.lists(st.tuples(st.integers(0, 3), st.none() | st.integers(0, 8)), min_size=1, max_size=40), st.booleans())
def test_households_of_each_class_are_counted_as_by_definition(rows, joined):
    groups, homes = _renumbered([group for group, _ in rows]), [home for _, home in rows]
    readings = [groups, _renumbered([group // 2 for group in groups])] if joined else [groups]
    counted = households(count(_column(homes), readings))
    fewest, largest = [], []
    for reading in readings:
        for number in range(int(reading.max()) + 1):
            members = [("own", row) if homes[row] is None else homes[row] for row in np.flatnonzero(reading == number)]
            fewest.append(len(set(members)))
            largest.append(max(members.count(home) for home in set(members)) / len(members))
    assert counted.k == min(fewest)
    assert counted.family.value == pytest.approx(max(largest))
    assert counted.k <= k_anonymity(readings).k


@given(st.lists(st.integers(0, 3), min_size=1, max_size=30))
def test_where_everybody_lives_alone_households_are_people(classes):
    groups = _renumbered(classes)
    counted = households(count(_column(list(range(len(classes)))), [groups]))
    assert counted.k == k_anonymity([groups]).k
    assert households(count(_column([None] * len(classes)), [groups])).k == counted.k
