"""The abstract graph against all pairs of rows."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Kind, Role
from headgate.core.distance import Distance
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.errors import InputRejected
from headgate.grouping import abstract_graph as graphs
from headgate.grouping.abstract_graph import abstract_graph, largest_degree
from headgate.grouping.limits import dissimilarity


def _table(frame):
    specs = {name: ColumnSpec(name, Kind.INTEGER, Role.SENSITIVE, domain=(0, 100)) for name in frame if name.startswith("n")}
    specs |= {name: ColumnSpec(name, Kind.CATEGORY, Role.SENSITIVE) for name in frame if name.startswith("w")}
    specs["age"] = ColumnSpec("age", Kind.INTEGER, Role.QUASI)
    return encode_table(frame.assign(age=range(len(frame))), specs)


@st.composite
def tables(draw):
    """Numbers and words with holes; few and many distinct values."""
    rows = draw(st.integers(1, 150))
    random = np.random.default_rng(draw(st.integers(0, 10_000)))
    holes, spread = draw(st.sampled_from([0.0, 0.1])), draw(st.sampled_from([3, 30, 101]))
    names = draw(st.sampled_from([["n1"], ["w1"], ["n1", "n2"], ["w1", "n1"], ["n1", "w1", "n2"]]))
    cells = {}
    for name in names:
        values = random.integers(0, spread, rows).tolist() if name[0] == "n" else random.choice(list("abcd"), rows).tolist()
        cells[name] = [None if random.random() < holes else value for value in values]
    return names, cells


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(tables(), st.sampled_from(["0", "0.05", "0.1", "0.34", "0.5", "1"]), st.sampled_from(["lp", "min"]))
def test_edges_degrees_and_pairs_are_those_of_all_pairs_of_rows(drawn, epsilon, combine):
    names, cells = drawn
    table = _table(pd.DataFrame({name: pd.Series(cells[name], dtype=object) for name in names}))
    limit = dissimilarity(table.select(names), epsilon, "0.5", Distance(combine=combine))

    def gap(name, i, j):
        a, b = cells[name][i], cells[name][j]
        if a is None or b is None or name[0] == "w":
            return Fraction(a != b)
        return Fraction(abs(a - b), 100)

    def near(i, j):
        gaps = [gap(name, i, j) for name in names]
        return (min(gaps) if combine == "min" else sum(gaps) / len(gaps)) <= Fraction(epsilon)

    rows = table.rows
    edges = {(i, j) for i in range(rows) for j in range(i + 1, rows) if near(i, j)}
    degrees = [sum(row in edge for edge in edges) for row in range(rows)] if len(edges) < 2000 else None
    graph = graphs.abstract_graph(limit)
    assert graph.edges() == edges
    assert graph.edge_count == len(edges)
    if degrees is not None:
        assert graph.degrees().tolist() == degrees
        assert graph.largest_degree == graphs.largest_degree(limit) == max(degrees)
    held = {tuple(cells[name][row] for name in names): row for row in range(rows)}
    assert graphs.similar_pairs(limit)[0] == sum(near(i, j) for i in held.values() for j in held.values())
    for value in range(len(limit.distinct)):
        listed = graph.near[graph.begin[value] : graph.begin[value + 1]].tolist()
        assert listed == sorted(set(listed))


def test_values_that_no_row_holds_any_more_are_no_vertices():
    """A limit over some rows knows the distinct values of all."""
    table = _table(pd.DataFrame({"n1": [0, 1, 1, 2, 50]}))
    limit = dissimilarity(table.select(["n1"]), "0.01", "0.5").take(np.array([0, 3, 4]))
    assert graphs.largest_degree(limit) == 0
    assert graphs.similar_pairs(limit) == (3, 0)
    assert graphs.abstract_graph(limit).edges() == frozenset()


@pytest.mark.parametrize("reach", [0, 7, 1000])
def test_degrees_of_many_values_on_a_line_are_counted(reach):
    """100,001 numbers in a row, each once: reach neighbours on either side."""
    frame = pd.DataFrame({"n1": np.random.default_rng(1).permutation(100_001)})
    specs = {"n1": ColumnSpec("n1", Kind.INTEGER, Role.SENSITIVE, domain=(0, 100_000))}
    limit = dissimilarity(encode_table(frame, specs).select(["n1"]), Fraction(reach, 100_000), "0.5")
    assert graphs.largest_degree(limit) == 2 * reach
    assert graphs.similar_pairs(limit)[0] == 100_001 * (2 * reach + 1) - reach * (reach + 1)


@pytest.mark.parametrize("side", [21, pytest.param(201, marks=pytest.mark.slow)])
def test_degrees_of_many_values_in_a_plane_are_counted(side):
    """A lattice of points: within 5 steps in all, 2·5·6 others."""
    x, y = np.divmod(np.arange(side * side), side)
    frame = pd.DataFrame({"n1": x, "n2": y})
    specs = {name: ColumnSpec(name, Kind.INTEGER, Role.SENSITIVE, domain=(0, side - 1)) for name in frame}
    limit = dissimilarity(encode_table(frame, specs).select(["n1", "n2"]), Fraction(5, 2 * (side - 1)), "0.5")
    assert graphs.largest_degree(limit) == 60
    graph = graphs.abstract_graph(limit)
    assert graph.largest_degree == 60
    assert len(graph.near) == graphs.similar_pairs(limit)[0]


def test_a_graph_too_large_to_hold_is_refused_before_it_is_built(monkeypatch):
    monkeypatch.setattr(graphs, "LARGEST_LIST", 100)
    limit = dissimilarity(_table(pd.DataFrame({"n1": range(11)})).select(["n1"]), "1", "0.5")
    with pytest.raises(InputRejected, match="121 pairs"):
        graphs.abstract_graph(limit)


DISEASES = [  # paper "general proximity", Table I: distributions over four diseases
    (0.5, 0.3, 0.1, 0.1),
    (0.4, 0.3, 0.2, 0.1),
    (0.4, 0.2, 0.2, 0.2),
    (0.3, 0.4, 0.2, 0.1),
    (0.2, 0.7, 0.1, 0.0),
    (0.2, 0.6, 0.2, 0.0),
    (0.8, 0.1, 0.0, 0.1),
    (0.3, 0.1, 0.5, 0.1),
]


def _diseases():
    parts = ("one", "two", "three", "four")
    frame = pd.DataFrame(DISEASES, columns=list(parts)).assign(age=range(8))
    specs = {
        "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI),
        "disease": ColumnSpec("disease", Kind.VECTOR, Role.SENSITIVE, metric="total-variation", components=parts),
    }
    return encode_table(frame, specs)


def test_the_abstract_graph_of_general_proximity_table_1_is_a_star_around_the_second_row():
    """Total variation, ε = 0.1: Φ(#2) = {1, 2, 3, 4} (its Example 4); in the second group #7 and #8 are near nobody."""
    edges = {(a + 1, b + 1) for a, b in abstract_graph(dissimilarity(_diseases().select(["disease"]), "0.1", "0.25")).edges()}
    assert {edge for edge in edges if max(edge) <= 5} == {(1, 2), (2, 3), (2, 4)}
    assert {edge for edge in edges if min(edge) >= 6} == set()


def test_the_abstract_graph_of_table_1_has_19_edges_and_degree_6(syndromes):
    """Paper "xcolor", Table I, Δ = min |pᵢ − qᵢ|, ε = 0.1; DEFINITIONS §3 Golden."""
    graph = abstract_graph(dissimilarity(syndromes.select(["syndrome"]), "0.1", "0.5"))
    edges = {(a + 1, b + 1) for a, b in graph.edges()}
    assert len(edges) == graph.edge_count == 19
    assert graph.largest_degree == 6
    assert {edge for edge in edges if max(edge) <= 5} == {(1, 3), (2, 3), (3, 4)}
    assert {edge for edge in edges if min(edge) >= 6} == {(6, 9)}


def test_degrees_are_counted_on_distinct_values(people):
    table = people(200, diseases=4)
    limit = dissimilarity(table.select(["disease"]), "0", "0.5")
    codes = table["disease"].codes
    expected = [(codes == code).sum() - 1 for code in codes]
    assert abstract_graph(limit).degrees().tolist() == expected
    assert largest_degree(limit) == max(expected)
