"""Variance control at the ends of what floats hold."""

from __future__ import annotations

import numpy as np
import pytest

from headgate.core.columns import Kind
from headgate.core.errors import InputRejected
from headgate.counting.class_counts import count
from headgate.principles.variance import variance
from tests.unit.headgate.principles.counted_rows import classed, column


def test_close_numbers_far_from_zero_keep_their_variance() -> None:
    assert variance(classed([[10**9, 10**9 + 1]], Kind.NUMBER)).variance.value == 0.25
    assert variance(classed([[1e15, 1e15 + 1, 1e15 + 2]], Kind.NUMBER)).variance.value == pytest.approx(2 / 3)
    many = column([1e15] * 100_000 + [1e15 + 1] * 100_000 + [1e15 + 3] * 100_000, Kind.NUMBER)
    assert variance(count(many, [np.zeros(300_000, dtype=np.int32)])).variance.value == pytest.approx(14 / 9)


def test_numbers_whose_squares_overflow_are_refused() -> None:
    with pytest.raises(InputRejected, match="too large"):
        variance(classed([[-1e200, 1e200]], Kind.NUMBER))
