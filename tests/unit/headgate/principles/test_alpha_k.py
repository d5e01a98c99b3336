"""(α, k)-anonymity against its definition."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings

from headgate.principles.alpha_k import alpha_k
from tests.unit.headgate.principles.counted_rows import ROWS, classed, is_harmless, split


@settings(max_examples=60, deadline=None)
@given(ROWS)
def test_alpha_is_the_largest_share_of_a_sensitive_value_and_k_the_smallest_class(rows: list[tuple[int, Any]]) -> None:
    classes = split(rows)
    found = alpha_k(classed(classes))
    alpha = [max((n for cell, n in Counter(one).items() if not is_harmless(cell)), default=0) / len(one) for one in classes]
    assert found.alpha.per_group.tolist() == pytest.approx(alpha)
    assert found.alpha_all.value == pytest.approx(max(max(Counter(one).values()) / len(one) for one in classes))
    assert found.k.value == min(map(len, classes))


def test_alpha_and_k_are_asked_for_together() -> None:
    found = alpha_k(classed([["a", "b"], ["a", "b", "c", "c", "c"]]))
    assert found.holds("0.6", 2)
    assert not found.holds("0.6", 3)
    assert not found.holds("0.59", 2)
    assert found.alpha.short_of("0.5").people == 5


def test_alpha_counts_sensitive_values_only() -> None:
    measured = alpha_k(classed([["a", "none", "none", "none"], ["a", "b", "none", "none"]]))
    assert measured.alpha.per_group.tolist() == [0.25, 0.25]
    assert measured.alpha_all.value == 0.75
