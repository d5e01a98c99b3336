"""Distinct rows of codes, by their order."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.distinct import distinct_rows, firsts_and_sizes, places


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
