"""Every measure's three answers: the table's figure, each group's, and who falls short of a requirement."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import InputRejected
from headgate.counting.class_counts import count
from headgate.counting.figure import Bound, Figure
from headgate.principles.diversity import diversity
from headgate.principles.k_anonymity import k_anonymity


def test_groups_that_fall_short_are_numbered_with_what_they_lack() -> None:
    found = k_anonymity([np.array([0, 0, 0, 1, 2, 2], dtype=np.int32)])
    short = found.figure.short_of(3)
    assert (short.groups.tolist(), short.missing.tolist(), short.people, short.met) == ([1, 2], [2, 1], 3, False)
    assert found.figure.short_of(1).met


def test_the_reading_that_concerns_more_people_is_told() -> None:
    by_group, by_values = np.array([0, 0, 1, 1], dtype=np.int32), np.array([0, 0, 0, 1], dtype=np.int32)
    short = k_anonymity([by_group, by_values]).figure.short_of(2)
    assert (short.by_values, short.groups.tolist(), short.people) == (True, [1], 1)


@pytest.mark.parametrize(
    ("bound", "figure", "required", "met"),
    [
        (Bound.AT_MOST, 0.1 + 0.2, "0.3", True),
        (Bound.AT_MOST, 0.3 + 1e-8, "0.3", False),
        (Bound.AT_LEAST, 0.7 + 0.1, "0.8", True),
        (Bound.AT_LEAST, 0.8 - 1e-8, "0.8", False),
        (Bound.AT_LEAST, np.inf, "5", True),
        (Bound.AT_MOST, np.inf, "5", False),
        (Bound.AT_LEAST, np.nan, "0", False),
        (Bound.AT_MOST, np.nan, "1", False),
    ],
)
def test_a_requirement_is_met_up_to_the_tolerance_and_by_nothing_that_is_no_number(
    bound: Bound, figure: float, required: str, met: bool
) -> None:
    assert Figure("x", bound, (np.array([figure]),), (np.array([4]),)).short_of(required).met is met


def test_a_requirement_must_be_a_number() -> None:
    with pytest.raises(InputRejected):
        k_anonymity([np.zeros(2, dtype=np.int32)]).figure.short_of("many")
    with pytest.raises(InputRejected):
        k_anonymity([np.zeros(2, dtype=np.int32)]).figure.short_of(float("nan"))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(-1, 5)), min_size=1, max_size=60), st.integers(0, 6), st.integers(0, 6))
def test_k_and_distinct_l_never_fall_when_two_groups_become_one(rows: list[tuple[int, int]], one: int, other: int) -> None:
    def measured(groups: list[int]) -> tuple[float, float]:
        classes = np.unique(groups, return_inverse=True)[1].astype(np.int32)
        column = encode_column(pd.Series([code for _, code in rows]), ColumnSpec("v", Kind.CATEGORY, Role.SENSITIVE))
        return k_anonymity([classes]).k, diversity(count(column, [classes])).distinct_l

    apart = measured([group for group, _ in rows])
    joined = measured([one if group == other else group for group, _ in rows])
    assert joined[0] >= apart[0]
    assert joined[1] >= apart[1]


def test_what_is_capped_at_the_table_s_own_is_asked_for_no_more() -> None:
    column = encode_column(pd.Series(["m", "f", "m", "m"]), ColumnSpec("sex", Kind.CATEGORY, Role.SENSITIVE, nonsensitive=frozenset("mf")))
    nothing = diversity(count(column, [np.array([0, 0, 1, 1], dtype=np.int32)]))
    assert (nothing.distinct.value, nothing.distinct_l, nothing.distinct.short_of(9).met) == (2, 2, True)
    column = encode_column(pd.Series(["m", "f", "m", "m"]), ColumnSpec("sex", Kind.CATEGORY, Role.SENSITIVE))
    short = diversity(count(column, [np.array([0, 0, 1, 1], dtype=np.int32)])).distinct.short_of(9)
    assert (short.required, short.groups.tolist(), short.missing.tolist(), short.people) == (2, [1], [1], 2)
