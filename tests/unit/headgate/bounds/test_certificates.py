from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.bounds.capacity import capacity, equitable_capacity
from headgate.bounds.certificates import Reason, refute
from headgate.bounds.cliques import cliques_of
from headgate.core.columns import Kind, Role
from headgate.core.distance import Distance
from headgate.core.encode import ColumnSpec, encode_table
from headgate.grouping.limits import allowed_dissimilar, allowed_share, dissimilarity, linkability


def _table(values):
    specs = {"age": ColumnSpec("age", Kind.INTEGER, Role.QUASI), "value": ColumnSpec("value", Kind.INTEGER, Role.SENSITIVE, domain=(0, 10))}
    return encode_table(pd.DataFrame({"age": range(len(values)), "value": list(values)}), specs)


def _possible(values, k, reach, delta, partitions):
    """Does any partition satisfy the definition? Every one is tried."""
    share = 1 - Fraction(delta)
    for groups in partitions(len(values), k):
        if all(
            (len(group) > 1 or share == 1)
            and all(sum(abs(values[i] - values[j]) <= reach for j in group) - 1 <= share * (len(group) - 1) for i in group)
            for group in groups
        ):
            return True
    return False


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("delta", ["0.3", "0.5", "0.6", "1"])
@pytest.mark.parametrize("reach", [0, 1, 3])
def test_what_is_refuted_has_no_partition(set_partitions, k, delta, reach):
    """Sound against exhaustive search over all partitions of up to 8 rows."""
    draw = np.random.default_rng(int(Fraction(delta) * 100) + 10 * k + reach)
    for _ in range(12):
        values = draw.integers(0, 4 if reach else 3, int(draw.integers(4, 9))).tolist()
        table = _table(values)
        found = refute([dissimilarity(table.select(["value"]), str(reach / 10), delta)], k, table.select(["value"]))
        if found is not None and found.refutes == "every partition":
            assert not _possible(values, k, reach, delta, set_partitions)
            if found.to_suppress is not None:
                for gone in range(min(found.to_suppress, len(values) - k + 1)):
                    for rows in combinations(range(len(values)), len(values) - gone):
                        assert not _possible([values[row] for row in rows], k, reach, delta, set_partitions)


def test_most_of_what_is_impossible_for_tiny_tables_is_refuted(set_partitions):
    """Certificates are not complete, but they are of use."""
    draw = np.random.default_rng(1)
    impossible = refuted = 0
    for _ in range(60):
        values = draw.choice([0, 0, 0, 1, 2], 7).tolist()
        table = _table(values)
        found = refute([dissimilarity(table.select(["value"]), "0", "0.6")], 2, table.select(["value"]))
        if not _possible(values, 2, 0, "0.6", set_partitions):
            impossible += 1
            refuted += found is not None and found.refutes == "every partition"
    assert impossible > 20
    assert refuted >= 0.8 * impossible


@st.composite
def rooms(draw):
    """n, k and f of (ε, δ) or of a share."""
    k, rows = draw(st.integers(1, 5)), draw(st.integers(5, 28))
    share = draw(st.fractions(0, 1, max_denominator=12))
    return k, rows, draw(st.sampled_from([allowed_dissimilar(rows, share), allowed_share(rows, share)])), share


def _sizes(rows, least, most):
    """Every way to sum up to `rows` by at most `most` numbers from `least` on, none smaller than the one before."""
    if rows == 0:
        yield ()
    if most > 0:
        for size in range(least, rows + 1):
            for rest in _sizes(rows - size, size, most - 1):
                yield (size, *rest)


@settings(max_examples=40, deadline=None)
@given(rooms())
def test_cap_is_the_best_over_all_sizes_and_so_is_what_fits_beside_a_number_of_others(drawn):
    """Every way to divide n. Groups that hold similar rows hold f(s) of them, and s − f(s) others each; the linear bound is no lower."""
    k, rows, f, _ = drawn
    room = capacity(f, rows, k)
    best, beside = 0, [0] * (rows + 1)
    for some in range(k, rows + 1):
        for sizes in _sizes(some, k, some):
            if some == rows:
                best = max(best, sum(int(f[size]) for size in sizes))
            filled = [size for size in sizes if f[size] > 0]
            others = sum(size - int(f[size]) for size in filled)
            beside[others] = max(beside[others], sum(int(f[size]) for size in filled))
    assert room.most == best
    outside = np.arange(rows + 1)
    linear = replace(room, by_outside=None)
    for others in range(rows + 1):
        assert room.beside(outside)[others] >= max(beside[: others + 1])
        assert linear.beside(outside)[others] >= max(beside[: others + 1])
    assert room.most <= rows * room.fullest[0] // room.fullest[1]


@settings(max_examples=40, deadline=None)
@given(rooms(), st.integers(2, 4))
def test_few_classes_hold_no_more_than_is_said(drawn, classes):
    k, rows, _, delta = drawn
    if delta == 0:
        return
    f = allowed_dissimilar(rows, delta)
    room = capacity(f, rows, k).in_classes(classes, delta)
    for some in range(k, rows + 1):
        for sizes in _sizes(some, k, classes):
            held = sum(int(f[size]) for size in sizes)
            others = sum(size - int(f[size]) for size in sizes if f[size] > 0)
            assert room.beside(np.array([others]))[0] >= held
            assert some < rows or room.most >= held


@settings(max_examples=40, deadline=None)
@given(rooms())
def test_what_equitable_classes_hold_beside_others_is_never_said_too_low(drawn):
    k, rows, f, _ = drawn
    if rows < k:
        return
    classes = rows // k
    sizes = [rows // classes + (i < rows % classes) for i in range(classes)]
    room = equitable_capacity(f, rows, k)
    assert room.most == sum(int(f[size]) for size in sizes)
    kinds = sorted(set(sizes))
    for used in np.ndindex(*(sizes.count(size) + 1 for size in kinds)):
        filled = [(size, many) for size, many in zip(kinds, used, strict=True) if f[size] > 0]
        others = sum(many * (size - int(f[size])) for size, many in filled)
        assert room.beside(np.array([others]))[0] >= sum(many * int(f[size]) for size, many in filled)


def test_the_fullest_group_is_found_exactly_among_ten_million_sizes():
    """At δ = 0.6 and k = 10 a group of 11 is fullest, with 5; a share of 3,333,333 in 10 million is met by all rows together only."""
    f = allowed_dissimilar(10_000_000, "0.6")
    assert capacity(f, 10_000_000, 10).fullest == (5, 11)
    third = allowed_share(10_000_000, Fraction(3_333_333, 10_000_000))
    assert capacity(third, 10_000_000, 10_000_000).fullest == (3_333_333, 10_000_000)
    assert capacity(third, 10_000_000, 10).fullest == (3_333_333, 10_000_000)


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


def test_cap_of_many_rows_is_bounded_by_the_best_size():
    """DEFINITIONS §4: 454 at n = 1000; the linear bound ⌊n·max f(s)/s⌋ for large n is never below it."""
    f = allowed_dissimilar(3000, "0.6")
    assert capacity(f, 1000, 10).most == 454
    assert equitable_capacity(f, 1000, 10).most == 400
    assert capacity(f, 3000, 10).most == 3000 * 5 // 11


def test_too_many_for_groups_of_equal_size_refutes_only_the_coloring():
    values = [0] * 430 + [(i % 9) + 1 for i in range(570)]
    table = _table(values)
    found = refute([dissimilarity(table.select(["value"]), "0", "0.6")], 10, table.select(["value"]))
    assert found is not None
    assert (found.reason, found.refutes, found.rows, found.bound) == (Reason.CLIQUE, "faithful", 430, 400)
    assert found.values == (0,)


def test_a_row_with_too_few_dissimilar_rows_refutes():
    """Certificate 2: ⌈δ(k−1)⌉ dissimilar rows; value 5 is within 5 of everything."""
    table = _table([0, 1, 5, 9, 10, 0, 10, 1])
    found = refute([dissimilarity(table.select(["value"]), "0.5", "0.5")], 3, table.select(["value"]))
    assert found is not None
    assert found.reason is Reason.DISSIMILAR
    assert (found.rows, found.bound) == (0, 1)
    assert found.values == (5,)


def test_harmless_values_refute_nothing():
    frame = pd.DataFrame({"age": range(20), "value": ["none"] * 18 + ["flu", "cold"]})
    specs = {
        "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI),
        "value": ColumnSpec("value", Kind.CATEGORY, Role.SENSITIVE, nonsensitive=frozenset({"none"})),
    }
    table = encode_table(frame, specs)
    assert refute([dissimilarity(table.select(["value"]), "0", "0.6"), linkability(table["value"], "0.5")], 2) is None


def test_certificates_hold_for_linkability_as_well():
    table = _table([1] * 9 + [2])
    found = refute([linkability(table["value"], "0.8")], 2, table.select(["value"]))
    assert found is not None
    assert found.limit == "linkability of value"
    assert (found.rows, found.bound) == (9, 8)
    assert "1" not in found.sentence().split()
