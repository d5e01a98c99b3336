"""Prosecutor, journalist and marketer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.errors import InputRejected
from headgate.risk.reidentification import journalist, reidentification


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=20))
def test_the_prosecutor_finds_one_in_the_size_of_the_group(groups: list[int]) -> None:
    numbers = np.unique(groups, return_inverse=True)[1].astype(np.int32)
    risks = [1 / groups.count(group) for group in groups]
    found = reidentification([numbers], 0.5)
    assert found.per_row.tolist() == pytest.approx(risks)
    assert (found.max, found.mean) == pytest.approx((max(risks), sum(risks) / len(risks)))
    assert found.at_risk == pytest.approx(sum(risk > 0.5 for risk in risks) / len(risks))


def test_the_journalist_needs_the_population() -> None:
    found = journalist(np.array([4, 0, 1]))
    assert (found.max, found.mean) == pytest.approx((1.0, 1.25 / 3))


def test_no_rows_are_refused() -> None:
    with pytest.raises(InputRejected, match="no rows"):
        reidentification([np.empty(0, dtype=np.int32)])
    with pytest.raises(InputRejected, match="no rows"):
        journalist(np.empty(0, dtype=np.int64))


def test_the_worse_reading_counts() -> None:
    alike, apart = np.zeros(4, dtype=np.int32), np.array([0, 0, 0, 1], dtype=np.int32)
    for readings in ([alike, apart], [apart, alike]):
        found = reidentification(readings, 0.5)
        assert (found.max, found.mean, found.at_risk) == (1.0, 0.5, 0.25)
