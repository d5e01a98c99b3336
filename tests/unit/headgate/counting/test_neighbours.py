"""Neighbours at scale: every way of counting them gives what comparing all pairs by the formula gives, and none of them is slow."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Column, Kind, Role
from headgate.core.distance import Distance, radius
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy
from headgate.counting import neighbours as module
from headgate.counting.neighbours import neighbours
from headgate.principles.dissimilarity import dissimilarity

TREE = [["a1", "a", "*"], ["a2", "a", "*"], ["b1", "b", "*"], ["b2", "b", "*"]]
KINDS = ["tenths", "fine", "ordinal", "category", "tree", "holes"]


def cells_of(kind: str, rows: int, rng: np.random.Generator) -> list[Any]:
    match kind:
        case "tenths":  # 0.7 and 0.8 lie farther apart than 0.1 in floats
            return [step / 10 for step in rng.integers(0, 11, rows)]
        case "fine":
            return [0.0, 1.0, *rng.random(rows - 2)]
        case "ordinal":
            return [f"level {level}" for level in rng.integers(0, 8, rows)]
        case "category":
            return [f"value {value}" for value in rng.integers(0, 4, rows)]
        case "tree":
            return [TREE[leaf][0] for leaf in rng.integers(0, 4, rows)]
    return [None if cell < 0.2 else round(cell, 2) for cell in rng.random(rows)]


def encoded(name: str, kind: str, cells: list[Any]) -> Column:
    numeric = kind in ("tenths", "fine", "holes")
    spec = ColumnSpec(
        name,
        Kind.NUMBER if numeric else Kind.ORDINAL if kind == "ordinal" else Kind.CATEGORY,
        Role.SENSITIVE,
        domain=(0, 1) if numeric else None,
        levels=tuple(f"level {level}" for level in range(8)) if kind == "ordinal" else (),
        hierarchy=Hierarchy.from_rows(TREE, name) if kind == "tree" else None,
    )
    return encode_column(pd.Series(cells, dtype=object), spec)


def component(kind: str, cells: list[Any]) -> np.ndarray:
    """All pairs, from the definition on plain cells."""
    found = np.zeros((len(cells), len(cells)))
    for i, one in enumerate(cells):
        for j, other in enumerate(cells):
            if one is None or other is None:
                found[i, j] = one is not other
            elif kind == "category":
                found[i, j] = one != other
            elif kind == "tree":
                found[i, j] = 0 if one == other else 0.5 if one[0] == other[0] else 1
            elif kind == "ordinal":
                found[i, j] = abs(int(one[-1]) - int(other[-1])) / 7
            else:
                found[i, j] = abs(one - other)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("combine", "p"), [("lp", 1), ("lp", 2), ("lp", 3), ("min", 1)])
@settings(max_examples=16, deadline=None)
@given(
    kinds=st.one_of(
        st.sampled_from([("tenths", "tenths"), ("fine", "fine"), ("tenths", "fine"), ("fine", "fine", "fine"), ("holes", "fine")]),
        st.lists(st.sampled_from(KINDS), min_size=1, max_size=4).map(tuple),
    ),
    weights=st.lists(st.sampled_from([0.0, 0.1, 1.0, 1.0, 3.0]), min_size=4, max_size=4),
    epsilon=st.sampled_from(["0", "0.01", "0.05", "0.1", "0.25", "0.5", "1"]),
    rows=st.integers(100, 320),
    groups=st.integers(1, 3),
    seed=st.integers(0, 10**6),
)
def test_all_ways_count_what_comparing_all_pairs_counts(
    combine: Any, p: int, kinds: tuple[str, ...], weights: list[float], epsilon: str, rows: int, groups: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    cells = [cells_of(kind, rows, rng) for kind in kinds]
    columns = [encoded(f"c{i}", kind, cells[i]) for i, kind in enumerate(kinds)]
    weight = np.array(weights[: len(kinds)])
    weight[0] += 0.5
    group = np.concatenate([np.arange(groups), rng.integers(0, groups, rows - groups)]).astype(np.int32)
    found = dissimilarity(columns, [group], Distance(p=p, weights={f"c{i}": w for i, w in enumerate(weight)}, combine=combine), epsilon)
    parts = [component(kind, one) for kind, one in zip(kinds, cells, strict=True)]
    if combine == "min":
        far = np.minimum.reduce(parts)
    else:
        far = sum(w * part**p for w, part in zip(weight / weight.sum(), parts, strict=True)) ** (1 / p)
    near = (far <= float(epsilon) + 1e-9) & (group[:, None] == group[None, :])
    others = near.sum(axis=1) - 1
    assert found.neighbours[0].tolist() == [others[group == number].max() for number in range(groups)]


@settings(max_examples=40, deadline=None)
@given(st.integers(200, 260), st.integers(0, 10**6), st.sampled_from([("lp", 1), ("lp", 2), ("min", 1)]), st.sampled_from([2, 3]))
def test_a_pair_within_a_hair_of_the_reach_is_decided_by_the_distance_itself(rows: int, seed: int, how: Any, lines: int) -> None:
    """Many pairs lie exactly at the reach, and then just beyond it by one rounding: sums turned or taken apart would err."""
    rng = np.random.default_rng(seed)
    codes = np.unique(rng.integers(0, 14, (rows * 4, lines)).astype(np.int32), axis=0)[:rows]
    step = 0.07 + rng.random() / 1000
    spec = ColumnSpec("c", Kind.NUMBER, Role.SENSITIVE, domain=(0, 1))
    columns = [encode_column(pd.Series(np.arange(14) * step), spec) for _ in range(lines)]
    composite = Distance(combine=how[0], p=how[1]).over(columns)
    far = composite.matrix(codes)
    at = rng.choice(np.unique(far[far > 0]))
    counts = rng.integers(1, 5, len(codes))
    for reach in (at, np.nextafter(at, 0), np.nextafter(at, 1)):
        found = neighbours(composite.layout, codes, np.array([0, len(codes)]), counts, float(reach))
        assert found.tolist() == ((far <= reach) @ counts).tolist()


@pytest.mark.parametrize("p", [1, 2])
def test_repeated_rows_weigh_as_often_as_they_occur_and_their_order_does_not_matter(p: int) -> None:
    rng = np.random.default_rng(p)
    cells = [cells_of("fine", 400, rng) for _ in range(2)]
    often = rng.integers(1, 4, 400)
    rows = rng.permutation(np.repeat(np.arange(400), often))
    columns = [encoded(f"c{i}", "fine", [cells[i][row] for row in rows]) for i in range(2)]
    found = dissimilarity(columns, [np.zeros(len(rows), dtype=np.int32)], Distance(p=p), "0.1")
    far = sum(component("fine", one) ** p / 2 for one in cells) ** (1 / p)
    assert found.neighbours[0].tolist() == [((far <= 0.1 + 1e-9) @ often).max() - 1]


@pytest.mark.parametrize("epsilon", ["0.01", "0.1"])
def test_a_hundred_thousand_values_on_two_lines_take_no_quadratic_time(epsilon: str) -> None:
    """All pairs would be 5 · 10⁹. What is counted is checked on the worst placed row."""
    rng = np.random.default_rng(0)
    one, two = rng.random(100_000), rng.normal(size=100_000)
    columns = [encode_column(pd.Series(x), ColumnSpec(name, Kind.NUMBER, Role.SENSITIVE)) for name, x in (("one", one), ("two", two))]
    whole = np.zeros(100_000, dtype=np.int32)
    started = time.process_time()
    found = dissimilarity(columns, [whole], Distance(), epsilon)
    assert time.process_time() - started < 5
    assert found.worst is not None
    x, y = (column.values[code] for column, code in zip(columns, found.worst.codes, strict=True))
    share = np.abs(one - x) / np.ptp(one) / 2 + np.abs(two - y) / np.ptp(two) / 2
    assert found.worst.neighbours == (share <= float(epsilon) + 1e-9).sum() - 1


def test_what_would_take_hours_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    columns = [encoded(f"c{i}", "fine", cells_of("fine", 2000, rng)) for i in range(6)]
    whole = np.zeros(2000, dtype=np.int32)
    assert dissimilarity(columns, [whole], Distance(), "0.3").risk > 0
    monkeypatch.setattr(module, "LARGEST_WORK", 10**5)
    with pytest.raises(InputRejected, match="too many to compare.*fewer sensitive attributes"):
        dissimilarity(columns, [whole], Distance(), "0.3")
    assert dissimilarity(columns, [(np.arange(2000) // 20).astype(np.int32)], Distance(), "0.3").risk > 0  # small groups are cheap


def test_the_tolerance_is_the_one_used_everywhere() -> None:
    assert radius(0.1) == pytest.approx(0.1 + 1e-9, abs=1e-15)
    cells = [0.0, 1.0, *np.arange(300) / 300]
    columns = [encoded("c0", "fine", cells), encoded("c1", "fine", cells)]
    found = dissimilarity(columns, [np.zeros(302, dtype=np.int32)], Distance(), "0.1")
    # on the diagonal both differ alike: 30 steps of 1/300 to either side, and the copies of 0 and 1 lie far from the middle
    assert found.neighbours[0].tolist() == [61]
