"""(ε, δ)-dissimilarity: golden figures, and brute force over rows from the definition."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Column, Kind, Role
from headgate.core.distance import Distance
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy
from headgate.core.scale import Scale
from headgate.principles.dissimilarity import dissimilarity

# "A General Proximity Privacy Principle", Table I
DISEASES = [
    (0.5, 0.3, 0.1, 0.1), (0.4, 0.3, 0.2, 0.1), (0.4, 0.2, 0.2, 0.2), (0.3, 0.4, 0.2, 0.1),
    (0.2, 0.7, 0.1, 0.0), (0.2, 0.6, 0.2, 0.0), (0.8, 0.1, 0.0, 0.1), (0.3, 0.1, 0.5, 0.1),
]  # fmt: skip
# "XColor", Table I
SYNDROMES = [
    (0.8, 0.0, 0.0), (0.6, 0.4, 0.4), (0.7, 0.1, 0.1), (1.0, 0.2, 0.2), (0.1, 0.9, 0.9),
    (0.2, 0.5, 0.2), (0.8, 0.1, 0.9), (0.4, 0.3, 0.5), (0.6, 0.9, 0.3), (1.0, 0.7, 0.7),
]  # fmt: skip


def vectors(rows: list[tuple[float, ...]], metric: str) -> Column:
    return encode_column(pd.DataFrame(rows), ColumnSpec("v", Kind.VECTOR, Role.SENSITIVE, metric=metric))


def reading(sizes: list[int]) -> np.ndarray:
    return np.repeat(np.arange(len(sizes)), sizes).astype(np.int32)


def test_golden_general_proximity_table_one() -> None:
    """DEFINITIONS §3: group 1 risk 0.75, belief 0.8 around #2; group 2 risk 0."""
    column = vectors(DISEASES, "total-variation")
    found = dissimilarity([column], [reading([5, 3])], Distance(), "0.1", "0.25")
    assert found.per_group.tolist() == [0.75, 0.0]
    assert found.risk == found.risk_all == 0.75
    assert found.worst is not None
    assert found.worst.belief == 0.8
    assert tuple(column.values[found.worst.codes[0]]) == DISEASES[1]
    assert found.holds
    assert dissimilarity([column], [reading([5, 3])], Distance(), "0.1", "0.26").vulnerability == 0.5


def test_golden_xcolor_table_one() -> None:
    """DEFINITIONS §3: group 1 risk 0.75 around #3, group 2 risk 0.25; the whole table has 19 edges and Θ = 6."""
    column = vectors(SYNDROMES, "min")
    found = dissimilarity([column], [reading([5, 5])], Distance(), "0.1", "0.25")
    assert found.per_group.tolist() == [0.75, 0.25]
    assert found.worst is not None
    assert tuple(column.values[found.worst.codes[0]]) == SYNDROMES[2]
    near = Distance().over([column]).matrix(column.codes.reshape(-1, 1)) <= 0.1 + 1e-9
    np.fill_diagonal(near, False)
    assert near.sum() // 2 == 19
    assert near.sum(axis=1).max() == 6
    assert {(i + 1, j + 1) for i, j in zip(*np.nonzero(near[:5, :5]), strict=True) if i < j} == {(1, 3), (2, 3), (3, 4)}
    assert {(i + 6, j + 6) for i, j in zip(*np.nonzero(near[5:, 5:]), strict=True) if i < j} == {(6, 9)}


def test_golden_dissimilarity_is_not_monotone_under_union() -> None:
    """DEFINITIONS §3: {0,1} ∪ {0,1}: risk 0, 0 → 1/3."""
    column = encode_column(pd.Series(["0", "1", "0", "1"]), ColumnSpec("v", Kind.CATEGORY, Role.SENSITIVE))
    assert dissimilarity([column], [reading([2, 2])], Distance(), 0).per_group.tolist() == [0, 0]
    assert dissimilarity([column], [reading([4])], Distance(), 0).risk == pytest.approx(1 / 3)


def test_golden_a_composite_can_hide_a_homogeneous_attribute() -> None:
    """DEFINITIONS §3: four rows all HIV with four jobs: composite risk 0; the attribute alone has risk 1."""
    illness = encode_column(pd.Series(["HIV"] * 4), ColumnSpec("illness", Kind.CATEGORY, Role.SENSITIVE))
    job = encode_column(pd.Series(["a", "b", "c", "d"]), ColumnSpec("job", Kind.CATEGORY, Role.SENSITIVE))
    assert dissimilarity([illness, job], [reading([4])], Distance(), "0.1").risk == 0
    assert dissimilarity([illness], [reading([4])], Distance(), "0.1").risk == 1


def test_a_rounding_error_hides_no_neighbour() -> None:
    """DEFINITIONS, preamble: |0.7 − 0.8| is a neighbour at ε = 0.1, though floats make it a little more."""
    spec = ColumnSpec("v", Kind.NUMBER, Role.SENSITIVE, domain=(0, 1))
    column = encode_column(pd.Series([0.7, 0.8]), spec)
    assert abs(0.7 - 0.8) > 0.1
    assert dissimilarity([column], [reading([2])], Distance(), "0.1").risk == 1
    pair = [column, encode_column(pd.Series(["a", "a"]), ColumnSpec("w", Kind.CATEGORY, Role.SENSITIVE))]
    assert dissimilarity(pair, [reading([2])], Distance(), "0.05").risk == 1


def test_one_sensitive_value_makes_a_row_a_centre() -> None:
    """DEFINITIONS §3 (ext): only a row whose values are all declared harmless is none."""
    illness = encode_column(pd.Series(["flu"] * 3), ColumnSpec("v", Kind.CATEGORY, Role.SENSITIVE))
    spec = ColumnSpec("w", Kind.CATEGORY, Role.SENSITIVE, nonsensitive=frozenset({"none"}))
    habit = encode_column(pd.Series(["none"] * 3), spec)
    assert dissimilarity([illness, habit], [reading([3])], Distance(), "0").risk == 1
    assert dissimilarity([habit], [reading([3])], Distance(), "0").risk == 0


def test_values_are_compared_wherever_their_weighed_difference_can_be_near() -> None:
    """A category of weight 0.2 differs by 0.2 at most: at ε = 0.2 rows of two categories are neighbours, at 0.1 they are not."""
    light = encode_column(pd.Series(["a", "b"]), ColumnSpec("v", Kind.CATEGORY, Role.SENSITIVE, weight=1))
    heavy = encode_column(pd.Series(["x", "x"]), ColumnSpec("w", Kind.CATEGORY, Role.SENSITIVE, weight=4))
    assert dissimilarity([light, heavy], [reading([2])], Distance(), "0.2").risk == 1
    assert dissimilarity([light, heavy], [reading([2])], Distance(), "0.1").risk == 0


ROWS = st.lists(
    st.tuples(
        st.integers(0, 3),  # group
        st.sampled_from([None, 0.0, 0.1, 0.2, 0.7, 0.8, 1.0]),  # number
        st.sampled_from([None, "a", "b", "none"]),  # category
        st.sampled_from([None, "low", "middle", "high"]),  # ordinal
    ),
    min_size=1,
    max_size=24,
)


def component(one: Any, other: Any, kind: str) -> float:
    if one is None or other is None:
        return 0.0 if one is other else 1.0
    if kind == "category":
        return float(one != other)
    if kind == "ordinal":
        levels = ["low", "middle", "high"]
        return abs(levels.index(one) - levels.index(other)) / 2
    return abs(one - other)


def columns_of(cells: list[tuple[Any, ...]], which: list[str]) -> list[Column]:
    specs = {
        "number": ColumnSpec("number", Kind.NUMBER, Role.SENSITIVE, domain=(0, 1), weight=2, nonsensitive=frozenset({"0"})),
        "category": ColumnSpec("category", Kind.CATEGORY, Role.SENSITIVE, nonsensitive=frozenset({"none", None})),
        "ordinal": ColumnSpec("ordinal", Kind.ORDINAL, Role.SENSITIVE, levels=("low", "middle", "high"), nonsensitive=frozenset({"low"})),
    }
    order = ["number", "category", "ordinal"]
    return [encode_column(pd.Series([row[order.index(name)] for row in cells], dtype=object), specs[name]) for name in which]


@pytest.mark.parametrize("combine", ["lp", "lp2", "min"])
@pytest.mark.parametrize("which", [["number"], ["category"], ["number", "category", "ordinal"]])
@settings(max_examples=25, deadline=None)
@given(rows=ROWS, epsilon=st.sampled_from(["0", "0.1", "0.25", "0.5", "1"]), delta=st.sampled_from(["0", "0.3", "0.5", "0.7", "1"]))
def test_risk_and_vulnerability_are_those_of_the_definition(
    combine: str, which: list[str], rows: list[tuple[Any, ...]], epsilon: str, delta: str
) -> None:
    numbers = {group: i for i, group in enumerate(sorted({row[0] for row in rows}))}
    groups = np.array([numbers[row[0]] for row in rows], dtype=np.int32)
    cells = [row[1:] for row in rows]
    order = ["number", "category", "ordinal"]
    harmless = {"number": {0.0}, "category": {"none", None}, "ordinal": {"low"}}
    weights = np.array([2.0 if name == "number" else 1.0 for name in which])
    power = 2 if combine == "lp2" else 1

    def far(a: tuple[Any, ...], b: tuple[Any, ...]) -> float:
        parts = np.array([component(a[order.index(name)], b[order.index(name)], name) for name in which])
        return float(parts.min()) if combine == "min" else float((weights / weights.sum() @ parts**power) ** (1 / power))

    def centre(cell: tuple[Any, ...]) -> bool:
        return any(cell[order.index(name)] not in harmless[name] for name in which)

    risks: list[float] = []
    risks_all: list[float] = []
    broken = 0
    for group in range(len(numbers)):
        inside = [cell for cell, number in zip(cells, groups, strict=True) if number == group]
        size = len(inside)
        near = [sum(far(v, u) <= float(epsilon) + 1e-9 for u in inside) - 1 for v in inside]
        eligible = [n for n, v in zip(near, inside, strict=True) if centre(v)]
        risks.append(1.0 if size == 1 else max(eligible, default=0) / (size - 1))
        risks_all.append(1.0 if size == 1 else max(near) / (size - 1))
        allowed = math.floor((1 - Fraction(delta)) * (size - 1))
        broken += max(eligible, default=0) > allowed or (size == 1 and Fraction(delta) > 0)
    distance = Distance(p=power, combine="min" if combine == "min" else "lp")
    found = dissimilarity(columns_of(cells, which), [groups], distance, epsilon, delta)
    assert found.per_group.tolist() == pytest.approx(risks)
    assert (found.risk, found.risk_all) == pytest.approx((max(risks), max(risks_all)))
    assert found.vulnerable_groups == broken
    assert found.holds == (broken == 0)
    assert found.vulnerability == pytest.approx(broken / len(numbers))


@settings(max_examples=60, deadline=None)
@given(rows=ROWS, epsilon=st.sampled_from(["0", "0.1", "0.5"]), delta=st.sampled_from(["0", "0.01", "0.3", "1/3", "0.5", "0.7", "1"]))
def test_groups_that_fall_short_are_named_with_their_people_and_the_neighbours_they_have_too_many(
    rows: list[tuple[Any, ...]], epsilon: str, delta: str
) -> None:
    by_number = np.unique([row[0] for row in rows], return_inverse=True)[1].astype(np.int32)
    whole = np.zeros(len(rows), dtype=np.int32)
    columns = columns_of([row[1:] for row in rows], ["number"])

    def concerned(value: float | None) -> bool:
        return value != 0.0  # None is a value to protect, 0 is declared harmless

    wanted: list[tuple[int, dict[int, int]]] = []
    for classes in (by_number, whole):
        over: dict[int, int] = {}
        people = 0
        for group in range(classes.max() + 1):
            inside = [row[1] for row, number in zip(rows, classes, strict=True) if number == group]
            most = 0
            for i, v in enumerate(inside):
                near = sum(j != i and component(v, u, "number") <= float(epsilon) + 1e-9 for j, u in enumerate(inside))
                most = max(most, near if concerned(v) else 0)
            allowed = math.floor((1 - Fraction(delta)) * (len(inside) - 1))
            if most > allowed or (len(inside) == 1 and Fraction(delta) > 0):
                over[group] = most - allowed if len(inside) > 1 else 1
                people += len(inside)
        wanted.append((people, over))
    people, over = max(wanted, key=lambda one: one[0])
    found = dissimilarity(columns, [by_number, whole], Distance(), epsilon, Fraction(delta))
    short = found.short_of(Fraction(delta))
    assert short.met == found.holds == (not over)
    assert dict(zip(short.groups.tolist(), short.missing.tolist(), strict=True)) == over
    assert short.people == people
    assert short.by_values == (wanted[1][0] > wanted[0][0])
    assert short.required == float(Fraction(delta))


def test_floors_of_what_was_written_decide_who_falls_short() -> None:
    """Two of eleven rows are alike: 1 of 10 others, and δ = 0.9 allows ⌊0.1 · 10⌋ = 1. In floats (1 − 0.9) · 10 is a little less."""
    assert math.floor((1 - 0.9) * 10) == 0
    column = encode_column(pd.Series([*"aabcdefghij"]), ColumnSpec("v", Kind.CATEGORY, Role.SENSITIVE))
    found = dissimilarity([column], [reading([11])], Distance(), 0)
    assert found.short_of("0.9").met
    assert found.short_of(0.9).met
    short = found.short_of("0.91")
    assert (short.groups.tolist(), short.missing.tolist(), short.people) == ([0], [1.0], 11)


def test_the_figure_is_the_risk_of_each_class_in_each_reading() -> None:
    column = encode_column(pd.Series([*"aabc", *"dd"]), ColumnSpec("v", Kind.CATEGORY, Role.SENSITIVE))
    found = dissimilarity([column], [reading([4, 2]), reading([6])], Distance(), 0)
    assert [figures.tolist() for figures in found.figure.per_class] == [[1 / 3, 1.0], [0.2]]
    assert found.figure.value == found.risk == 1.0
    assert found.figure.per_group is found.per_group
    assert found.figure.short_of("0.5").groups.tolist() == [1]
    assert found.worst is not None
    assert (found.worst.group, found.worst.neighbours, found.worst.by_values) == (1, 1, False)


@settings(max_examples=25, deadline=None)
@given(rows=ROWS, seed=st.integers(0, 1000))
def test_the_order_of_rows_does_not_matter_and_the_worse_reading_counts(rows: list[tuple[Any, ...]], seed: int) -> None:
    columns = columns_of([row[1:] for row in rows], ["number", "category"])
    groups = np.unique([row[0] for row in rows], return_inverse=True)[1].astype(np.int32)
    whole = np.zeros(len(rows), dtype=np.int32)
    found = dissimilarity(columns, [groups, whole], Distance(), "0.1", "0.5")
    alone = [dissimilarity(columns, [one], Distance(), "0.1", "0.5") for one in (groups, whole)]
    assert found.risk == max(one.risk for one in alone)
    assert found.vulnerability == max(one.vulnerability or 0.0 for one in alone)
    order = np.random.default_rng(seed).permutation(len(rows))
    mixed = dissimilarity([column.take(order) for column in columns], [groups[order]], Distance(), "0.1", "0.5")
    assert mixed.per_group.tolist() == alone[0].per_group.tolist()


def test_a_lone_row_has_risk_one_even_if_its_value_is_harmless() -> None:
    spec = ColumnSpec("v", Kind.CATEGORY, Role.SENSITIVE, nonsensitive=frozenset({"none"}))
    column = encode_column(pd.Series(["none"]), spec)
    found = dissimilarity([column], [reading([1])], Distance(), 0, "0.5")
    assert (found.risk, found.holds, found.worst) == (1.0, False, None)
    assert dissimilarity([column], [reading([1])], Distance(), 0, 0).holds
    pair = encode_column(pd.Series(["none", "none"]), spec)
    assert dissimilarity([pair], [reading([2])], Distance(), 0, 1).risk == 0
    assert dissimilarity([pair], [reading([2])], Distance(), 0, 1).risk_all == 1


def test_a_callable_distance_gives_the_same_figures_as_the_built_in_one() -> None:
    rng = np.random.default_rng(3)
    column = encode_column(pd.Series(rng.integers(0, 10, 40)), ColumnSpec("v", Kind.NUMBER, Role.SENSITIVE, domain=(0, 9)))
    groups = reading([8] * 5)
    built_in = dissimilarity([column], [groups], Distance(), "0.2", "0.5")
    called = dissimilarity([column], [groups], Distance(function=lambda a, b: abs(a - b) / 9), "0.2", "0.5")
    assert built_in.per_group.tolist() == called.per_group.tolist()


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(-1, 0), (0, 2), (0, -0.1), ("nan", 0), (math.inf, 0), ("1e400", 0), (0, math.nan), ("near", 0), (None, 0)]
)
def test_impossible_settings_are_refused(epsilon: Any, delta: Any) -> None:
    column = encode_column(pd.Series(["a"]), ColumnSpec("v", Kind.CATEGORY, Role.SENSITIVE))
    with pytest.raises(InputRejected):
        dissimilarity([column], [reading([1])], Distance(), epsilon, delta)


@pytest.mark.parametrize("delta", ["nan", -0.1, 1.01, "half", None])
def test_an_impossible_delta_cannot_be_fallen_short_of(delta: Any) -> None:
    column = encode_column(pd.Series(["a"]), ColumnSpec("v", Kind.CATEGORY, Role.SENSITIVE))
    found = dissimilarity([column], [reading([1])], Distance(), 0)
    with pytest.raises(InputRejected):
        found.short_of(delta)


def test_nothing_to_measure_is_refused() -> None:
    column = encode_column(pd.Series(["a"]), ColumnSpec("v", Kind.CATEGORY, Role.SENSITIVE))
    with pytest.raises(InputRejected, match="No sensitive attribute was given"):
        dissimilarity([], [reading([1])], Distance(), 0)
    with pytest.raises(InputRejected, match="no classes"):
        dissimilarity([column], [], Distance(), 0)


def numbers(values: list[int], scale: Scale = Scale.LINEAR, domain: tuple[float, float] = (1.0, 1000.0)) -> Column:
    return encode_column(pd.Series(values), ColumnSpec("pay", Kind.INTEGER, Role.SENSITIVE, domain=domain, scale=scale))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(1, 1000), min_size=2, max_size=12), st.integers(0, 400), st.sampled_from(["0", "0.03", "0.1", "1"]))
def test_the_log_scale_and_own_units_agree_with_transforming_the_values_by_hand(values: list[int], width: int, more: str) -> None:
    """The oracle compares integers and fractions: |x − y| ≤ ε, and the larger at most 1 + ε times the smaller. A share of a log domain is
    that of a column which was transformed before it was encoded."""

    def risk(near: Any) -> float:
        return max(sum(bool(near(x, y)) for y in values) - 1 for x in values) / (len(values) - 1)

    whole, own = [reading([len(values)])], Distance(own_units=True)
    found = dissimilarity([numbers(values)], whole, own, width, "0.5")
    assert found.risk == risk(lambda x, y: abs(x - y) <= width)
    assert found.risk == dissimilarity([numbers(values)], whole, Distance(), Fraction(width, 999), "0.5").risk
    ratio = 1 + Fraction(more)
    found = dissimilarity([numbers(values, Scale.LOG)], whole, own, more, "0.5")
    assert found.risk == risk(lambda x, y: max(x, y) <= ratio * min(x, y))
    share = dissimilarity([numbers(values, Scale.LOG)], whole, Distance(), "0.1", "0.5")
    logs = pd.Series([math.log(value) for value in values])
    spec = ColumnSpec("pay", Kind.NUMBER, Role.SENSITIVE, domain=(0.0, math.log(1000.0)))
    assert share.risk == dissimilarity([encode_column(logs, spec)], whole, Distance(), "0.1", "0.5").risk


def test_in_own_units_days_levels_and_nodes_count_and_a_missing_cell_is_like_no_number() -> None:
    """By hand: of three days, the first two are 30 apart; of a, b under x and c under y, a and b share a node one level up."""
    own, whole = Distance(own_units=True), [reading([3])]
    days = encode_column(pd.Series(["2024-01-01", "2024-01-31", "2024-06-01"]), ColumnSpec("day", Kind.DATE, Role.SENSITIVE))
    assert [dissimilarity([days], whole, own, epsilon, "0").risk for epsilon in (29, 30)] == [0.0, 0.5]
    levels = ColumnSpec("school", Kind.ORDINAL, Role.SENSITIVE, levels=("a", "b", "c"))
    ranks = encode_column(pd.Series(["a", "b", "c"]), levels)
    assert [dissimilarity([ranks], whole, own, epsilon, "0").risk for epsilon in ("0.9", 1)] == [0.0, 1.0]
    tree = Hierarchy.from_rows([["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"]], "job")
    jobs = encode_column(pd.Series(["a", "b", "c"]), ColumnSpec("job", Kind.CATEGORY, Role.SENSITIVE, hierarchy=tree))
    assert [dissimilarity([jobs], whole, own, epsilon, "0").risk for epsilon in (0, 1, 2)] == [0.0, 0.5, 1.0]
    pay = encode_column(pd.Series([1.0, 1000.0, None]), ColumnSpec("pay", Kind.NUMBER, Role.SENSITIVE))
    assert dissimilarity([pay], whole, own, 10**9, "0").risk == 0.5
    far = encode_column(pd.Series([2.0**52, 2.0**52 + 1, 2.0**52 + 3]), ColumnSpec("pay", Kind.NUMBER, Role.SENSITIVE))
    assert [dissimilarity([far], whole, own, epsilon, "0").risk for epsilon in ("0.999", 1, 2)] == [0.0, 0.5, 1.0]


def test_own_units_are_of_one_attribute_that_has_a_unit() -> None:
    with pytest.raises(InputRejected, match="a single attribute"):
        dissimilarity([numbers([1, 2]), numbers([1, 2])], [reading([2])], Distance(own_units=True), 1)
    with pytest.raises(InputRejected, match="have no unit"):
        dissimilarity([vectors(DISEASES[:2], "lp")], [reading([2])], Distance(own_units=True), 1)
