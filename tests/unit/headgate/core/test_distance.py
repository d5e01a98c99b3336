"""Semantic distance: each component and their composition, against the formulas on plain values."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from headgate.core.columns import Column, Kind, Role
from headgate.core.distance import LARGEST_MATRIX, Distance
from headgate.core.distinct import distinct_rows
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import InputRejected, IntegrityBroken
from headgate.counting.neighbours import neighbours
from headgate.principles.dissimilarity import dissimilarity
from tests.unit.headgate.core.columns_of_each_kind import LEVELS, TREE, encoded

CELLS: dict[str, list[Any]] = {
    "number": [-2, 0, 0.5, 8],
    "integer": [0, 1, 7, 20],
    "date": ["2025-01-01", "2025-01-11", "2025-02-01"],
    "ordinal": LEVELS,
    "category": ["x", "y", "z"],
    "tree": [row[0] for row in TREE],
    "set": [(), ("p",), ("p", "q"), ("q", "r", "s")],
    "total-variation": [(0.5, 0.5, 0.0), (0.2, 0.3, 0.5), (1.0, 0.0, 0.0)],
    "lp": [(0.5, 0.5, 0.0), (0.2, 0.3, 0.5), (1.0, 1.0, 1.0)],
    "min": [(0.5, 0.5, 0.0), (0.2, 0.3, 0.5), (1.0, 1.0, 1.0)],
}


def wanted(what: str, one: Any, other: Any, p: float) -> float:
    if one is None or other is None:
        return 0.0 if one is other else 1.0
    match what:
        case "number":
            return abs(one - other) / 10
        case "integer":
            return abs(one - other) / 20
        case "date":
            return abs((pd.Timestamp(one) - pd.Timestamp(other)).days) / 31
        case "ordinal":
            return abs(LEVELS.index(one) - LEVELS.index(other)) / 3
        case "category":
            return float(one != other)
        case "tree":
            paths = {row[0]: row for row in TREE}
            return min(i for i in range(4) if paths[one][i] == paths[other][i]) / 3
        case "set":
            either = set(one) | set(other)
            return 1 - len(set(one) & set(other)) / len(either) if either else 0.0
        case "total-variation":
            return sum(abs(a - b) for a, b in zip(one, other, strict=True)) / 2
        case "lp":
            return (sum(abs(a - b) ** p for a, b in zip(one, other, strict=True)) / 3) ** (1 / p)
    return min(abs(a - b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("p", [1, 2, 3])
@pytest.mark.parametrize("what", list(CELLS))
def test_each_component_is_the_formula_and_missing_is_far_from_all(what: str, p: float) -> None:
    cells = [*CELLS[what], None]
    column = encoded(what, cells)
    found = Distance(p=p).over([column]).matrix(column.codes.reshape(-1, 1))
    for i, one in enumerate(cells):
        for j, other in enumerate(cells):
            assert found[i, j] == pytest.approx(wanted(what, one, other, p), abs=1e-12)
    assert ((found >= 0) & (found <= 1 + 1e-12)).all()


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(list(CELLS)), min_size=1, max_size=4, unique=True),
    st.sampled_from([1, 1.5, 2, 3, 4]),
    st.booleans(),
    st.data(),
)
def test_a_composite_is_the_weighted_norm_or_the_minimum(names: list[str], p: float, least: bool, draw: st.DataObject) -> None:
    weights = [draw.draw(st.sampled_from([0.0, 0.5, 1, 3])) + (i == 0) for i in range(len(names))]
    rows = draw.draw(st.lists(st.tuples(*[st.sampled_from([*CELLS[name], None]) for name in names]), min_size=1, max_size=6))
    columns = [encoded_full(name, [row[i] for row in rows], weights[i]) for i, name in enumerate(names)]
    codes = np.stack([column.codes for column in columns], axis=1)
    found = Distance(p=p, combine="min" if least else "lp").over(columns).matrix(codes)
    for i, one in enumerate(rows):
        for j, other in enumerate(rows):
            parts = [wanted(name, a, b, p) for name, a, b in zip(names, one, other, strict=True)]
            total = (sum(w * d**p for w, d in zip(weights, parts, strict=True)) / sum(weights)) ** (1 / p)
            assert found[i, j] == pytest.approx(min(parts) if least else total, abs=1e-9)


def encoded_full(what: str, cells: list[Any], weight: float) -> Column:
    """The domain of a date is what it holds, so all its values are in it here."""
    column = encoded(what, [*CELLS[what], *cells], weight)
    return column.take(np.arange(len(CELLS[what]), len(CELLS[what]) + len(cells)))


def test_one_value_domains_are_at_distance_zero() -> None:
    for what, cells in (("number", [3]), ("ordinal", ["only"])):
        spec = ColumnSpec(what, Kind(what), Role.SENSITIVE, levels=("only",) if what == "ordinal" else ())
        column = encode_column(pd.Series(cells), spec)
        assert Distance().over([column]).matrix(column.codes.reshape(-1, 1)).tolist() == [[0.0]]


def test_weights_can_be_named_and_must_make_sense() -> None:
    x, y = encoded("category", ["x", "y"]), encoded("ordinal", ["low", "top"])
    codes = np.stack([x.codes, np.array([0, 0], dtype=np.int32)], axis=1)
    assert Distance(weights={"category": 3}).over([x, y]).matrix(codes)[0, 1] == 0.75
    for weights in ({"category": -1}, {"category": math.inf}, {"category": 0, "ordinal": 0}):
        with pytest.raises(InputRejected, match="Weights"):
            Distance(weights=weights).over([x, y])
    with pytest.raises(InputRejected, match="does not give a norm"):
        Distance(p=0.5).over([x])


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda a, b: -1.0, "negative"),
        (lambda a, b: math.nan, "not finite"),
        (lambda a, b: float(a < b), "not symmetric"),
        (lambda a, b: 1.0, "not 0 between equal"),
    ],
)
def test_a_function_that_is_no_distance_is_refused(function: Any, reason: str) -> None:
    column = encoded("category", ["x", "y"])
    with pytest.raises(InputRejected, match=reason):
        Distance(function=function).bind([column], np.array([[0], [1]], dtype=np.int32))


@pytest.mark.parametrize(
    "fails",
    [
        lambda a, b: {}[a],  # the message of a KeyError is the key
        lambda a, b: f"{a} is far from {b}",
        lambda a, b: None,
        lambda a, b: complex(0, 1),
        lambda a, b: 1 / 0,
    ],
)
def test_a_function_that_fails_is_refused_without_a_word_of_its_own(fails: Any) -> None:
    column = encoded("category", ["CANARY", "y"])
    with pytest.raises(
        InputRejected, match="callable distance (raised|returned) .* for two values of .* \\(category and category\\)"
    ) as refused:
        Distance(function=fails).bind([column], np.array([[0], [1]], dtype=np.int32))
    assert "CANARY" not in str(refused.value)
    assert refused.value.__cause__ is refused.value.__context__ is None


def test_the_kinds_of_the_pair_on_which_a_function_fails_are_told_and_not_its_values() -> None:
    """It was "a defect of headgate"; only the author of the function can mend it."""
    income, jobs = encoded("number", [1.0, None]), encoded("category", ["CANARY", "CANARY"])
    rows = np.array([[0, 0], [-1, 0]], dtype=np.int32)

    def fails(a: Any, b: Any) -> float:
        return abs(a[0] - b[0])

    with pytest.raises(InputRejected) as refused:
        Distance(function=fails).bind([income, jobs], rows)
    said = "The callable distance raised TypeError for two values of {0} (number and missing), two values of {1} (category and category)."
    assert refused.value.message == said.format(income.name, jobs.name)
    assert "None stands for a missing one" in refused.value.cure


def test_a_refusal_of_the_function_itself_passes() -> None:
    def refusing(one: Any, other: Any) -> float:
        raise IntegrityBroken("not today")

    with pytest.raises(IntegrityBroken, match="not today"):
        Distance(function=refusing).bind([encoded("category", ["x"])], np.array([[0]], dtype=np.int32))


def test_a_function_is_called_once_for_each_ordered_pair_of_distinct_values_however_many_rows_there_are() -> None:
    calls: list[tuple[Any, Any]] = []

    def apart(one: Any, other: Any) -> float:
        calls.append((one, other))
        return float(one != other)

    column = encoded("category", ["x", "y", None] * 50)
    dissimilarity([column], [np.repeat(np.arange(10), 15).astype(np.int32)], Distance(function=apart), "0.1")
    assert len(calls) == len(set(calls)) == 9


def test_a_function_over_too_many_values_is_refused_before_it_is_called() -> None:
    column = encode_column(pd.Series(range(6001)), ColumnSpec("v", Kind.INTEGER, Role.SENSITIVE))
    with pytest.raises(InputRejected, match="6001 distinct values"):
        Distance(function=lambda a, b: 1 / 0).bind([column], np.arange(6001, dtype=np.int32).reshape(-1, 1))


@pytest.mark.parametrize("p", [math.nan, math.inf, 0, -1])
def test_what_is_no_norm_is_refused(p: float) -> None:
    with pytest.raises(InputRejected, match="does not give a norm"):
        Distance(p=p).over([encoded("category", ["x"])])


def test_a_function_sees_values_not_codes_and_tuples_where_there_are_several() -> None:
    seen: list[Any] = []

    def apart(one: Any, other: Any) -> float:
        seen.append(one)
        return float(one != other)

    x, y = encoded("category", ["x", None]), encoded("number", [0.5, 8])
    Distance(function=apart).bind([x, y], np.array([[0, 0], [-1, 1]], dtype=np.int32))
    assert set(seen) == {("x", 0.5), (None, 8.0)}
    seen.clear()
    Distance(function=apart).bind([x], np.array([[0], [-1]], dtype=np.int32))
    assert set(seen) == {"x", None}


def test_numbers_far_from_0_are_as_near_as_those_beside_it() -> None:
    """|x − y|/width was taken as x/width − y/width: in epoch milliseconds neighbours at exactly ε no longer were, and a risk of 0.2 was
    measured as 0.1."""
    for low in (0, 1_700_000_000_000):
        when = encode_column(pd.Series(range(low, low + 11)), ColumnSpec("when", Kind.INTEGER, Role.SENSITIVE))
        composite, rows = Distance().bind([when], np.arange(11, dtype=np.int32).reshape(-1, 1))
        assert composite.matrix(rows) == pytest.approx(np.abs(np.subtract.outer(range(11), range(11))) / 10, abs=1e-12)


def test_decimals_far_from_0_are_as_near_as_those_beside_it() -> None:
    """A neighbour at exactly ε was none: as doubles, 10000000.3 and 10000000.2 lie further apart than a tenth."""
    pays = [float(f"1000000{place}.{place}") for place in range(10)]
    pay = encode_column(pd.Series(pays), ColumnSpec("pay", Kind.NUMBER, Role.SENSITIVE))
    composite, rows = Distance().bind([pay], np.arange(10, dtype=np.int32).reshape(-1, 1))
    assert composite.matrix(rows) == pytest.approx(np.abs(np.subtract.outer(range(10), range(10))) / 9, abs=1e-14)


MANY = 6_200  # more than a table of distances has room for


def many_vectors(metric: str, missing: bool = False, seed: int = 5) -> Column:
    """Distributions with three decimals, so that some distances lie exactly at ε."""
    draw = np.random.default_rng(seed)
    parts = np.sort(draw.integers(0, 1001, (MANY * 2, 3)), axis=1)
    shares = np.unique(np.diff(parts, axis=1, prepend=0, append=1000), axis=0) / 1000
    cells = pd.DataFrame(shares[draw.permutation(len(shares))[: MANY + 100]])
    if missing:
        cells.iloc[::50] = np.nan
    return encode_column(cells, ColumnSpec("mix", Kind.VECTOR, Role.SENSITIVE, metric=metric))


def by_definition(column: Column, metric: str, power: float, epsilon: float, group: NDArray[np.int64]) -> list[int]:
    """The rows similar to each row of a group, from the vectors themselves."""
    near = []
    for row in group:
        count = 0
        for other in group:
            if column.codes[row] < 0 or column.codes[other] < 0:
                distance = float(column.codes[row] != column.codes[other])
            else:
                gaps = [abs(Fraction(str(x)) - Fraction(str(y))) for x, y in zip(*column.values[column.codes[[row, other]]], strict=True)]
                distance = {
                    "total-variation": lambda g=gaps: float(sum(g) / 2),
                    "lp": lambda g=gaps: float(sum(float(gap) ** power for gap in g) / len(g)) ** (1 / power),
                    "min": lambda g=gaps: float(min(g)),
                }[metric]()
            count += distance <= epsilon + 1e-9
        near.append(count)
    return near


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "power"), [("total-variation", 1.0), ("total-variation", 2.0), ("lp", 2.0), ("min", 1.0)])
@pytest.mark.parametrize("missing", [False, True])
def test_vectors_too_many_for_a_table_of_distances_are_counted_exactly(metric: str, power: float, missing: bool) -> None:
    """11,193 distinct vectors were refused. The oracle is in fractions."""
    column = many_vectors(metric, missing)
    assert len(column.values) > LARGEST_MATRIX
    codes, place = distinct_rows(column.codes.reshape(-1, 1))
    composite, rows, reach = Distance(p=power).around([column], codes, Fraction("0.1"))
    group = np.arange(0, len(column), len(column) // 70)
    starts, counts = np.array([0, len(group)]), np.ones(len(group), np.int64)
    near = neighbours(composite.layout, np.ascontiguousarray(rows[place[group]]), starts, counts, reach)
    assert near.tolist() == by_definition(column, metric, power, 0.1, group)


@pytest.mark.slow
def test_vectors_on_lines_are_composed_with_other_attributes_or_refused_by_name() -> None:
    column = many_vectors("total-variation", missing=True)
    pay = encode_column(pd.Series(np.arange(len(column)) % 11), ColumnSpec("pay", Kind.NUMBER, Role.SENSITIVE, weight=3.0))
    codes, _ = distinct_rows(np.stack([column.codes, pay.codes], axis=1))
    composite, rows, _ = Distance().around([column, pay], codes, Fraction("0.1"))
    some = [int(i) for i in np.flatnonzero(codes[:, 0] >= 0)[[5, 700, 3000]]]
    a, b, c = some
    for x, y in ((a, b), (b, c), (a, c)):
        mixes = column.values[codes[[x, y], 0]]
        expected = 0.25 * np.abs(mixes[0] - mixes[1]).sum() / 2 + 0.75 * abs(int(codes[x, 1]) - int(codes[y, 1])) / 10
        assert composite.between(rows[[x]], rows[[y]])[0] == pytest.approx(expected)
    with pytest.raises(InputRejected, match="too many to compose"):
        Distance(p=2.0).around([column, pay], codes, Fraction("0.1"))
    with pytest.raises(InputRejected, match="distinct vectors and missing ones"):
        Distance().around([column, pay], codes, Fraction("0.25"))
