"""Diversity, linkability, k and (ε, m), (δ, l): golden figures and brute force."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Column, Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import InputRejected
from headgate.counting.class_counts import class_counts
from headgate.counting.class_counts import count as counted
from headgate.principles.delta_l import delta_l
from headgate.principles.diversity import diversity
from headgate.principles.epsilon_m import epsilon_m
from headgate.principles.k_anonymity import k_anonymity
from headgate.principles.linkability import linkability, worst_linkability

HARMLESS: frozenset[str | None] = frozenset({"none"})
ROWS = st.lists(st.tuples(st.integers(0, 3), st.sampled_from([None, "a", "b", "c", "none"])), min_size=1, max_size=25)
NUMBERS = st.lists(st.tuples(st.integers(0, 2), st.sampled_from([None, -30, -10, 0, 5, 10, 15, 20, 40])), min_size=1, max_size=25)


def categories(cells: list[Any]) -> Column:
    return encode_column(pd.Series(cells, dtype=object), ColumnSpec("v", Kind.CATEGORY, Role.SENSITIVE, nonsensitive=HARMLESS))


def numbers(cells: list[Any], harmless: frozenset[str | None] = frozenset()) -> Column:
    return encode_column(pd.Series(cells, dtype=object), ColumnSpec("v", Kind.NUMBER, Role.SENSITIVE, nonsensitive=harmless))


def split(rows: list[tuple[int, Any]]) -> tuple[np.ndarray, list[list[Any]]]:
    order = {group: i for i, group in enumerate(sorted({group for group, _ in rows}))}
    groups = np.array([order[group] for group, _ in rows], dtype=np.int32)
    return groups, [[cell for one, cell in rows if order[one] == group] for group in range(len(order))]


@settings(max_examples=60, deadline=None)
@given(ROWS)
def test_diversity_linkability_and_k_are_those_of_the_definition(rows: list[tuple[int, Any]]) -> None:
    groups, classes = split(rows)
    column = categories([cell for _, cell in rows])
    concerned = [one for one in classes if set(one) - HARMLESS]
    found = diversity(counted(column, [groups]))
    entropy = [math.exp(-sum(n / len(one) * math.log(n / len(one)) for n in Counter(one).values())) for one in classes]
    assert found.distinct.per_group.tolist() == [len(set(one)) if one in concerned else math.inf for one in classes]
    assert found.distinct_l_all == min(len(set(one)) for one in classes)
    assert found.frequency_l_all == pytest.approx(min(len(one) / max(Counter(one).values()) for one in classes))
    assert found.entropy.per_group.tolist() == pytest.approx(
        [e if one in concerned else math.inf for e, one in zip(entropy, classes, strict=True)]
    )
    assert found.entropy_l_all == pytest.approx(min(entropy))
    assert found.attainable == len({cell for _, cell in rows})
    assert found.distinct_l == min((len(set(one)) for one in concerned), default=found.attainable)
    assert found.entropy_l == pytest.approx(min((e for e, one in zip(entropy, classes, strict=True) if one in concerned), default=math.inf))
    top = [max((n for value, n in Counter(one).items() if value not in HARMLESS), default=0) / len(one) for one in classes]
    linked = linkability(counted(column, [groups]))
    assert linked.figure.per_group.tolist() == pytest.approx(top)
    assert linked.linkability == pytest.approx(max(top))
    assert linked.linkability_all == pytest.approx(max(max(Counter(one).values()) / len(one) for one in classes))
    assert found.frequency_l == pytest.approx(1 / max(top) if max(top) else math.inf)
    size = k_anonymity([groups])
    assert (size.k, size.groups, size.mean_group) == (min(map(len, classes)), len(classes), len(rows) / len(classes))


def test_the_worse_reading_counts() -> None:
    column = categories(["a", "b", "a", "a"])
    by_group, by_values = np.array([0, 0, 1, 1], dtype=np.int32), np.zeros(4, dtype=np.int32)
    assert linkability(counted(column, [by_values])).linkability == 0.75
    assert linkability(counted(column, [by_values, by_group])).linkability == 1.0
    assert diversity(counted(column, [by_values, by_group])).distinct_l == 1
    assert k_anonymity([by_group, by_values]).k == 2


def test_the_binding_attribute_is_named() -> None:
    spec = ColumnSpec("w", Kind.CATEGORY, Role.SENSITIVE)
    other = encode_column(pd.Series(["x", "x", "y"]), spec)
    worst = worst_linkability([counted(column, [np.zeros(3, dtype=np.int32)]) for column in (categories(["a", "b", "c"]), other)])
    assert (worst.attribute, worst.linkability) == ("w", pytest.approx(2 / 3))


def test_a_bitmap_column_is_judged_by_having_the_value() -> None:
    """DEFINITIONS §1: without this a bit, whose larger value holds at least half, could never pass."""
    bits = encode_column(pd.Series(["0"] * 9 + ["1"]), ColumnSpec("d=x", Kind.CATEGORY, Role.SENSITIVE, nonsensitive=frozenset({"0"})))
    found = linkability(counted(bits, [np.zeros(10, dtype=np.int32)]))
    assert (found.linkability, found.linkability_all) == (0.1, 0.9)


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


@pytest.mark.parametrize(("values", "m"), [([40, 60], 2), ([40, 50, 60], 1), ([50, 80], 2), ([40, 50, 60, 80], 4 / 3)])
def test_golden_epsilon_m(values: list[float], m: float) -> None:
    """DEFINITIONS §5, ε = 15."""
    assert epsilon_m(counted(numbers(values), [np.zeros(len(values), dtype=np.int32)]), 15).m == pytest.approx(m)


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


def test_principles_of_numbers_refuse_categories() -> None:
    for measure in (delta_l, epsilon_m):
        with pytest.raises(InputRejected, match="needs numbers"):
            measure(counted(categories(["a"]), [np.zeros(1, dtype=np.int32)]), 1)
        with pytest.raises(InputRejected, match="no finite number"):
            measure(counted(numbers([1]), [np.zeros(1, dtype=np.int32)]), -1)


@pytest.mark.parametrize("classes", [[0, 2, 2], [0, -1, 0], [0, 0]])
def test_class_numbers_with_gaps_or_suppressed_rows_are_refused(classes: list[int]) -> None:
    with pytest.raises(InputRejected):
        class_counts(np.zeros(3, dtype=np.int32), np.array(classes, dtype=np.int32))
