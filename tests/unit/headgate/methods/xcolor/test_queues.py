"""Both queues, against a plain list of the keys."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.methods.xcolor.queues import BUCKETS, NOBODY, empty_queues, file_row, first_row, least_departure, set_key

ROWS, DEEPEST = 13, 5_000


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, ROWS - 1), st.one_of(st.none(), st.integers(-20, 20))), max_size=40))
def test_the_first_row_has_the_least_key_and_of_equal_ones_the_lowest_number(changes: list[tuple[int, int | None]]) -> None:
    queues, keys = empty_queues(ROWS, DEEPEST), {}
    for row, key in changes:
        set_key(queues, row, NOBODY if key is None else key)
        keys[row] = key
        waiting = [(key, row) for row, key in keys.items() if key is not None]
        assert first_row(queues) == (min(waiting)[1] if waiting else -1)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, ROWS - 1), st.integers(-DEEPEST, 0)), max_size=40))
def test_each_row_is_in_one_bucket_which_no_departure_in_it_or_after_it_undercuts(changes: list[tuple[int, int]]) -> None:
    queues, departures = empty_queues(ROWS, DEEPEST), {}
    for row, departure in changes:
        file_row(queues, row, departure)
        departures[row] = departure
    met = []
    for b in range(BUCKETS):
        row = queues.head[b]
        while row >= 0:
            met.append((b, int(row)))
            row = queues.after[row]
    assert sorted(row for _, row in met) == sorted(departures)
    for b, row in met:
        assert queues.bucket[row] == b
        assert least_departure(queues, b) <= min(departures[other] for place, other in met if place >= b)
    assert np.all(queues.head[[b for b, _ in met]] >= 0)
