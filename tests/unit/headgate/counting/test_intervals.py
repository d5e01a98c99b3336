"""Rows near a value on a line, against comparing all pairs."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.counting.class_counts import class_counts
from headgate.counting.intervals import largest_stars

CELLS = st.lists(st.tuples(st.integers(0, 2), st.integers(-1, 6)), min_size=1, max_size=30)


@settings(max_examples=60, deadline=None)
@given(CELLS, st.sampled_from([0.0, 0.5, 1.0, 2.5]), st.lists(st.booleans(), min_size=8, max_size=8))
def test_the_largest_star_is_the_most_rows_within_reach_of_one_value(cells: list[tuple[int, int]], reach: float, flags: list[bool]) -> None:
    labels = sorted({label for label, _ in cells})
    classes = np.array([labels.index(label) for label, _ in cells], dtype=np.int32)
    codes = np.array([code for _, code in cells], dtype=np.int32)
    values = np.array([0.0, 0.5, 1.5, 2.0, 4.0, 4.5, 9.0])
    counts = class_counts(codes, classes)
    of_any, of_flagged = largest_stars(counts, values, np.full(7, reach), np.array(flags))

    def near(one: int, other: int) -> bool:
        return one == other if min(one, other) < 0 else abs(values[one] - values[other]) <= reach

    for group in range(len(labels)):
        inside = codes[classes == group].tolist()
        assert of_any[group] == max(sum(near(one, other) for other in inside) for one in inside)
        assert of_flagged[group] == max((sum(near(one, other) for other in inside) for one in inside if flags[one]), default=0)
