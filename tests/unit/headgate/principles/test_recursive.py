"""Recursive (c, l)-diversity against its definition."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.errors import InputRejected
from headgate.principles.recursive import recursive_c, recursive_l
from tests.unit.headgate.principles.counted_rows import ROWS, classed, concerned, is_harmless, split


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
