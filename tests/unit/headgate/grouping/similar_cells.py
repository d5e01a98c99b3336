"""Cells of all kinds, a limit over them, and who is similar by the definition and by the loops."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from headgate.core.columns import Kind, Role
from headgate.core.distance import Distance
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.hierarchy import Hierarchy
from headgate.grouping.limits import dissimilarity
from headgate.grouping.nearness import compile_limits, similar

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


def limit_over(cells, distance, epsilon):
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


def steering_by(limit):
    return compile_limits([limit], limit.rows, steering=True)


def similar_cells(drawn):
    """Who is within ε of whom, from the cells."""
    cells, distance, epsilon = drawn
    rows = range(len(next(iter(cells.values()))))
    return np.array([[_distance(cells, distance, i, j) <= float(epsilon) + 1e-9 for j in rows] for i in rows])


def taken_for_similar(steering, limit):
    """Who is taken for similar to whom."""
    value = (steering.value[:, 0] if len(steering.value) == limit.rows else limit.value).tolist()
    return np.array([[similar(steering, 0, one, other) for other in value] for one in value])
