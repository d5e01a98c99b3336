import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import InputRejected
from headgate.projection import information
from headgate.projection.information import associations, entropy, figures_of
from tests.unit.headgate.projection.every_way import every_way


def test_table_1_has_the_entropies_and_mutual_information_of_the_definitions(table_1):
    """DEFINITIONS §6 Golden."""
    figures = associations(table_1)
    assert figures.entropy.tolist() == pytest.approx([1.0397207708399179] * 3, abs=1e-15)
    assert figures.information[np.triu_indices(3, 1)].tolist() == pytest.approx([math.log(2)] * 3, abs=1e-15)


@pytest.mark.parametrize(
    ("plan", "loss", "exposure"),
    [
        (((0, 1, 2),), 0, 1),
        (((0,), (1,), (2,)), 1, 0),
        (((0, 1), (2,)), 2 / 3, 2 / 9),
        (((0, 2), (1,)), 2 / 3, 2 / 9),
        (((0,), (1, 2)), 2 / 3, 2 / 9),
    ],
)
def test_table_1_has_the_ratios_of_the_definitions(table_1, plan, loss, exposure):
    """DEFINITIONS §6 Golden."""
    figures = associations(table_1)
    assert figures.association_loss(plan) == pytest.approx(loss, abs=1e-12)
    assert figures.information_exposure(plan) == pytest.approx(exposure, abs=1e-12)


def _oracle_exposable(a, b, quiet_a, quiet_b):
    """The paper's four cases, with the misprint put right."""
    rows = len(a)
    joint, left, right = Counter(zip(a, b, strict=True)), Counter(a), Counter(b)
    h_a = -sum(c / rows * math.log(c / rows) for c in left.values())
    h_b = -sum(c / rows * math.log(c / rows) for c in right.values())
    shared = sum(c / rows * math.log(c * rows / (left[x] * right[y])) for (x, y), c in joint.items())
    total = 0.0
    for (x, y), c in joint.items():
        total += c / rows * ((h_a - shared) * (x not in quiet_a) + (h_b - shared) * (y not in quiet_b))
    return shared, total


cells = st.sampled_from(["u", "v", "w", None])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=40))
def test_information_and_exposure_are_those_of_the_definition(rows):
    quiet = [{"u"}, set(), {None, "w"}]
    columns = [
        encode_column(
            pd.Series([row[i] for row in rows], dtype=object),
            ColumnSpec(f"a{i}", Kind.CATEGORY, Role.SENSITIVE, nonsensitive=frozenset(quiet[i])),
        )
        for i in range(3)
    ]
    figures = associations(columns)
    total_shared = total_exposable = 0.0
    expected = {}
    for i, j in ((0, 1), (0, 2), (1, 2)):
        shared, new = _oracle_exposable([row[i] for row in rows], [row[j] for row in rows], quiet[i], quiet[j])
        expected[i, j] = shared, new
        total_shared, total_exposable = total_shared + shared, total_exposable + new
        assert figures.information[i, j] == pytest.approx(shared, abs=1e-12)
        assert figures.exposable[i, j] == pytest.approx(new, abs=1e-12)
    for plan in every_way(3):
        inside = [(i, j) for table in plan for i in table for j in table if i < j]
        loss, exposure = figures.association_loss(plan), figures.information_exposure(plan)
        assert 0 <= loss <= 1 + 1e-12
        assert 0 <= exposure <= 1 + 1e-12
        if total_shared > 1e-9:
            assert loss == pytest.approx(1 - sum(expected[pair][0] for pair in inside) / total_shared, abs=1e-9)
        if total_exposable > 1e-9:
            wanted = sum(sum(expected[i, j][1] for i in table for j in table if i < j) / total_exposable * len(table) / 3 for table in plan)
            assert exposure == pytest.approx(wanted, abs=1e-9)


def test_independent_or_constant_attributes_give_ratio_0(make_columns):
    figures = associations(make_columns({"a": ["x"] * 4, "b": ["y"] * 4}))
    assert figures.association_loss(((0,), (1,))) == 0.0
    assert figures.information_exposure(((0, 1),)) == 0.0
    assert entropy(make_columns({"a": ["x"] * 4})[0]) == 0.0


def test_attributes_with_many_values_are_counted_sparsely():
    draw = np.random.default_rng(0)
    left, right = draw.integers(0, 3000, 4000), draw.integers(0, 3000, 4000)
    columns = [encode_column(pd.Series(v), ColumnSpec(n, Kind.INTEGER, Role.SENSITIVE)) for n, v in (("a", left), ("b", right))]
    assert associations(columns).information[0, 1] == pytest.approx(
        _oracle_exposable(left.tolist(), right.tolist(), set(), set())[0], abs=1e-9
    )


@pytest.mark.parametrize("plan", [((0, 1),), ((0,), (0, 1, 2)), ((0, 1, 3),), ((0, 1, 2), ())])
def test_a_plan_that_is_not_complete_and_disjoint_is_refused(table_1, plan):
    with pytest.raises(InputRejected):
        associations(table_1).association_loss(plan)


@pytest.mark.parametrize("plan", [((0, 1, 2),), ((0,), (1,), (2,)), ((0, 2), (1,))])
def test_one_plan_alone_has_the_figures_that_it_has_among_all_pairs(table_1, plan):
    assert figures_of(table_1, plan) == associations(table_1).figures(plan)


def test_of_all_together_or_all_apart_one_associated_pair_tells_the_figures(monkeypatch):
    drawn = np.random.default_rng(0).choice(list("ab"), (60, 40))
    columns = [encode_column(pd.Series(drawn[:, i]), ColumnSpec(f"a{i}", Kind.CATEGORY, Role.SENSITIVE)) for i in range(40)]
    counted = []

    def counting(columns):
        for each in joints(columns):
            counted.append(each)
            yield each

    joints = information.joints
    monkeypatch.setattr(information, "joints", counting)
    assert figures_of(columns, (tuple(range(40)),)) == (0.0, 1.0)
    assert figures_of(columns, tuple((i,) for i in range(40))) == (1.0, 0.0)
    assert len(counted) == 2


def test_where_nothing_is_associated_nothing_is_lost_or_exposed():
    constant = [encode_column(pd.Series(["a"] * 9), ColumnSpec(f"a{i}", Kind.CATEGORY, Role.SENSITIVE)) for i in range(3)]
    assert figures_of(constant, ((0, 1, 2),)) == figures_of(constant, ((0,), (1,), (2,))) == (0.0, 0.0)
