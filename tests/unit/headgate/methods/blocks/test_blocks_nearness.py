"""Who is similar to whom, as the loops of grouping see it: exactly, and on the safe side where values are too many for a table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Kind, Role
from headgate.core.distance import Distance
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.hierarchy import Hierarchy
from headgate.grouping import nearness as compiled
from headgate.grouping.limits import dissimilarity
from headgate.grouping.nearness import LISTED, RANGE, TABLE, compile_limits, similar
from headgate.grouping.neighbour_counts import near_rows

LEAVES = [f"c{i}" for i in range(8)]
TREE = Hierarchy.from_rows([(leaf, f"half{i // 4}", "*") for i, leaf in enumerate(LEAVES)], "code")
LEVELS = tuple("abcdefgh")
KINDS = {
    "pay": Kind.NUMBER,
    "weeks": Kind.INTEGER,
    "rank": Kind.ORDINAL,
    "word": Kind.CATEGORY,
    "code": Kind.CATEGORY,
}


@st.composite
def cases(draw, rows=st.integers(2, 40), names=None):
    """Some columns of these kinds with holes, their weights, how they are composed, and ε."""
    chosen = names or draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=4, unique=True))
    random, many = np.random.default_rng(draw(st.integers(0, 10_000))), draw(rows)
    holes = draw(st.sampled_from([0.0, 0.15]))
    drawn = {
        "pay": random.integers(0, 1_000, many) / 1_000,
        "weeks": random.integers(0, draw(st.sampled_from([3, 53])), many),
        "rank": random.choice(LEVELS, many),
        "word": random.choice(list("uvwxyz"), many),
        "code": random.choice(LEAVES, many),
    }
    cells = {name: [None if random.random() < holes else value for value in drawn[name].tolist()] for name in chosen}
    weights = {name: draw(st.sampled_from([1.0, 2.0, 5.0, 0.1])) for name in chosen}
    combine = draw(st.sampled_from(["lp", "lp", "lp", "min"]))
    return (
        cells,
        Distance(draw(st.sampled_from([1.0, 2.0, 3.0])), weights, combine),
        draw(st.sampled_from(["0", "0.03", "0.1", "0.25", "0.6"])),
    )


def _limit(cells, distance, epsilon):
    frame = pd.DataFrame(
        {"age": range(len(next(iter(cells.values())))), **{name: pd.Series(own, dtype=object) for name, own in cells.items()}}
    )
    specs = {"age": ColumnSpec("age", Kind.INTEGER, Role.QUASI)}
    for name in cells:
        extra = {"rank": {"levels": LEVELS}, "code": {"hierarchy": TREE}, "pay": {"domain": (0.0, 1.0)}, "weeks": {"domain": (0.0, 52.0)}}
        specs[name] = ColumnSpec(name, KINDS[name], Role.SENSITIVE, **extra.get(name, {}))
    table = encode_table(frame, specs)
    return dissimilarity(table.select(list(cells)), epsilon, "0.5", distance)


def _apart(name, a, b):
    if a == b:
        return 0.0
    if a is None or b is None:
        return 1.0
    if name == "pay":
        return abs(a - b)
    if name == "weeks":
        return abs(a - b) / 52
    if name == "rank":
        return abs(LEVELS.index(a) - LEVELS.index(b)) / (len(LEVELS) - 1)
    if name == "word":
        return 1.0
    return 0.5 if LEAVES.index(a) // 4 == LEAVES.index(b) // 4 else 1.0


def _distance(cells, distance, i, j):
    gaps = {name: _apart(name, own[i], own[j]) for name, own in cells.items()}
    if distance.combine == "min":
        return min(gaps.values())
    whole = sum(distance.weights.values())
    return sum(distance.weights[name] / whole * gap**distance.p for name, gap in gaps.items()) ** (1 / distance.p)


def _steering(limit):
    return compile_limits([limit], limit.rows, steering=True)


def _similar(drawn):
    """Who is within ε of whom, from the cells."""
    cells, distance, epsilon = drawn
    rows = range(len(next(iter(cells.values()))))
    return np.array([[_distance(cells, distance, i, j) <= float(epsilon) + 1e-9 for j in rows] for i in rows])


def _taken(steering, limit):
    """Who is taken for similar to whom."""
    value = (steering.value[:, 0] if len(steering.value) == limit.rows else limit.value).tolist()
    return np.array([[similar(steering, 0, one, other) for other in value] for one in value])


@settings(max_examples=50, deadline=None)
@given(cases(), st.booleans())
def test_by_order_table_or_list_the_similar_ones_are_those_within_epsilon(drawn, listed):
    limit = _limit(*drawn)
    with pytest.MonkeyPatch.context() as patch:
        if listed:
            patch.setattr(compiled, "LARGEST_TABLE", 0)
        steering = _steering(limit)
    assert steering.of[0].form <= RANGE or steering.of[0].form == (LISTED if listed else TABLE)
    assert (_taken(steering, limit) == _similar(drawn)).all()


@settings(max_examples=50, deadline=None)
@given(cases(rows=st.integers(15, 40)), st.sampled_from([2, 6, 15]))
def test_boxes_of_values_miss_no_similar_pair_and_no_centre(drawn, most):
    """As if a table of `most` values were as large as can be, and lists too long."""
    limit = _limit(*drawn)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "LARGEST_TABLE", most)
        patch.setattr(compiled, "MOST_VALUES", 0)
        steering = _steering(limit)
    if steering.of[0].form > RANGE:
        assert steering.value.max() <= most
        assert steering.own.centre[steering.value[:, 0]].all()
        assert (_taken(steering, limit) | ~_similar(drawn)).all()


def test_boxes_tell_apart_what_is_far_apart():
    """On the safe side is not everywhere: two attributes, hundreds of values."""
    draw = np.random.default_rng(0)
    drawn = {"pay": draw.random(100).tolist(), "rank": draw.choice(LEVELS, 100).tolist()}, Distance(weights={"pay": 1, "rank": 1}), "0.2"
    limit = _limit(*drawn)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "LARGEST_TABLE", 80)
        patch.setattr(compiled, "MOST_VALUES", 0)
        steering = _steering(limit)
    assert steering.value.max() < 80 < len(limit.distinct)
    assert _taken(steering, limit).sum() < 1.5 * _similar(drawn).sum()


@settings(max_examples=25, deadline=None)
@given(cases(names=["pay", "word"]), st.sampled_from(["0.1", "0.25"]))
def test_where_words_must_agree_similar_pays_follow_each_other_whichever_column_comes_first(drawn, epsilon):
    """Then no table of pairs is needed."""
    drawn = {**drawn[0], "pay": [0.0, 0.01, *drawn[0]["pay"][2:]]}, Distance(weights={"pay": 1.0, "word": 1.0}), epsilon
    limit = _limit(*drawn)
    steering = _steering(limit)
    assert steering.of[0].form == RANGE
    assert (_taken(steering, limit) == _similar(drawn)).all()


@settings(max_examples=50, deadline=None)
@given(cases(), st.integers(0, 1_000), st.booleans())
def test_rows_near_each_value_of_a_group_are_all_its_similar_rows(drawn, seed, listed):
    """A group that has some values several times, in any order; a small one or a large one."""
    limit = _limit(*drawn)
    with pytest.MonkeyPatch.context() as patch:
        if listed:
            patch.setattr(compiled, "LARGEST_TABLE", 0)
        steering = _steering(limit)
    draw = np.random.default_rng(seed)
    members = draw.integers(0, limit.rows, int(draw.integers(1, 80)))
    counts = draw.integers(1, 5, len(members))
    expected = _similar(drawn)[members][:, members] @ counts
    assert near_rows(steering, 0, limit.value[members].astype(np.int64), counts).tolist() == expected.tolist()
