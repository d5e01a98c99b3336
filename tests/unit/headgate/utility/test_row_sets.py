"""Sets of rows by interval, against looking at each row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.utility.row_sets import MARKS, RowSets, keep_interval


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 400), st.integers(1, 300), st.integers(0, 10_000), st.floats(0, 1))
def test_an_interval_keeps_the_rows_whose_value_lies_in_it(rows: int, values: int, seed: int, missing: float) -> None:
    rng = np.random.default_rng(seed)
    attributes = []
    for _ in range(2):
        codes = np.where(rng.random(rows) < missing, -1, rng.integers(0, values, rows) ** 2 // values).astype(np.int32)
        attributes.append((codes, rng.permutation(3 * values)[:values].astype(np.int64)))
    sets = RowSets.of(attributes, rows)
    chosen = np.tile([0, 1], (20, 1))
    low = rng.integers(0, 3 * values, chosen.shape)
    high = np.minimum(low + rng.integers(1, 3 * values + 1, chosen.shape), 3 * values)
    lows, highs = sets.ends(chosen, low), sets.ends(chosen, high)
    words = sets.before.shape[1]
    for query in range(len(chosen)):
        inside, work = np.full(words, ~np.uint64(0)), np.empty(words, dtype=np.uint64)
        for i in range(2):
            ends = lows.at[query, i], lows.mark[query, i], highs.at[query, i], highs.mark[query, i]
            keep_interval(sets.order, sets.marks, sets.before, *ends, work, inside)
        found = [bool(int(inside[row // 64]) >> (row % 64) & 1) for row in range(64 * words)]
        lie = [[None if code < 0 else place[code] for code in codes] for codes, place in attributes]
        wanted = [all(lie[i][row] is not None and low[query, i] <= lie[i][row] < high[query, i] for i in range(2)) for row in range(rows)]
        assert found == wanted + [False] * (64 * words - rows)


def test_memory_stays_at_a_few_bytes_a_row_however_many_values_there_are() -> None:
    rows = 100_000
    sets = RowSets.of([(np.arange(rows, dtype=np.int32), np.arange(rows, dtype=np.int64) * 10**9)], rows)
    assert len(sets.marks) == MARKS + 1
    assert sets.order.nbytes + sets.before.nbytes == pytest.approx((4 + (MARKS + 1) / 8) * rows, rel=0.01)
