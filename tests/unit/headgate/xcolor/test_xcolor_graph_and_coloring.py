import itertools
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.errors import InputRejected
from headgate.xcolor.abstract_graph import abstract_graph, largest_degree
from headgate.xcolor.anonymize import anonymize
from headgate.xcolor.axes import axes_of
from headgate.xcolor.compiled import compile_limits
from headgate.xcolor.faithful import color, initialize, lemma_2_guarantees
from headgate.xcolor.limits import dissimilarity
from headgate.xcolor.partition import Variant, XColorSettings
from headgate.xcolor.recount import recount


def test_the_abstract_graph_of_table_1_has_19_edges_and_degree_6(syndromes):
    """Paper "xcolor", Table I, Δ = min |pᵢ − qᵢ|, ε = 0.1; DEFINITIONS §3 Golden."""
    graph = abstract_graph(dissimilarity(syndromes.select(["syndrome"]), "0.1", "0.5"))
    edges = {(a + 1, b + 1) for a, b in graph.edges()}
    assert len(edges) == graph.edge_count == 19
    assert graph.largest_degree == 6
    assert {edge for edge in edges if max(edge) <= 5} == {(1, 3), (2, 3), (3, 4)}
    assert {edge for edge in edges if min(edge) >= 6} == {(6, 9)}


def test_the_groups_of_table_1_have_risk_three_quarters_and_one_quarter(syndromes):
    """DEFINITIONS §3 Golden."""
    limit = dissimilarity(syndromes.select(["syndrome"]), "0.1", "0.5")
    axes, compiled = axes_of(syndromes), compile_limits([limit], 10)
    both = np.array([0] * 5 + [1] * 5, dtype=np.int32)
    assert recount(axes, compiled, [limit], both).risk == 0.75
    assert recount(axes, compiled, [limit], np.where(both == 1, 0, -1).astype(np.int32)).risk == 0.25


@pytest.mark.parametrize(("groups", "delta_neighbours", "expected"), [(2, 2, Fraction(1, 4)), (4, 1, Fraction(7, 16))])
def test_a_random_partition_violates_as_often_as_example_5_says(groups, delta_neighbours, expected):
    """8 rows, δ = 1/2, a row with two neighbours: violated if 2 of them share its group of 4, or 1 of them its group of 2."""
    places = list(itertools.product(range(groups), repeat=2))
    violated = sum((a == 0) + (b == 0) >= delta_neighbours for a, b in places)
    assert Fraction(violated, len(places)) == expected


def test_degrees_are_counted_on_distinct_values(people):
    table = people(200, diseases=4)
    limit = dissimilarity(table.select(["disease"]), "0", "0.5")
    codes = table["disease"].codes
    expected = [(codes == code).sum() - 1 for code in codes]
    assert abstract_graph(limit).degrees().tolist() == expected
    assert largest_degree(limit) == max(expected)


@pytest.mark.parametrize(("rows", "k", "sizes"), [(19, 10, {19}), (29, 10, {14, 15}), (30, 10, {10}), (34, 10, {11, 12}), (7, 2, {2, 3})])
def test_the_initial_coloring_spreads_the_remainder_evenly(rows, k, sizes):
    """As printed, INITIALIZE has no place for the rest when n mod k > ⌊n/k⌋ (DEFINITIONS §4)."""
    degree = np.random.default_rng(3).integers(0, 9, rows)
    groups = initialize(degree, rows // k)
    assert set(np.bincount(groups).tolist()) == sizes


def test_the_initial_coloring_balances_the_sums_of_degrees():
    """Algorithm 1 by hand: degrees 5 4 3 3 2 1 in two classes of three."""
    groups = initialize(np.array([1, 5, 3, 4, 2, 3]), 2)
    assert sorted(np.bincount(groups, weights=[1, 5, 3, 4, 2, 3]).tolist()) == [9, 9]


@st.composite
def cliques(draw):
    """A sensitive value for each row: cliques of equal values, at most as large as Lemma 2 allows."""
    k = draw(st.integers(2, 6))
    rows = draw(st.integers(2 * k, 60))
    delta = Fraction(draw(st.integers(0, 10)), 10)
    allowed = (1 - delta) * (k - 1)
    t = allowed.numerator // allowed.denominator
    most = (rows // k) * (t + 1) // 2 + 1  # Θ + 1 rows of one value
    values, number = [], 0
    while len(values) < rows:
        values += [f"v{number}"] * draw(st.integers(1, max(1, most)))
        number += 1
    return k, str(float(delta)), draw(st.permutations(values[:rows]))


@settings(max_examples=40, deadline=None)
@given(cliques())
def test_lemma_2_guarantees_success_also_for_uneven_sizes(drawn):
    k, delta, values = drawn
    table = _simple(values)
    limit = dissimilarity(table.select(["value"]), "0", delta)
    graph = abstract_graph(limit)
    if not lemma_2_guarantees(limit, graph, k):
        return
    coloring = color(axes_of(table), [limit], len(values), k)
    assert coloring.violations == 0
    sizes = np.bincount(coloring.groups)
    assert sizes.min() >= k
    assert sizes.max() - sizes.min() <= 1
    for group, size in enumerate(sizes):
        inside = np.array(values)[coloring.groups == group]
        fullest = max((inside == value).sum() for value in inside)
        assert fullest - 1 <= (1 - Fraction(delta)) * (int(size) - 1)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 6), st.sampled_from(["0", "0.05", "0.2"]))
def test_theorem_3_class_degrees_stay_below_two_theta_over_m(seed, k, epsilon):
    """A coloring with t + 1 = ⌈2Θ/m⌉ is always found: no row has more than ⌈2Θ/m⌉ − 1 neighbours in its class."""
    from dataclasses import replace

    values = np.random.default_rng(seed).integers(0, 40, 60).astype(float)
    table = _simple(values.tolist())
    limit = dissimilarity(table.select(["value"]), epsilon, "0.5")
    classes = 60 // k
    bound = max(1, -(-2 * largest_degree(limit) // classes))
    coloring = color(axes_of(table), [replace(limit, allowed=np.full(61, bound, dtype=np.int64))], 60, k)
    width = values.max() - values.min()
    for group in range(classes):
        inside = values[coloring.groups == group]
        degrees = [(np.abs(inside - value) <= float(epsilon) * width + 1e-9 * width).sum() - 1 for value in inside]
        assert max(degrees) <= bound - 1


def test_exchanges_lower_the_number_of_monochromatic_edges(people):
    table = people(300)
    limit = dissimilarity(table.select(["income"]), "0.1", "0.7")
    income = table["income"].values[table["income"].codes]
    near = np.abs(income[:, None] - income[None, :]) <= 0.1 * (income.max() - income.min()) + 1e-6

    def edges(groups):
        return (int((near & (groups[:, None] == groups[None, :])).sum()) - 300) // 2

    before = edges(initialize(abstract_graph(limit).degrees(), 30))
    coloring = color(axes_of(table), [limit], 300, 10)
    assert coloring.violations == 0
    assert coloring.exchanges > 0
    assert coloring.potential == edges(coloring.groups) <= before - coloring.exchanges


def test_inequality_4_without_its_floors_is_no_guarantee():
    """DEFINITIONS §4: n = 3, k = 2, δ = 0.6, one similar pair satisfies Θ ≤ n/2·(1 − (1 − 1/k)δ) and is infeasible."""
    table = _simple(["a", "a", "b"])
    limit = dissimilarity(table.select(["value"]), "0", "0.6")
    graph = abstract_graph(limit)
    assert graph.largest_degree <= 3 / 2 * (1 - (1 - 1 / 2) * 0.6)
    assert not lemma_2_guarantees(limit, graph, 2)
    found = anonymize(table, ["value"], XColorSettings(2, (limit,), Variant.FAITHFUL), 0)
    assert not found.reached


def test_too_few_rows_for_one_class_is_an_error(people):
    table = people(5)
    with pytest.raises(InputRejected, match="5 rows"):
        color(axes_of(table), [], 5, 6)


def _simple(values):
    from headgate.columns import Kind, Role
    from headgate.encode import ColumnSpec, encode_table

    kind = Kind.CATEGORY if isinstance(values[0], str) else Kind.NUMBER
    specs = {"age": ColumnSpec("age", Kind.INTEGER, Role.QUASI), "value": ColumnSpec("value", kind, Role.SENSITIVE)}
    return encode_table(pd.DataFrame({"age": np.arange(len(values)) * 7 % 31, "value": list(values)}), specs)
