from fractions import Fraction

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.bounds.cliques import cliques_of
from headgate.core.columns import Kind, Role
from headgate.core.distance import Distance
from headgate.core.encode import ColumnSpec, encode_table
from headgate.grouping.limits import dissimilarity


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["0", "0.1", "0.2", "0.34", "0.5"]), st.sampled_from(["lp", "min"]), st.booleans())
def test_the_fullest_clique_of_a_small_table_is_found_and_no_set_of_rows_is_called_one_that_is_none(seed, epsilon, combine, line):
    """Every set of values is tried; and what lies outside of a clique is counted again."""
    draw = np.random.default_rng(seed)
    rows = int(draw.integers(1, 30))
    cells = [(int(x), str(w)) for x, w in zip(draw.integers(0, 11, rows), draw.choice(list("abc"), rows), strict=True)]
    cells = [(x, "a") for x, _ in cells] if line else [(x // 3 * 3, w) for x, w in cells]
    specs = {
        "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI),
        "value": ColumnSpec("value", Kind.INTEGER, Role.SENSITIVE, domain=(0, 10), nonsensitive=frozenset({"3"})),
        "word": ColumnSpec("word", Kind.CATEGORY, Role.SENSITIVE, nonsensitive=frozenset({"a"})),
    }
    frame = pd.DataFrame({"age": range(rows), "value": [x for x, _ in cells], "word": [w for _, w in cells]})
    table = encode_table(frame, specs)
    names = ["value"] if line else ["value", "word"]
    limit = dissimilarity(table.select(names), epsilon, "0.5", Distance(combine=combine))
    found = cliques_of(limit)
    cell_of = dict(zip(limit.value.tolist(), cells, strict=True))

    def near(one, other):
        gaps = [Fraction(abs(one[0] - other[0]), 10)] + ([] if line else [Fraction(one[1] != other[1])])
        return (min(gaps) if combine == "min" else sum(gaps) / len(gaps)) <= Fraction(epsilon)

    centres = sorted({cell for cell in cells if cell[0] != 3 or (not line and cell[1] != "a")})
    heaviest = 0

    def grow(members, rest):
        nonlocal heaviest
        heaviest = max(heaviest, sum(cell in members for cell in cells))
        for i, cell in enumerate(rest):
            if all(near(cell, other) for other in members):
                grow([*members, cell], rest[i + 1 :])

    grow([], centres)
    assert int(found.rows.max(initial=0)) == heaviest
    for clique in range(len(found.rows)):
        members = [cell_of[value] for value in found.values(clique).tolist()]
        assert all(near(one, other) for one in members for other in members)
        assert set(members) <= set(centres)
        assert found.rows[clique] == sum(cell in members for cell in cells)
        assert found.outside[clique] >= sum(not all(near(cell, member) for member in members) for cell in cells)
