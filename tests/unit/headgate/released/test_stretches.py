"""Stretches against sets of points: quarters from −1 to 6, which tell open ends from closed ones at whole numbers."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate.released.stretches import ALL, Stretches, lengths, whole_numbers

POINTS = [quarter / 4 for quarter in range(-4, 25)]
ends = st.tuples(st.integers(0, 5).map(float), st.integers(0, 1))
stretches = st.lists(st.tuples(ends, ends), max_size=4).map(Stretches.of)


def inside(some: Stretches) -> set[float]:
    """A point lies between its own two sides."""
    return {point for point in POINTS if any(start <= (point, 0) and (point, 1) <= end for start, end in some.parts)}


@given(stretches, stretches)
def test_intersections_and_complements_are_those_of_their_points(a: Stretches, b: Stretches) -> None:
    assert inside(a.within(b)) == inside(a) & inside(b)
    assert inside(a.outside()) == set(POINTS) - inside(a)
    assert a.outside().outside() == a
    assert [a.holds(point) for point in POINTS] == [point in inside(a) for point in POINTS]


@given(stretches)
def test_parts_are_apart_ascending_and_not_empty(some: Stretches) -> None:
    assert all(start < end for start, end in some.parts)
    assert all(first[1] < second[0] for first, second in pairwise(some.parts))


@given(stretches)
def test_whole_numbers_are_counted_once_each(some: Stretches) -> None:
    whole = sorted(point for point in inside(some) if point.is_integer())
    size = whole_numbers(some)
    assert size.amount == len(whole)
    assert size.empty == (not whole)
    if whole:
        assert (size.low, size.high, size.mean) == (whole[0], whole[-1], pytest.approx(sum(whole) / len(whole)))


def test_lengths_leave_single_points_out_unless_there_is_nothing_else() -> None:
    size = lengths(Stretches.of([((1.0, 0), (3.0, 1)), ((5.0, 0), (5.0, 1))]))
    assert (size.amount, size.low, size.high, size.mean) == (2, 1, 5, 2)
    points = lengths(Stretches.points([1.0, 2.0, 6.0]))
    assert (points.amount, points.low, points.high, points.mean) == (0, 1, 6, 3)
    assert lengths(Stretches(())).empty
    assert ALL.outside() == Stretches(())
    assert math.isinf(ALL.parts[0][0][0])
