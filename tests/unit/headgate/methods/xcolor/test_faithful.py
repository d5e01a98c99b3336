"""`faithful`: the paper's lemmas on arbitrary graphs, its initial coloring, hard cases, and being stopped."""

import itertools
import time
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.bounds.feasibility import feasibility
from headgate.core.columns import Kind, Role
from headgate.core.distance import MATRIX, Distance, DistanceLayout
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.errors import InputRejected
from headgate.grouping.abstract_graph import abstract_graph, largest_degree, similar_pairs
from headgate.grouping.axes import axes_of
from headgate.grouping.limits import NeighbourhoodLimit, allowed_dissimilar, dissimilarity, linkability
from headgate.grouping.nearness import compile_limits
from headgate.grouping.watch import DONE, STOP, TOTAL, Stopped, Watch
from headgate.methods.xcolor.classes import seat
from headgate.methods.xcolor.exchanges import EXCHANGES, exchange_pairs, measure_all, open_classes, prepare
from headgate.methods.xcolor.faithful import color, initialize, row_degrees


def _graph_limit(near, delta):
    """A promise whose abstract graph is any graph: one value a row, at distance 0 from its neighbours and 1 from the others."""
    rows = len(near)
    apart = np.where(near | np.eye(rows, dtype=bool), 0.0, 1.0).ravel()
    layout = DistanceLayout(np.array([MATRIX]), np.array([0]), np.array([rows]), apart, np.array([1.0]), 1.0, False)
    numbers = np.arange(rows, dtype=np.int32)
    allowed = allowed_dissimilar(rows, delta)
    return NeighbourhoodLimit("graph", ("value",), layout, numbers[:, None], numbers, np.ones(rows, bool), 0.5, allowed, Fraction(delta))


def _graph(draw, rows, largest):
    """A random graph in which no row has more than `largest` neighbours."""
    near = np.zeros((rows, rows), dtype=bool)
    pairs = np.array([(a, b) for a in range(rows) for b in range(a)])
    for one, other in draw.permutation(pairs)[: rows * largest].tolist():
        if near[one].sum() < largest and near[other].sum() < largest:
            near[one, other] = near[other, one] = True
    return near


def _axes(values):
    kind = Kind.CATEGORY if isinstance(values[0], str) else Kind.NUMBER
    specs = {
        "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI),
        "sex": ColumnSpec("sex", Kind.CATEGORY, Role.QUASI),
        "value": ColumnSpec("value", kind, Role.SENSITIVE),
    }
    rows = np.arange(len(values))
    table = encode_table(pd.DataFrame({"age": rows * 7 % 31, "sex": np.where(rows % 3, "f", "m"), "value": list(values)}), specs)
    return table, axes_of(table)


def _inside(near, groups):
    """Neighbours of every row in its own class, counted pair by pair."""
    return (near & (groups[:, None] == groups[None, :])).sum(axis=1)


def _most(size, delta):
    whole = (1 - Fraction(delta)) * (size - 1)
    return whole.numerator // whole.denominator


@st.composite
def graphs_within_lemma_2(draw):
    k = draw(st.integers(2, 9))
    rows = draw(st.integers(2 * k, 66))
    delta = draw(st.sampled_from(["0", "0.2", "0.3", "0.5", "0.6", "0.7", "0.75", "0.9", "1"]))
    return draw(st.integers(0, 10**6)), rows, k, delta, (rows // k) * (_most(k, delta) + 1) // 2


def _converges(drawn):
    seed, rows, k, delta, largest = drawn
    near = _graph(np.random.default_rng(seed), rows, min(largest, rows - 1))
    limit = _graph_limit(near, delta)
    assert feasibility([limit], k).guaranteed
    coloring = color(_axes([0.0] * rows)[1], [limit], rows, k, cycles=False)
    sizes = np.bincount(coloring.groups)
    inside = _inside(near, coloring.groups)
    assert coloring.violations == 0
    assert sizes.min() >= k
    assert sizes.max() - sizes.min() <= 1
    assert all(count <= _most(int(sizes[group]), delta) for count, group in zip(inside, coloring.groups, strict=True))


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(graphs_within_lemma_2())
def test_every_graph_within_lemma_2_is_colored_by_pairs_alone(drawn):
    """With floors and uneven sizes: Θ ≤ m(t+1)/2, t = ⌊(1−δ)(k−1)⌋ (DEFINITIONS §4)."""
    _converges(drawn)


@pytest.mark.long
@settings(max_examples=6_000, deadline=None)
@given(graphs_within_lemma_2())
def test_thousands_of_graphs_within_lemma_2_are_colored_by_pairs_alone(drawn):
    _converges(drawn)


@pytest.mark.long
@pytest.mark.parametrize("k", [2, 3, 5, 10])
def test_lemma_2_holds_for_every_remainder_of_n_by_k(k):
    for rows in range(k, 5 * k):
        for delta in ("0.2", "0.5", "0.7", "0.9"):
            _converges((rows, rows, k, delta, (rows // k) * (_most(k, delta) + 1) // 2))


def _started(near, delta, groups, most=None):
    """Exchanging on a coloring that is given; `most` rows may be similar in a class, or as many as δ allows."""
    limit = _graph_limit(near, delta)
    limit = limit if most is None else replace(limit, allowed=np.full(len(near) + 1, most, dtype=np.int64))
    compiled = compile_limits([limit], len(near))
    exchange = prepare(_axes([0.0] * len(near))[1], compiled, seat(compiled, groups, int(groups.max()) + 1))
    measure_all(exchange)
    return exchange


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 8), st.integers(2, 8), st.integers(1, 20), st.sampled_from(["0.3", "0.5", "0.8"]))
def test_movable_classes_are_those_with_few_neighbours_and_as_many_as_lemma_1_says(seed, classes, k, largest, delta):
    """At least m − ⌊Θ/(t+1)⌋ classes hold at most t neighbours, the row's own among them or not."""
    draw = np.random.default_rng(seed)
    rows = classes * k
    near = _graph(draw, rows, min(largest, rows - 1))
    groups = draw.permutation(np.arange(rows) % classes).astype(np.int32)
    exchange, t = _started(near, delta, groups), _most(k, delta)
    for row in range(rows):
        open_classes(exchange, row, -1)
        counts = np.bincount(groups[near[row]], minlength=classes)
        movable = [group for group in range(classes) if counts[group] <= t]
        assert np.flatnonzero(exchange.search.open).tolist() == [group for group in movable if group != groups[row]]
        assert len(movable) >= classes - near.sum(axis=1).max() // (t + 1)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 8), st.integers(2, 6), st.integers(1, 12))
def test_theorem_3_any_coloring_of_equal_sizes_becomes_one_of_small_class_degrees(seed, classes, k, largest):
    """No row keeps more than ⌈2Θ/m⌉ − 1 neighbours in its class, from an arbitrary start, in at most |E| exchanges."""
    draw = np.random.default_rng(seed)
    rows = classes * k
    near = _graph(draw, rows, min(largest, rows - 1))
    bound = max(1, -(-2 * int(near.sum(axis=1).max()) // classes))
    groups = draw.permutation(np.arange(rows) % classes).astype(np.int32)
    exchange = _started(near, "0.5", groups, bound)
    before = int(_inside(near, groups).sum()) // 2
    exchange_pairs(exchange, np.zeros(3, dtype=np.int64), 0)
    inside = _inside(near, exchange.classes.group)
    assert inside.max() <= bound - 1
    assert int(inside.sum()) // 2 <= before - exchange.search.tally[EXCHANGES]


@settings(max_examples=80, deadline=None)
@given(
    st.integers(0, 10**6), st.integers(4, 40), st.integers(2, 6), st.integers(1, 30), st.sampled_from(["0.5", "0.7", "0.9"]), st.booleans()
)
def test_each_exchange_lowers_the_monochromatic_edges_and_all_counts_are_exact(seed, rows, k, largest, delta, cycles):
    """Also where the promise cannot be kept: exchanging ends, and says how many violations and edges are left."""
    if rows < k:
        return
    near = _graph(np.random.default_rng(seed), rows, min(largest, rows - 1))
    limit = _graph_limit(near, delta)
    before = int(_inside(near, initialize(near.sum(axis=1).astype(np.int64), rows // k)).sum()) // 2
    coloring = color(_axes([0.0] * rows)[1], [limit], rows, k, cycles=cycles)
    sizes, inside = np.bincount(coloring.groups), _inside(near, coloring.groups)
    assert coloring.potential == int(inside.sum()) // 2 <= before - coloring.exchanges
    assert coloring.violations == sum(n > _most(int(sizes[g]), delta) for n, g in zip(inside, coloring.groups, strict=True))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 12), min_size=1, max_size=60), st.integers(1, 20))
def test_the_initial_coloring_takes_the_class_with_the_least_sum_of_degrees(degrees, classes):
    """Algorithm 1 by scanning all classes for every row; equal sums go to the first class."""
    if classes > len(degrees):
        return
    base = len(degrees) // classes
    load, height, expected = [0] * classes, [0] * classes, {}
    for i, row in enumerate(sorted(range(len(degrees)), key=lambda row: (-degrees[row], row))):
        full = base if i < base * classes else base + 1
        chosen = min((g for g in range(classes) if height[g] < full), key=lambda g: (load[g], g))
        expected[row] = chosen
        load[chosen] += degrees[row]
        height[chosen] += 1
    groups = initialize(np.array(degrees, dtype=np.int64), classes)
    assert groups.tolist() == [expected[row] for row in range(len(degrees))]


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


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([1.0, 2.0, 3.0]), st.sampled_from(["0", "0.05", "0.1", "0.3", "0.5", "0.7", "1"]))
def test_degrees_are_those_of_comparing_every_pair_of_rows(seed, power, epsilon):
    """Components that weigh more than ε alone and those that do not, missing cells, ordinals."""
    draw = np.random.default_rng(seed)
    rows = 60
    number = np.where(draw.random(rows) < 0.1, np.nan, draw.integers(0, 21, rows) / 2)
    job = draw.choice(["a", "b", "c", None], rows)
    rank = draw.integers(0, 5, rows)
    frame = pd.DataFrame({"number": number, "job": job, "rank": [f"l{i}" for i in rank]})
    levels = tuple(f"l{i}" for i in range(5))
    specs = {
        "number": ColumnSpec("number", Kind.NUMBER, Role.SENSITIVE, domain=(0, 10)),
        "job": ColumnSpec("job", Kind.CATEGORY, Role.SENSITIVE),
        "rank": ColumnSpec("rank", Kind.ORDINAL, Role.SENSITIVE, levels=levels),
    }
    table = encode_table(frame, specs)
    weights = dict(zip(frame.columns, draw.integers(1, 5, 3).tolist(), strict=True))
    limit = dissimilarity(table.select(list(frame.columns)), epsilon, "0.5", Distance(p=power, weights=weights))

    def apart(a, b):
        both, one = np.isnan(number[a]) and np.isnan(number[b]), np.isnan(number[a]) or np.isnan(number[b])
        parts = [0.0 if both else 1.0 if one else abs(number[a] - number[b]) / 10, float(job[a] != job[b]), abs(rank[a] - rank[b]) / 4]
        whole = sum(weights.values())
        return sum(w / whole * d**power for w, d in zip(weights.values(), parts, strict=True)) ** (1 / power)

    expected = [sum(apart(a, b) <= float(epsilon) + 1e-8 for b in range(rows) if b != a) for a in range(rows)]
    assert row_degrees([limit], rows).tolist() == expected


def test_exchanges_lower_the_number_of_monochromatic_edges(people):
    table = people(300)
    limit = dissimilarity(table.select(["income"]), "0.1", "0.7")
    income = table["income"].values[table["income"].codes]
    near = np.abs(income[:, None] - income[None, :]) <= 0.1 * (income.max() - income.min()) + 1e-6
    np.fill_diagonal(near, False)
    before = int(_inside(near, initialize(near.sum(axis=1), 30)).sum()) // 2
    coloring = color(axes_of(table), [limit], 300, 10)
    assert coloring.violations == 0 < coloring.exchanges
    assert coloring.potential == int(_inside(near, coloring.groups).sum()) // 2 <= before - coloring.exchanges


def test_where_all_rows_are_similar_nothing_is_exchanged():
    rows = 20_000
    table, axes = _axes(["a"] * rows)
    coloring = color(axes, [dissimilarity(table.select(["value"]), "0", "0.5")], rows, 10)
    assert (coloring.violations, coloring.exchanges, coloring.potential) == (rows, 0, rows * 9 // 2)


@pytest.mark.parametrize("cycles", [False, True])
def test_the_centre_of_a_star_violates_wherever_it_sits(cycles):
    """Its class has k − 1 monochromatic edges, whoever is in it; with t = 0 all of the class violate."""
    near = np.zeros((600, 600), dtype=bool)
    near[17, :] = near[:, 17] = True
    near[17, 17] = False
    coloring = color(_axes([0.0] * 600)[1], [_graph_limit(near, "0.95")], 600, 10, cycles=cycles)
    assert (coloring.violations, coloring.exchanges, coloring.potential) == (10, 0, 9)


@pytest.mark.parametrize(("clique", "kept"), [(6_000, True), (6_001, False)])
def test_one_giant_clique_fits_as_long_as_every_class_takes_its_share(clique, kept):
    """2,000 classes of 10 rows hold 3 similar ones each at δ = 0.7 (t = ⌊2.7⌋ = 2)."""
    rows = 20_000
    table, axes = _axes([1.0] * clique + (10.0 + np.arange(rows - clique)).tolist())
    coloring = color(axes, [dissimilarity(table.select(["value"]), "0", "0.7")], rows, 10)
    assert (coloring.violations == 0) == kept


def test_thirty_copies_of_every_row_are_kept_apart():
    values = np.repeat(np.arange(200.0), 30)
    table, axes = _axes(values.tolist())
    coloring = color(axes, [dissimilarity(table.select(["value"]), "0", "0.9")], len(values), 10)
    assert coloring.violations == 0
    assert all(len(set(values[coloring.groups == group])) == 10 for group in range(0, 600, 37))


def test_two_classes_of_hundreds_of_rows_are_exchanged_between():
    """Few large classes: what a value finds in a class is kept, not counted again. One class begins with nearly all of one value."""
    draw = np.random.default_rng(4)
    values = draw.permutation(np.repeat(np.arange(20.0), 60))
    table, axes = _axes(values.tolist())
    limit = dissimilarity(table.select(["value"]), "0", "0.95")
    compiled = compile_limits([limit], len(values))
    exchange = prepare(axes, compiled, seat(compiled, (values % 2).astype(np.int32), 2))
    measure_all(exchange)
    exchange_pairs(exchange, np.zeros(3, dtype=np.int64), 0)
    counts = [np.bincount(values[exchange.classes.group == group].astype(int), minlength=20) for group in range(2)]
    assert [int(count.sum()) for count in counts] == [600, 600]
    assert max(int(count.max()) for count in counts) <= _most(600, "0.95") + 1


def test_no_limit_at_all_is_kept_by_the_initial_coloring():
    coloring = color(_axes([0.0] * 25)[1], [], 25, 10)
    assert (coloring.violations, coloring.exchanges, coloring.potential) == (0, 0, 0)
    assert sorted(np.bincount(coloring.groups).tolist()) == [12, 13]


def _hopeless(rows):
    """Most rows can never be kept apart, so exchanging goes on for long."""
    draw = np.random.default_rng(1)
    table, axes = _axes(np.round(draw.normal(0, 12, rows)).tolist())
    return axes, [dissimilarity(table.select(["value"]), "0.1", "0.8"), linkability(table["value"], "0.1")]


@pytest.mark.long
def test_a_long_run_tells_how_many_violations_are_gone_and_stops_within_a_second():
    axes, limits = _hopeless(60_000)
    color(*_hopeless(2_000), 2_000, 5)
    told, stopped = [], []

    def report(done, total):
        told.append((done, total))
        if len(told) == 3:
            stopped.append(time.monotonic())
            watch.stop()

    watch = Watch(report)
    with pytest.raises(Stopped):
        color(axes, limits, 60_000, 5, watch)
    assert time.monotonic() - stopped[0] < 1.0
    assert all(0 <= done <= total for done, total in told)
    assert told[0][1] > 0


@pytest.mark.slow
def test_what_is_watched_comes_out_as_what_is_not_and_all_violations_are_told_as_gone():
    draw = np.random.default_rng(1)
    table, axes = _axes(draw.normal(0, 12, 4_000).tolist())
    limits = [dissimilarity(table.select(["value"]), "0.1", "0.6")]
    watch = Watch()
    watched, alone = color(axes, limits, 4_000, 5, watch), color(axes, limits, 4_000, 5)
    assert watched.violations == 0 < watched.exchanges
    assert watched.groups.tolist() == alone.groups.tolist()
    assert watch.state[DONE] == watch.state[TOTAL] > 0


def test_a_run_that_is_stopped_before_it_begins_exchanges_nothing():
    near = _graph(np.random.default_rng(0), 40, 12)
    exchange = _started(near, "0.9", (np.arange(40) // 10).astype(np.int32))
    state = np.zeros(3, dtype=np.int64)
    state[STOP] = 1
    exchange_pairs(exchange, state, 0)
    assert exchange.search.tally[EXCHANGES] == 0


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


@pytest.mark.parametrize(("groups", "delta_neighbours", "expected"), [(2, 2, Fraction(1, 4)), (4, 1, Fraction(7, 16))])
def test_a_random_partition_violates_as_often_as_example_5_says(groups, delta_neighbours, expected):
    """8 rows, δ = 1/2, a row with two neighbours: violated if 2 of them share its group of 4, or 1 of them its group of 2."""
    places = list(itertools.product(range(groups), repeat=2))
    violated = sum((a == 0) + (b == 0) >= delta_neighbours for a, b in places)
    assert Fraction(violated, len(places)) == expected


def test_too_few_rows_for_one_class_is_an_error(people):
    table = people(5)
    with pytest.raises(InputRejected, match="5 rows"):
        color(axes_of(table), [], 5, 6)
