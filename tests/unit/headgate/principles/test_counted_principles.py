"""(α, k), recursive (c, l), β-likeness, δ-disclosure, (k, e) and variance: by hand, and brute force from the definitions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from statistics import pvariance
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Column, Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import InputRejected
from headgate.counting.class_counts import Counted, count
from headgate.counting.figure import Figure
from headgate.principles.alpha_k import alpha_k
from headgate.principles.beta_likeness import beta_likeness
from headgate.principles.delta_disclosure import delta_disclosure
from headgate.principles.k_e import k_e
from headgate.principles.recursive import recursive_c, recursive_l
from headgate.principles.variance import variance

HARMLESS: frozenset[str | None] = frozenset({"none", "-30"})
ROWS = st.lists(st.tuples(st.integers(0, 3), st.sampled_from([None, "a", "b", "c", "d", "none"])), min_size=1, max_size=30)
NUMBERS = st.lists(st.tuples(st.integers(0, 2), st.sampled_from([None, -30, -10, 0, 5, 10.5, 40])), min_size=1, max_size=25)


def column(cells: list[Any], kind: Kind = Kind.CATEGORY, harmless: frozenset[str | None] = HARMLESS) -> Column:
    return encode_column(pd.Series(cells, dtype=object), ColumnSpec("v", kind, Role.SENSITIVE, nonsensitive=harmless))


def classed(classes: list[list[Any]], kind: Kind = Kind.CATEGORY, harmless: frozenset[str | None] = HARMLESS) -> Counted:
    reading = np.repeat(np.arange(len(classes)), [len(one) for one in classes]).astype(np.int32)
    return count(column([cell for one in classes for cell in one], kind, harmless), [reading])


def split(rows: list[tuple[int, Any]]) -> list[list[Any]]:
    return [[cell for number, cell in rows if number == group] for group in sorted({number for number, _ in rows})]


def is_harmless(cell: Any) -> bool:
    return cell in ("none", -30)


def concerned(inside: list[Any]) -> bool:
    return not all(is_harmless(cell) for cell in inside)


@settings(max_examples=60, deadline=None)
@given(ROWS)
def test_alpha_is_the_largest_share_of_a_sensitive_value_and_k_the_smallest_class(rows: list[tuple[int, Any]]) -> None:
    classes = split(rows)
    found = alpha_k(classed(classes))
    alpha = [max((n for cell, n in Counter(one).items() if not is_harmless(cell)), default=0) / len(one) for one in classes]
    assert found.alpha.per_group.tolist() == pytest.approx(alpha)
    assert found.alpha_all.value == pytest.approx(max(max(Counter(one).values()) / len(one) for one in classes))
    assert found.k.value == min(map(len, classes))


def test_alpha_and_k_are_asked_for_together() -> None:
    found = alpha_k(classed([["a", "b"], ["a", "b", "c", "c", "c"]]))
    assert found.holds("0.6", 2)
    assert not found.holds("0.6", 3)
    assert not found.holds("0.59", 2)
    assert found.alpha.short_of("0.5").people == 5


def pd_recursive(inside: list[Any], c: Fraction, l: int) -> bool:  # noqa: E741
    """Machanavajjhala et al. 2007, pd-recursive (c, l)-diversity, word by word: y is the rank of the most frequent sensitive value."""
    if l == 1:
        return True
    ranked = sorted(Counter(inside).items(), key=lambda pair: (-pair[1], is_harmless(pair[0])))
    r = [0] + [n for _, n in ranked]
    m = len(ranked)
    y = next(rank for rank, (cell, _) in enumerate(ranked, 1) if not is_harmless(cell))
    if y <= l - 1:
        return r[y] < c * sum(r[l : m + 1])
    return r[y] < c * (sum(r[l - 1 : y]) + sum(r[y + 1 : m + 1]))


@settings(max_examples=80, deadline=None)
@given(ROWS, st.sampled_from(["0.1", "0.5", "0.6666666666666667", "1", "1.5", "2", "3", "100"]))
def test_recursive_l_is_the_largest_that_the_definition_allows(rows: list[tuple[int, Any]], c: str) -> None:
    classes = split(rows)
    found = recursive_l(classed(classes), c)
    wanted = [max(l for l in range(1, 9) if pd_recursive(one, Fraction(c), l)) if concerned(one) else math.inf for one in classes]  # noqa: E741
    assert found.l.per_group.tolist() == wanted
    plain = []
    for one in classes:
        r = sorted(Counter(one).values(), reverse=True)
        plain.append(max([1] + [l for l in range(2, 9) if r[0] < Fraction(c) * sum(r[l - 1 :])]))  # noqa: E741
    assert found.l_all.per_group.tolist() == plain


@settings(max_examples=80, deadline=None)
@given(ROWS, st.integers(2, 6), st.sampled_from(["0.1", "0.5", "0.6666666666666667", "1", "1.5", "2", "3", "100"]))
def test_the_least_c_is_an_infimum_that_is_itself_refused(rows: list[tuple[int, Any]], l: int, c: str) -> None:  # noqa: E741
    classes = split(rows)
    found = recursive_c(classed(classes), l)
    broken = [i for i, one in enumerate(classes) if concerned(one) and not pd_recursive(one, Fraction(c), l)]
    short = found.c.short_of(c)
    assert short.groups.tolist() == broken
    assert short.people == sum(len(classes[i]) for i in broken)
    for one, figure in zip(classes, found.c.per_group, strict=True):
        if not concerned(one):
            assert figure == 0
        elif math.isinf(figure):
            assert not pd_recursive(one, Fraction(10**9), l)
        else:
            reached = Fraction(figure).limit_denominator(1000)
            assert not pd_recursive(one, reached, l)
            assert pd_recursive(one, reached + Fraction(1, 10**6), l)
    for one, figure in zip(classes, found.c_all.per_group, strict=True):
        r = sorted(Counter(one).values(), reverse=True)
        assert figure == pytest.approx(r[0] / sum(r[l - 1 :]) if sum(r[l - 1 :]) else math.inf)


def test_counts_four_three_two_one_by_hand() -> None:
    """4 < 2·(2+1) but not 4 < 2·1, so (2, 3) holds and (2, 4) does not: counted from the most frequent value, not from the least."""
    counted = classed([list("aaaabbbccd")])
    assert recursive_l(counted, 2).l.value == 3
    assert recursive_c(counted, 3).c.value == pytest.approx(4 / 3)
    assert recursive_c(counted, 5).c.value == math.inf
    boundary = recursive_c(classed([list("aaabbc")]), 2).c  # 3 < c·3
    assert boundary.value == 1
    assert not boundary.short_of(1).met
    assert boundary.short_of(1).missing.tolist() == [0]
    assert boundary.short_of("1.0000000000001").met


def test_constants_of_recursive_diversity_that_mean_nothing_are_refused() -> None:
    counted = classed([["a", "b"]])
    for c in (0, -1, "nan", "inf", "x"):
        with pytest.raises(InputRejected):
            recursive_l(counted, c)
        with pytest.raises(InputRejected):
            recursive_c(counted, 2).c.short_of(c)
    for l in (1, 0, True, 2.5, "2"):  # noqa: E741
        with pytest.raises(InputRejected, match="whole number"):
            recursive_c(counted, l)  # type: ignore[arg-type]


@settings(max_examples=80, deadline=None)
@given(ROWS)
def test_beta_is_the_relative_gain_and_infinite_beyond_minus_ln_p(rows: list[tuple[int, Any]]) -> None:
    classes = split(rows)
    cells = [cell for _, cell in rows]

    def gains(inside: list[Any], everything: bool) -> list[tuple[float, float]]:
        shares = {v: Fraction(cells.count(v), len(cells)) for v in set(inside) if everything or not is_harmless(v)}
        pairs = [(Fraction(inside.count(v), len(inside)), p) for v, p in shares.items()]
        return [(float((q - p) / p), -math.log(p)) for q, p in pairs if q > p]

    found = beta_likeness(classed(classes))
    for everything, basic, enhanced in ((False, found.basic, found.enhanced), (True, found.basic_all, found.enhanced_all)):
        for one, b, e in zip(classes, basic.per_group, enhanced.per_group, strict=True):
            values = gains(one, everything)
            assert b == pytest.approx(max((gain for gain, _ in values), default=0), abs=1e-9)
            wanted = math.inf if any(gain > cap + 1e-9 for gain, cap in values) else max((gain for gain, _ in values), default=0)
            assert e == pytest.approx(wanted, abs=1e-9)


def test_a_frequent_value_made_certain_meets_basic_but_no_enhanced_beta() -> None:
    """p = 1/2, p_E = 1: the gain 1 exceeds −ln ½ ≈ 0.69. With p = 0.1, p_E = 0.2 the same gain stays under −ln 0.1 ≈ 2.3."""
    found = beta_likeness(classed([["a", "a"], ["b", "b"]]))
    assert (found.basic.value, found.enhanced.value) == (1, math.inf)
    assert found.basic.short_of(1).met
    assert not found.enhanced.short_of(10**9).met
    rare = [["a", *"bcde"], ["f", *"bcde"]]
    assert beta_likeness(classed(rare)).enhanced.value == pytest.approx(1)


@settings(max_examples=80, deadline=None)
@given(ROWS)
def test_delta_disclosure_is_the_largest_logarithm_over_the_values_of_the_table(rows: list[tuple[int, Any]]) -> None:
    classes = split(rows)
    cells = [cell for _, cell in rows]

    def logs(inside: list[Any], over: set[Any]) -> float:
        ratios = [Fraction(inside.count(v) * len(cells), len(inside) * cells.count(v)) for v in over]
        return max((math.inf if ratio == 0 else abs(math.log(ratio)) for ratio in ratios), default=0)

    sensitive = {v for v in cells if not is_harmless(v)}
    found = delta_disclosure(classed(classes))
    assert found.figure.per_group.tolist() == pytest.approx([logs(one, sensitive) for one in classes], abs=1e-9)
    assert found.present.per_group.tolist() == pytest.approx([logs(one, set(one) & sensitive) for one in classes], abs=1e-9)
    assert found.figure_all.per_group.tolist() == pytest.approx([logs(one, set(cells)) for one in classes], abs=1e-9)
    assert found.present_all.per_group.tolist() == pytest.approx([logs(one, set(one)) for one in classes], abs=1e-9)


def test_a_value_that_a_class_lacks_discloses_without_bound() -> None:
    """Brickell, Shmatikov 2008: |log(p_E/p)| < δ for every value of S, and the logarithm of 0 is beyond any."""
    found = delta_disclosure(classed([list("aab"), list("abb")]))
    assert found.figure.value == pytest.approx(math.log(3 / 2))  # the rarer value tells more: 1/3 to 1/2
    lacking = delta_disclosure(classed([list("ab"), ["a", "none"]]))
    assert lacking.figure.per_group.tolist() == [pytest.approx(math.log(2)), math.inf]
    assert lacking.present.per_group.tolist() == [pytest.approx(math.log(2)), 0]
    assert not lacking.figure.short_of(10**6).met


def test_a_class_without_sensitive_values_tells_that_nobody_in_it_is_concerned() -> None:
    found = delta_disclosure(classed([["a", "a"], ["none", "none"]]))
    assert found.figure.per_group.tolist() == [pytest.approx(math.log(2)), math.inf]
    assert found.present.per_group[1] == 0
    assert delta_disclosure(classed([["none"], ["none"]])).figure.value == 0


@settings(max_examples=60, deadline=None)
@given(NUMBERS)
def test_k_and_e_and_variance_are_those_of_the_known_numbers(rows: list[tuple[int, Any]]) -> None:
    classes = split(rows)
    counted = classed(classes, Kind.NUMBER)
    known = [[Fraction(str(v)) for v in one if v is not None] for one in classes]
    worst = [math.inf if not concerned(one) else 0.0 for one in classes]
    spread = k_e(counted)
    distinct = [len(set(one)) for one in known]
    ranges = [float(max(one) - min(one)) if one else 0.0 for one in known]
    squares = [float(pvariance(one)) if one else 0.0 for one in known]
    assert spread.k_all.per_group.tolist() == distinct
    assert spread.e_all.per_group.tolist() == pytest.approx(ranges)
    assert spread.k.per_group.tolist() == [max(d, w) for d, w in zip(distinct, worst, strict=True)]
    assert spread.e.per_group.tolist() == pytest.approx([max(r, w) for r, w in zip(ranges, worst, strict=True)])
    found = variance(counted)
    assert found.variance_all.per_group.tolist() == pytest.approx(squares)
    assert found.variance.per_group.tolist() == pytest.approx([max(s, w) for s, w in zip(squares, worst, strict=True)])


def test_salaries_of_two_classes_by_hand() -> None:
    """{3,4,5}: three numbers, range 2, variance 2/3. {6,8,11}: range 5, variance 38/9."""
    counted = classed([[3, 4, 5], [6, 8, 11]], Kind.NUMBER)
    spread = k_e(counted)
    assert spread.holds(3, 2)
    assert not spread.holds(3, "2.1")
    assert not spread.holds(4, 2)
    assert variance(counted).variance.per_group.tolist() == pytest.approx([2 / 3, 38 / 9])
    assert variance(counted).variance.short_of(1).groups.tolist() == [0]


def test_missing_cells_alone_are_no_spread_at_all() -> None:
    counted = classed([[None, None], [1, 2]], Kind.NUMBER)
    assert k_e(counted).k.per_group.tolist() == [0, 2]
    assert k_e(counted).e.per_group.tolist() == [0, 1]
    assert variance(counted).variance.per_group.tolist() == [0, 0.25]
    nothing = classed([[None]], Kind.NUMBER)
    assert (k_e(nothing).k.value, variance(nothing).variance.value) == (0, 0)


def test_close_numbers_far_from_zero_keep_their_variance() -> None:
    assert variance(classed([[10**9, 10**9 + 1]], Kind.NUMBER)).variance.value == 0.25
    assert variance(classed([[1e15, 1e15 + 1, 1e15 + 2]], Kind.NUMBER)).variance.value == pytest.approx(2 / 3)
    many = column([1e15] * 100_000 + [1e15 + 1] * 100_000 + [1e15 + 3] * 100_000, Kind.NUMBER)
    assert variance(count(many, [np.zeros(300_000, dtype=np.int32)])).variance.value == pytest.approx(14 / 9)


def test_numbers_whose_squares_overflow_are_refused() -> None:
    with pytest.raises(InputRejected, match="too large"):
        variance(classed([[-1e200, 1e200]], Kind.NUMBER))


def test_spread_is_of_numbers_only() -> None:
    for measure in (k_e, variance):
        with pytest.raises(InputRejected, match="needs numbers"):
            measure(classed([["a"]]))


MEASURES: dict[str, Callable[[Counted], Figure]] = {
    "alpha": lambda counted: alpha_k(counted).alpha,
    "recursive l": lambda counted: recursive_l(counted, 2).l,
    "recursive c": lambda counted: recursive_c(counted, 2).c,
    "basic": lambda counted: beta_likeness(counted).basic,
    "enhanced": lambda counted: beta_likeness(counted).enhanced,
    "delta": lambda counted: delta_disclosure(counted).figure,
    "present": lambda counted: delta_disclosure(counted).present,
    "k": lambda counted: k_e(counted).k,
    "e": lambda counted: k_e(counted).e,
    "variance": lambda counted: variance(counted).variance,
}


@pytest.mark.parametrize("measure", list(MEASURES))
@settings(max_examples=25, deadline=None)
@given(rows=NUMBERS, seed=st.integers(0, 1000))
def test_row_order_and_repeated_rows_do_not_matter_and_the_worse_reading_counts(
    measure: str, rows: list[tuple[int, Any]], seed: int
) -> None:
    figure = MEASURES[measure]
    cells = column([cell for _, cell in rows], Kind.NUMBER)
    reading = np.unique([group for group, _ in rows], return_inverse=True)[1].astype(np.int32)
    whole = np.zeros(len(rows), dtype=np.int32)
    alone = figure(count(cells, [reading]))
    order = np.random.default_rng(seed).permutation(len(rows))
    twice = np.concatenate([order, order])
    assert figure(count(cells.take(twice), [reading[twice]])).per_group.tolist() == pytest.approx(alone.per_group.tolist())
    both = figure(count(cells, [whole, reading]))
    together = figure(count(cells, [whole]))
    assert both.value in (alone.value, together.value)
    assert both.value == (max if alone.bound == "at most" else min)(alone.value, together.value)
