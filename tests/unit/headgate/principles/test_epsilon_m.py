"""(ε, m)-anonymity against its definition and the paper's tables."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.errors import InputRejected
from headgate.counting.class_counts import count as counted
from headgate.principles.delta_l import delta_l
from headgate.principles.epsilon_m import epsilon_m
from tests.unit.headgate.principles.encoded_rows import NUMBERS, categories, numbers, split


@pytest.mark.parametrize(("values", "m"), [([40, 60], 2), ([40, 50, 60], 1), ([50, 80], 2), ([40, 50, 60, 80], 4 / 3)])
def test_golden_epsilon_m(values: list[float], m: float) -> None:
    """DEFINITIONS §5, ε = 15."""
    assert epsilon_m(counted(numbers(values), [np.zeros(len(values), dtype=np.int32)]), 15).m == pytest.approx(m)


@pytest.mark.parametrize("relative", [False, True])
@settings(max_examples=60, deadline=None)
@given(rows=NUMBERS, epsilon=st.sampled_from([0, 0.5, 1, 5, 10]))
def test_epsilon_m_is_that_of_the_definition(relative: bool, rows: list[tuple[int, Any]], epsilon: float) -> None:
    groups, classes = split(rows)
    column = numbers([cell for _, cell in rows], frozenset({"5"}))

    def count(x: Any, inside: list[Any]) -> int:
        if x is None:
            return sum(y is None for y in inside)
        reach = epsilon * abs(x) if relative else epsilon
        return sum(y is not None and abs(y - x) <= reach + 1e-9 for y in inside)

    found = epsilon_m(counted(column, [groups]), epsilon, relative)
    assert found.m_all == pytest.approx(min(len(one) / max(count(x, one) for x in one) for one in classes))
    gated = [(len(one), max((count(x, one) for x in one if x != 5), default=0)) for one in classes]
    assert found.figure.per_group.tolist() == pytest.approx([size / n if n else math.inf for size, n in gated])


def test_principles_of_numbers_refuse_categories() -> None:
    for measure in (delta_l, epsilon_m):
        with pytest.raises(InputRejected, match="needs numbers"):
            measure(counted(categories(["a"]), [np.zeros(1, dtype=np.int32)]), 1)
        with pytest.raises(InputRejected, match="not a finite number"):
            measure(counted(numbers([1]), [np.zeros(1, dtype=np.int32)]), -1)
