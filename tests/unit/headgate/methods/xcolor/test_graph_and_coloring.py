import itertools
from fractions import Fraction

import numpy as np
import pytest

from headgate.core.errors import InputRejected
from headgate.grouping.abstract_graph import abstract_graph, largest_degree
from headgate.grouping.axes import axes_of
from headgate.grouping.items import items_of
from headgate.grouping.limits import dissimilarity
from headgate.grouping.recount import recount
from headgate.methods.xcolor.faithful import color


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
    itemized = items_of(syndromes, [limit])
    both = np.array([0] * 5 + [1] * 5, dtype=np.int32)
    assert recount(itemized, [limit], both).risk == 0.75
    assert recount(itemized, [limit], np.where(both == 1, 0, -1).astype(np.int32)).risk == 0.25


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


def test_too_few_rows_for_one_class_is_an_error(people):
    table = people(5)
    with pytest.raises(InputRejected, match="5 rows"):
        color(axes_of(table), [], 5, 6)
