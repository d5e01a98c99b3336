"""One tolerance for every threshold; hierarchies as level tables."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.distinct import distinct_rows, firsts_and_sizes, places
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy
from headgate.core.tolerance import at_least, at_most, exact, floors, neighbours_allowed

TREE = [["a1", "a", "*"], ["a2", "a", "*"], ["b1", "b", "*"]]


def test_a_rounding_error_is_no_violation_but_a_real_excess_is() -> None:
    assert at_most(abs(0.7 - 0.8), 0.1)
    assert not at_most(0.1001, 0.1)
    assert at_most(1e12 + 100, 1e12)
    assert at_least(0.8 - 0.7, 0.1)


def test_nothing_lets_what_is_not_measurable_pass() -> None:
    assert not at_most(math.nan, 1.0)
    assert not at_least(math.nan, 1.0)
    assert not at_most(1.0, math.nan)


def test_an_infinite_risk_is_above_every_finite_threshold() -> None:
    """A tolerance relative to the larger of the two would be infinite and let it pass."""
    assert not at_most(math.inf, 0.5)
    assert not at_least(1.0, math.inf)
    assert at_most(0.5, math.inf)
    assert at_most(math.inf, math.inf)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 200_000), st.decimals(0, 1, places=17))
def test_floors_of_products_are_exact_whatever_the_decimals(size: int, delta) -> None:
    wanted = (1 - Fraction(str(delta))) * max(size - 1, 0)
    assert int(neighbours_allowed(np.array([size, 1]), str(delta))[0]) == math.floor(wanted)


def test_a_decimal_is_what_a_person_wrote() -> None:
    assert exact("0.7") == exact(0.7) == Fraction(7, 10)
    assert int(neighbours_allowed(101, "0.9")) == 10  # ⌊0.1·100⌋, which floats make 9


def test_the_height_of_the_common_ancestor_is_the_distance() -> None:
    assert Hierarchy.from_rows(TREE, "t").distances().tolist() == [[0, 0.5, 1], [0.5, 0, 1], [1, 1, 0]]


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], "is empty"),
        ([["a"]], "one column"),
        ([["a", "*"], ["b", "x", "*"]], "uneven"),
        ([["a", "*"], ["a", "*"]], "twice"),
        ([["a", "*"], ["b", "+"]], "more than one root"),
        ([["a", "x", "p", "*"], ["b", "x", "q", "*"]], "two parents"),
        ([["", "*"], ["b", "*"]], "empty cell"),
        ([["Rome", "Rome", "*"], ["Ostia", "Rome", "*"]], "different values"),
        ([["a", "b", "*"], ["b", "c", "*"]], "different values"),
    ],
)
def test_a_table_that_is_no_tree_is_refused(rows: list[list[str]], reason: str) -> None:
    with pytest.raises(InputRejected, match=reason):
        Hierarchy.from_rows(rows, "t")


@pytest.mark.parametrize(
    ("rows", "lines"),
    [
        ([["a"]], "line 2"),
        ([["a", "*"], ["b", "*"], ["c", "x", "*"]], "line 9 has 3 levels, line 2 has 2"),
        ([["a", "*"], ["b", "*"], ["b", ""]], "line 9"),
        ([["a", "*"], ["b", "*"], ["b", "*"]], "lines 5 and 9"),
        ([["a", "*"], ["b", "*"], ["c", "+"]], "lines 2 and 9"),
        ([["a", "x", "p", "*"], ["b", "y", "q", "*"], ["c", "y", "p", "*"]], "level 1 has two parents, in lines 5 and 9"),
        ([["a", "x", "p", "*"], ["b", "y", "q", "*"], ["c", "x", "q", "*"]], "level 1 has two parents, in lines 2 and 9"),
        ([["Lyon", "Rome", "*"], ["Nice", "Rome", "*"], ["Rome", "Italy", "*"]], "lines 9 and 2"),
    ],
)
def test_every_refusal_of_a_table_names_its_lines(rows: list[list[str]], lines: str) -> None:
    """As the file numbers them: lines 2, 5 and 9 of one that has blank lines too."""
    with pytest.raises(InputRejected, match=rf"{lines}\b"):
        Hierarchy.from_rows(rows, "t", [2, 5, 9][: len(rows)])


def test_a_name_may_be_repeated_to_make_the_levels_even() -> None:
    tree = Hierarchy.from_rows([["Rome", "Rome", "*"], ["Lyon", "France", "*"], ["Nice", "France", "*"]], "t")
    assert tree.height == 2
    assert tree.reordered(["Nice", "Rome"], "t").labels[:, 1].tolist() == ["France", "Rome"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(-1, 3), st.sampled_from([-1, 0, 10**6]), st.integers(-1, 2**31 - 1)), min_size=1, max_size=30))
def test_distinct_rows_are_sorted_and_point_back(rows: list[tuple[int, int, int]]) -> None:
    codes = np.array(rows, dtype=np.int32)
    distinct, place = distinct_rows(codes)
    assert [tuple(row) for row in distinct.tolist()] == sorted(set(rows))
    assert (distinct[place] == codes).all()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(*[st.integers(-1, 18)] * 5), min_size=1, max_size=30))
def test_keys_that_outgrow_their_table_are_numbered_anew(rows: list[tuple[int, ...]]) -> None:
    codes = np.array(rows, dtype=np.int32)
    order = {row: number for number, row in enumerate(sorted(set(rows)))}
    assert places(codes.T).tolist() == [order[row] for row in rows]
    first, sizes = firsts_and_sizes(places(codes.T))
    assert [rows[row] for row in first] == sorted(set(rows))
    assert [rows.index(row) for row in sorted(set(rows))] == first.tolist()
    assert [rows.count(row) for row in sorted(set(rows))] == sizes.tolist()


@pytest.mark.parametrize("text", ["1e400", "-1e400", "1e999999999", "1e-999999999", "1e", "inf", "nan"])
def test_a_number_that_no_float_holds_is_refused_at_once(text: str) -> None:
    with pytest.raises(InputRejected, match="not a number"):
        exact(text)
    assert exact("1e-300") == Fraction(1, 10**300)


def test_a_floor_beyond_64_bits_is_the_largest_number_that_fits() -> None:
    assert floors(np.array([3, 0]), Fraction(10**30)).tolist() == [2**63 - 1, 0]
