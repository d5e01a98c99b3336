"""(δ, l)-diversity against its definition and the paper's tables."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.counting.class_counts import count as counted
from headgate.principles.delta_l import delta_l
from headgate.principles.epsilon_m import epsilon_m
from tests.unit.headgate.principles.encoded_rows import NUMBERS, numbers, split


@pytest.mark.parametrize(
    ("delta", "values", "definition", "window"),
    [
        (15, [40, 60], 1, 1),
        (15, [40, 50, 60], 1, 1),
        (5, [40, 50, 60], 1, 1.5),
        (5, [490, 500, 510, 1000], 4 / 3, 2),
        (7.5, [40, 60], 2, 2),
        (7.5, [50, 80], 2, 2),
        (7.5, [40, 50, 60, 80], 4 / 3, 2),
        (10, [490, 500, 510, 1000], 4 / 3, 4 / 3),
        (10, [500, 600, 700], 3, 3),
        (10, [510, 680, 1000], 3, 3),
    ],
)
def test_golden_delta_l(delta: float, values: list[float], definition: float, window: float) -> None:
    """DEFINITIONS §5."""
    found = delta_l(counted(numbers(values), [np.zeros(len(values), dtype=np.int32)]), delta)
    assert (found.definition.value, found.window.value) == pytest.approx((definition, window))
    assert (found.definition_all, found.window_all) == pytest.approx((definition, window))


def test_a_missing_number_is_near_missing_ones_only() -> None:
    classes = [np.zeros(4, dtype=np.int32)]
    assert delta_l(counted(numbers([None, None, 1, 100]), classes), 5).definition.value == 2
    assert epsilon_m(counted(numbers([None, 1, 2, 100]), classes), 5).m == 2


@settings(max_examples=60, deadline=None)
@given(NUMBERS, st.sampled_from(["0", "2.5", "5", "7.5", "20"]))
def test_interval_diversity_is_that_of_the_definition(rows: list[tuple[int, Any]], delta: str) -> None:
    groups, classes = split(rows)
    harmless = {0, 10}
    column = numbers([cell for _, cell in rows], frozenset({"0", "10"}))

    def near(u: Any, v: Any) -> bool:
        return u is v if u is None or v is None else abs(u - v) <= 2 * float(delta) + 1e-9

    def window(inside: list[Any], ok: set[Any]) -> int:
        """Largest set of mutually similar rows that holds a wanted value: some interval that starts at a value."""
        known = [v for v in inside if v is not None]
        sets = [[v for v in known if low <= v <= low + 2 * float(delta) + 1e-9] for low in known]
        sets.append([v for v in inside if v is None])
        return max((len(one) for one in sets if any(v in ok for v in one)), default=0)

    star = [{v: sum(near(u, v) for u in one) for v in one} for one in classes]
    values = {cell for _, cell in rows}
    found = delta_l(counted(column, [groups]), delta)
    everything = [len(one) / max(s.values()) for one, s in zip(classes, star, strict=True)]
    assert found.definition_all == pytest.approx(min(everything))
    assert found.window_all == pytest.approx(min(len(one) / window(one, values) for one in classes))
    gated = [(len(one), max((n for v, n in s.items() if v not in harmless), default=0)) for one, s in zip(classes, star, strict=True)]
    assert found.definition.per_group.tolist() == pytest.approx([size / n if n else math.inf for size, n in gated])
    assert found.definition.value == min(found.definition.per_group)
    shown = [(len(one), window(one, values - harmless)) for one in classes]
    assert found.window.value == pytest.approx(min((size / n for size, n in shown if n), default=math.inf))
    assert found.definition.value <= found.window.value


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=10), st.lists(st.integers(0, 40), min_size=1, max_size=10))
def test_the_window_reading_never_falls_under_union(one: list[int], other: list[int]) -> None:
    def window(values: list[int]) -> float:
        return delta_l(counted(numbers(values), [np.zeros(len(values), dtype=np.int32)]), 3).window.value

    assert window(one + other) >= min(window(one), window(other)) - 1e-12


def test_the_definition_can_fall_under_union_contrary_to_the_paper() -> None:
    pair, other = [40, 60], [50, 80]
    alone = [delta_l(counted(numbers(values), [np.zeros(2, dtype=np.int32)]), 7.5).definition.value for values in (pair, other)]
    assert min(alone) > delta_l(counted(numbers(pair + other), [np.zeros(4, dtype=np.int32)]), 7.5).definition.value


@pytest.mark.parametrize("numbers_of_others", [[], [1e7], [-1e7], [10000000.9]])
@pytest.mark.parametrize("far", [0, 10_000_000])
def test_decimals_are_compared_as_they_are_written_however_large_the_numbers(far: int, numbers_of_others: list[float]) -> None:
    """{.1, .2, .3} at interval .05: each is 0.1 from the next. 10000000.3 − 10000000.2, as doubles, is 0.1000000015."""
    values = [float(f"{far}.{digit}") for digit in (1, 2, 3)]
    others = [number for number in numbers_of_others if number not in values]
    found = delta_l(counted(numbers(values + others), [np.zeros(len(values + others), dtype=np.int32)]), "0.05")
    assert found.definition.value == len(values + others) / 3
    assert found.window.value == len(values + others) / 2
