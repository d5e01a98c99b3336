"""Figures that the papers print or that follow from what they print; where DEFINITIONS corrects a paper, its figures."""

from fractions import Fraction

import pandas as pd
import pytest

from headgate.bounds.capacity import capacity, equitable_capacity
from headgate.bounds.feasibility import Outlook, feasibility
from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.grouping.abstract_graph import abstract_graph, largest_degree, similar_pairs
from headgate.grouping.limits import allowed_dissimilar, dissimilarity

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


def _words(values):
    specs = {"age": ColumnSpec("age", Kind.INTEGER, Role.QUASI), "word": ColumnSpec("word", Kind.CATEGORY, Role.SENSITIVE)}
    return encode_table(pd.DataFrame({"age": range(len(values)), "word": list(values)}), specs)


def test_the_abstract_graph_of_general_proximity_table_1_is_a_star_around_the_second_row():
    """Total variation, ε = 0.1: Φ(#2) = {1, 2, 3, 4} (its Example 4); in the second group #7 and #8 are near nobody."""
    edges = {(a + 1, b + 1) for a, b in abstract_graph(dissimilarity(_diseases().select(["disease"]), "0.1", "0.25")).edges()}
    assert {edge for edge in edges if max(edge) <= 5} == {(1, 2), (2, 3), (2, 4)}
    assert {edge for edge in edges if min(edge) >= 6} == set()


def test_the_coloring_of_example_4_has_no_monochromatic_edge(syndromes):
    """Paper "xcolor", Example 4 and Figure 2: (#1, #2, #4) and (#3, #5) in the first group of Table I, ε = 0.1."""
    edges = {(a + 1, b + 1) for a, b in abstract_graph(dissimilarity(syndromes.select(["syndrome"]), "0.1", "0.5")).edges()}
    assert not any(set(edge) <= color for edge in edges for color in ({1, 2, 4}, {3, 5}))
    assert (1, 3) in edges


def test_degrees_of_table_1_are_counted_alike_with_and_without_the_graph(syndromes):
    """19 edges and Θ = 6 (DEFINITIONS §3 Golden): 10 rows, and twice 19, are the ordered pairs."""
    limit = dissimilarity(syndromes.select(["syndrome"]), "0.1", "0.5")
    assert similar_pairs(limit) == (10 + 2 * 19, 6)
    assert largest_degree(limit) == 6


@pytest.mark.parametrize(
    ("size", "delta", "most"), [(10, "0.6", 4), (11, "0.6", 5), (10, "0.7", 3), (11, "0.7", 4), (1, "0.1", 0), (1, "0", 1)]
)
def test_the_most_similar_rows_of_a_group(size, delta, most):
    """DEFINITIONS §4: f(s) = ⌊(1−δ)(s−1)⌋ + 1, f(1) = 0 if δ > 0; at δ = 0.7 a group of 11 holds four, one of 10 three."""
    assert allowed_dissimilar(20, delta)[size] == most


def test_groups_of_eleven_hold_more_equal_rows_than_groups_of_ten():
    """DEFINITIONS §4: n = 1000, k = 10, δ = 0.6: groups of 10 hold 400 equal rows, groups of 11 hold 454."""
    f = allowed_dissimilar(1000, "0.6")
    assert equitable_capacity(f, 1000, 10).most == 400
    assert capacity(f, 1000, 10).most == 454


def test_table_1_is_beyond_what_lemma_2_and_inequality_4_speak_of(syndromes):
    """n = 10, Θ = 6, δ = 0.1: in pairs t = ⌊0.9⌋ = 0 and Lemma 2 allows 5·1/2, in fives t = ⌊3.6⌋ = 3 and it allows 2·4/2; Inequality 4
    allows 5·(1 − 0.1/2) and 5·(1 − 0.1·4/5). So neither says anything for this table."""
    for k in (2, 5):
        limit = dissimilarity(syndromes.select(["syndrome"]), "0.1", "0.1")
        (one,) = feasibility([limit], k).limits
        t = {2: 0, 5: 3}[k]
        assert one.largest_degree == one.binding_degree == 6
        assert one.lemma_2_bound == Fraction((10 // k) * (t + 1), 2)
        assert one.inequality_4_bound == 5 * (1 - Fraction(k - 1, k) / 10)
        assert one.bottleneck == pytest.approx(1 - 12 / 10)
        assert not one.guaranteed


def test_inequality_4_may_hold_where_nothing_exists():
    """DEFINITIONS §4: n = 3, k = 2, δ = 0.6, one similar pair satisfies Inequality 4 and is infeasible."""
    table = _words("aab")
    found = feasibility([dissimilarity(table.select(["word"]), "0", "0.6")], 2)
    (one,) = found.limits
    assert one.largest_degree == 1
    assert one.inequality_4_slack == pytest.approx(3 / 2 * (1 - 0.5 * 0.6) - 1)
    assert one.inequality_4_slack > 0
    assert one.lemma_2_slack == -0.5
    assert found.outlook is Outlook.REFUTED


def test_lemma_2_has_the_slack_of_its_floors():
    """1000 rows, k = 10, δ = 0.6: m = 100, t = ⌊0.4·9⌋ = 3, so Θ ≤ 200; of 150 equal rows each has 149 neighbours. Inequality 4 allows
    500·(1 − 0.9·0.6) = 230."""
    table = _words(["x"] * 150 + [f"v{i}" for i in range(850)])
    found = feasibility([dissimilarity(table.select(["word"]), "0", "0.6")], 10)
    assert found.outlook is Outlook.GUARANTEED
    assert (found.limits[0].lemma_2_slack, found.limits[0].inequality_4_slack) == (51, 81)
    assert found.limits[0].bottleneck == pytest.approx(0.702)
