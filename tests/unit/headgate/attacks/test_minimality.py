"""Minimality against counting every assignment."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.attacks.minimality import beliefs, middle_cut, minimality
from headgate.core.columns import Column, Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import InputRejected


def column(values: list[str], nonsensitive: frozenset[str | None] = frozenset()) -> Column:
    return encode_column(pd.Series(values), ColumnSpec("v", Kind.CATEGORY, Role.SENSITIVE, nonsensitive=nonsensitive))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from("abc"), min_size=4, max_size=7), st.integers(1, 3), st.integers(0, 3), st.integers(0, 3), st.booleans())
def test_beliefs_are_those_of_the_assignments_that_break_the_promise(
    values: list[str], first: int, cap_one: int, cap_other: int, all_sensitive: bool
) -> None:
    held = sorted(set(values))
    flags = np.array([all_sensitive or value != "a" for value in held])
    watched = [value for value, flag in zip(held, flags, strict=True) if flag]
    sums, broken = np.zeros((2, len(held))), 0
    for order in permutations(values):
        one, other = order[:first], order[first:]
        if any(one.count(value) > cap_one or other.count(value) > cap_other for value in watched):
            broken += 1
            sums += [[one.count(value) / len(one) for value in held], [other.count(value) / len(other) for value in held]]
    counts = np.array([values.count(value) for value in held])
    found = beliefs(counts, flags, (first, len(values) - first), (cap_one, cap_other))
    if broken == 0:
        assert found is None
    else:
        assert found is not None
        np.testing.assert_allclose(found, sums / broken, atol=1e-9)


def test_golden_wong_a_pair_that_was_merged_must_have_shared_the_value() -> None:
    """Worked by hand in the manner of Wong et al.'s Table 1: two people of one kind, two of another, two of four have HIV, at most one of a
    part may. The cut breaks the promise only if one kind holds both, so either kind has HIV with 1/2, as before."""
    assert beliefs(np.array([2, 2]), np.array([True, False]), (2, 2), (1, 1)) == pytest.approx(0.5)
    # five people, two HIV, parts of 3 and 2, at most one in either: broken with (2, 0) in 3 ways or (0, 2) in 1 way
    found = beliefs(np.array([2, 3]), np.array([True, False]), (3, 2), (1, 1))
    assert found is not None
    assert found[:, 0] == pytest.approx([2 / 3 * 3 / 4, 1 / 4])


def test_a_group_that_was_not_cut_raises_belief_in_what_would_have_broken_the_promise() -> None:
    age = encode_column(pd.Series([20, 20, 20, 30, 30]), ColumnSpec("age", Kind.INTEGER, Role.QUASI))
    values = column(["hiv", "hiv", "no", "no", "no"], frozenset({"no"}))
    found = minimality([age], np.zeros(5, dtype=np.int32), values, 2, linkability="0.5")
    assert found.groups == 1
    assert found.prior == pytest.approx(0.4)
    assert found.belief == pytest.approx(0.5)
    assert found.m == pytest.approx(2)
    assert found.ratio == pytest.approx(1.25)
    assert "1.25" in found.sentence()
    assert "hiv" not in found.sentence()


def test_where_belief_stays_as_it_was_the_sentence_says_so() -> None:
    """The golden pair: either kind has HIV with 1/2, as before."""
    age = encode_column(pd.Series([20, 20, 30, 30]), ColumnSpec("age", Kind.INTEGER, Role.QUASI))
    values = column(["hiv", "hiv", "no", "no"], frozenset({"no"}))
    found = minimality([age], np.zeros(4, dtype=np.int32), values, 2, linkability="0.5")
    assert (found.groups, found.ratio) == (1, pytest.approx(1))
    assert "the belief in a value does not rise; m-confidentiality holds for m = 2." in found.sentence()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_the_largest_rise_is_that_of_counting_every_assignment_in_every_group(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 7, 4)
    groups = np.repeat(np.arange(4), sizes).astype(np.int32)
    ages, values = (
        [int(age) for age in rng.integers(20, 24, len(groups))],
        [str(value) for value in rng.choice(["a", "b", "c"], len(groups))],
    )
    ratio, belief, right, people = 1.0, 0.0, 0, 0
    for group in range(4):
        rows = sorted((i for i in range(len(groups)) if groups[i] == group), key=lambda i: ages[i])
        held = [values[i] for i in rows]
        belief = max(belief, *(held.count(value) / len(held) for value in held))
        cuts = [at for at in range(2, len(rows) - 1) if ages[rows[at - 1]] < ages[rows[at]]]
        if not cuts:
            continue
        cut = min(cuts, key=lambda at: abs(2 * at - len(rows)))
        parts = [range(cut), range(cut, len(rows))]
        broken = [
            order
            for order in permutations(held)
            if any(2 * [order[i] for i in part].count(value) > len(part) for part in parts for value in held)
        ]
        if not broken:
            continue
        shares = {(p, v): sum(order[part[0]] == v for order in broken) / len(broken) for p, part in enumerate(parts) for v in held}
        ratio = max(ratio, *(share * len(held) / held.count(value) for (_, value), share in shares.items()))
        belief = max(belief, *shares.values())
        people += len(held)
        for p, part in enumerate(parts):
            best = min(sorted(set(held)), key=lambda value, p=p: -round(shares[p, value], 9))
            right += sum(held[i] == best for i in part)
    age = encode_column(pd.Series(ages), ColumnSpec("age", Kind.INTEGER, Role.QUASI))
    found = minimality([age], groups, column(values), 2, linkability="0.5")
    assert (found.ratio, found.belief) == pytest.approx((ratio, belief))
    assert (found.success.people if found.success else 0) == people
    assert (found.success.right if found.success else 0) == right


def test_a_group_too_small_to_cut_tells_nothing() -> None:
    age = encode_column(pd.Series([20, 20, 20, 30, 30]), ColumnSpec("age", Kind.INTEGER, Role.QUASI))
    found = minimality([age], np.zeros(5, dtype=np.int32), column(["a", "a", "b", "c", "d"]), 3, delta="0.5")
    assert (found.groups, found.ratio, found.success) == (0, 1.0, None)
    assert found.belief == found.prior == 0.4
    with pytest.raises(InputRejected, match="one promise"):
        minimality([age], np.zeros(5, dtype=np.int32), column(["a"] * 5), 2)


def test_a_cut_is_nearest_to_the_middle_and_leaves_k_on_both_sides() -> None:
    codes = np.array([0, 0, 1, 1, 1, 1, 2], dtype=np.int32)
    found = middle_cut(codes, 1)
    assert found is not None
    assert found.tolist() == [True, True] + [False] * 5
    assert middle_cut(codes, 3) is None
