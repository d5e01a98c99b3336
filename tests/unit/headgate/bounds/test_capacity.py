from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.bounds.capacity import capacity, equitable_capacity
from headgate.grouping.limits import allowed_dissimilar, allowed_share


@st.composite
def rooms(draw):
    """n, k and f of (ε, δ) or of a share."""
    k, rows = draw(st.integers(1, 5)), draw(st.integers(5, 28))
    share = draw(st.fractions(0, 1, max_denominator=12))
    return k, rows, draw(st.sampled_from([allowed_dissimilar(rows, share), allowed_share(rows, share)])), share


def _sizes(rows, least, most):
    """Every way to sum up to `rows` by at most `most` numbers from `least` on, none smaller than the one before."""
    if rows == 0:
        yield ()
    if most > 0:
        for size in range(least, rows + 1):
            for rest in _sizes(rows - size, size, most - 1):
                yield (size, *rest)


@settings(max_examples=40, deadline=None)
@given(rooms())
def test_cap_is_the_best_over_all_sizes_and_so_is_what_fits_beside_a_number_of_others(drawn):
    """Every way to divide n. Groups that hold similar rows hold f(s) of them, and s − f(s) others each; the linear bound is no lower."""
    k, rows, f, _ = drawn
    room = capacity(f, rows, k)
    best, beside = 0, [0] * (rows + 1)
    for some in range(k, rows + 1):
        for sizes in _sizes(some, k, some):
            if some == rows:
                best = max(best, sum(int(f[size]) for size in sizes))
            filled = [size for size in sizes if f[size] > 0]
            others = sum(size - int(f[size]) for size in filled)
            beside[others] = max(beside[others], sum(int(f[size]) for size in filled))
    assert room.most == best
    outside = np.arange(rows + 1)
    linear = replace(room, by_outside=None)
    for others in range(rows + 1):
        assert room.beside(outside)[others] >= max(beside[: others + 1])
        assert linear.beside(outside)[others] >= max(beside[: others + 1])
    assert room.most <= rows * room.fullest[0] // room.fullest[1]


@settings(max_examples=40, deadline=None)
@given(rooms(), st.integers(2, 4))
def test_few_classes_hold_no_more_than_is_said(drawn, classes):
    k, rows, _, delta = drawn
    if delta == 0:
        return
    f = allowed_dissimilar(rows, delta)
    room = capacity(f, rows, k).in_classes(classes, delta)
    for some in range(k, rows + 1):
        for sizes in _sizes(some, k, classes):
            held = sum(int(f[size]) for size in sizes)
            others = sum(size - int(f[size]) for size in sizes if f[size] > 0)
            assert room.beside(np.array([others]))[0] >= held
            assert some < rows or room.most >= held


@settings(max_examples=40, deadline=None)
@given(rooms())
def test_what_equitable_classes_hold_beside_others_is_never_said_too_low(drawn):
    k, rows, f, _ = drawn
    if rows < k:
        return
    classes = rows // k
    sizes = [rows // classes + (i < rows % classes) for i in range(classes)]
    room = equitable_capacity(f, rows, k)
    assert room.most == sum(int(f[size]) for size in sizes)
    kinds = sorted(set(sizes))
    for used in np.ndindex(*(sizes.count(size) + 1 for size in kinds)):
        filled = [(size, many) for size, many in zip(kinds, used, strict=True) if f[size] > 0]
        others = sum(many * (size - int(f[size])) for size, many in filled)
        assert room.beside(np.array([others]))[0] >= sum(many * int(f[size]) for size, many in filled)


@pytest.mark.slow
def test_the_fullest_group_is_found_exactly_among_ten_million_sizes():
    """At δ = 0.6 and k = 10 a group of 11 is fullest, with 5; a share of 3,333,333 in 10 million is met by all rows together only."""
    f = allowed_dissimilar(10_000_000, "0.6")
    assert capacity(f, 10_000_000, 10).fullest == (5, 11)
    third = allowed_share(10_000_000, Fraction(3_333_333, 10_000_000))
    assert capacity(third, 10_000_000, 10_000_000).fullest == (3_333_333, 10_000_000)
    assert capacity(third, 10_000_000, 10).fullest == (3_333_333, 10_000_000)


def test_cap_of_many_rows_is_bounded_by_the_best_size():
    """DEFINITIONS §4: 454 at n = 1000; the linear bound ⌊n·max f(s)/s⌋ for large n is never below it."""
    f = allowed_dissimilar(3000, "0.6")
    assert capacity(f, 1000, 10).most == 454
    assert equitable_capacity(f, 1000, 10).most == 400
    assert capacity(f, 3000, 10).most == 3000 * 5 // 11


def test_groups_of_eleven_hold_more_equal_rows_than_groups_of_ten():
    """DEFINITIONS §4: n = 1000, k = 10, δ = 0.6: groups of 10 hold 400 equal rows, groups of 11 hold 454."""
    f = allowed_dissimilar(1000, "0.6")
    assert equitable_capacity(f, 1000, 10).most == 400
    assert capacity(f, 1000, 10).most == 454
