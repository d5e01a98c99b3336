"""Counting the values of every class."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.errors import InputRejected
from headgate.counting.class_counts import class_counts


@pytest.mark.parametrize("classes", [[0, 2, 2], [0, -1, 0], [0, 0]])
def test_class_numbers_with_gaps_or_suppressed_rows_are_refused(classes: list[int]) -> None:
    with pytest.raises(InputRejected):
        class_counts(np.zeros(3, dtype=np.int32), np.array(classes, dtype=np.int32))


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(-1, 5)), min_size=1, max_size=60))
def test_counting_sorts_every_class_by_value(rows: list[tuple[int, int]]) -> None:
    classes = np.unique([group for group, _ in rows], return_inverse=True)[1].astype(np.int32)
    codes = np.array([code for _, code in rows], dtype=np.int32)
    found = class_counts(codes, classes)
    wanted = sorted(Counter(zip(classes.tolist(), codes.tolist(), strict=True)).items())
    owner = np.repeat(np.arange(len(found)), np.diff(found.starts))
    entries = list(zip(owner.tolist(), found.codes.tolist(), strict=True))
    assert list(zip(entries, found.counts.tolist(), strict=True)) == wanted
    assert found.sizes.tolist() == np.bincount(classes).tolist()
    assert found.starts.tolist() == [sum(owner < group for (owner, _), _ in wanted) for group in range(len(found) + 1)]
