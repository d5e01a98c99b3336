"""A new version's groups: who was published together stays together."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.errors import InputRejected
from headgate.core.household_column import household_column
from headgate.grouping.conditions import DistinctL
from headgate.grouping.limits import dissimilarity
from headgate.methods.anonymize import anonymize
from headgate.methods.blocks.blocks_method import Blocks
from headgate.methods.full_domain.full_domain_method import FullDomain
from headgate.methods.mondrian.mondrian_method import Mondrian
from headgate.methods.settings import Infeasible, Settings
from headgate.methods.sticky.keep_groups import keep_groups
from headgate.methods.xcolor.faithful_method import Faithful
from tests.unit.headgate.methods.sticky.grouped_tables import K, rows_by_item, sets_of
from tests.unit.headgate.told_twice import Told

SEEDS = st.integers(0, 2**32 - 1)


def kept(case, before, method=Blocks(), **options):
    before = np.array(before, dtype=np.int32).reshape(case.rows, -1)
    return keep_groups(method, case.table, ("word", "pay"), Settings(K, case.limits, **options), before, 0)


def fresh(case, method=Blocks()):
    return anonymize(method, case.table, ("word", "pay"), Settings(K, case.limits), 0)


def some_new(groups, seed, share=0.3):
    """The same groups, but for people who are new."""
    return np.where(np.random.default_rng(seed).random(len(groups)) < share, -1, groups)


@pytest.mark.parametrize("method", [Blocks(), Mondrian()])
def test_people_who_are_all_new_are_grouped_as_if_there_were_no_series(told, method):
    case = told(2, 60)
    assert (kept(case, np.full((60, 2), -1), method).groups == fresh(case, method).groups).all()


@pytest.mark.parametrize("method", [Blocks(), Mondrian()])
@pytest.mark.parametrize("seed", range(6))
def test_the_same_people_with_the_same_values_are_in_the_same_groups(told, method, seed):
    case = told(seed, 60)
    first = fresh(case, method)
    if first.reached:
        again = kept(case, first.groups, method)
        assert again.reached
        assert sets_of(again.groups) == sets_of(first.groups)


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_whatever_was_before_limits_are_kept_and_every_group_has_k(seed):
    """Counted on the cells. Of former groups that are any, also of people who could never have been published together."""
    draw = np.random.default_rng(seed)
    case = Told(seed, int(draw.integers(K, 70)))
    before = draw.integers(-1, int(draw.integers(1, 12)), (case.rows, int(draw.integers(1, 4))))
    found = kept(case, before, Blocks() if draw.random() < 0.7 else Mondrian(), infeasible=Infeasible.of({"suppress": "0.5"}))
    if found.reached:
        held = rows_by_item(case, found.groups)
        assert all(sum(rows.values()) >= K and case.keeps(rows) for rows in held)
        assert len({case.form(rows) for rows in held}) == len(held)
        assert found.suppressed == (found.groups < 0).sum() <= case.rows / 2
        assert found.count == len(held)
    else:
        assert (found.groups >= 0).all()


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_nobody_is_parted_from_a_group_that_lacks_nothing_unless_they_are_lent(seed):
    """Whoever is not with the others of their core is in a core that lacked people, and is not alone there with a value of their own."""
    draw = np.random.default_rng(seed)
    case = Told(seed, int(draw.integers(K, 70)), limited=False)
    before = draw.integers(-1, 8, case.rows)
    if (before < 0).all():
        return
    found = kept(case, before)
    assert found.reached
    for core in sets_of(before):
        parts = {int(found.groups[row]) for row in core}
        if len(core) <= K:
            assert len(parts) == 1  # nobody is taken from those who have just enough
        elif len(parts) > 1:
            assert any(len(other) < K for other in sets_of(before))


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_where_every_group_has_enough_nobody_is_parted(seed):
    draw = np.random.default_rng(seed)
    case = Told(seed, int(draw.integers(3 * K, 70)), limited=False)
    before = np.where(draw.random(case.rows) < 0.2, -1, np.arange(case.rows) % 2)
    if min(map(len, sets_of(before)), default=0) < K:
        return
    found = kept(case, before)
    assert all(any(core <= group for group in sets_of(found.groups)) for core in sets_of(before))


@pytest.mark.parametrize("seed", range(8))
def test_the_order_of_the_rows_does_not_matter(told, seed):
    """Who is equal in everything may change places; so groups are compared by what they hold."""
    case = told(seed, 60)
    before = np.column_stack([some_new(fresh(case).groups, seed), some_new(fresh(case).groups, seed + 1)])
    order = np.random.default_rng(seed).permutation(60)
    limits = tuple(limit.take(order) for limit in case.limits)
    found = kept(case, before)
    other = keep_groups(Blocks(), case.table.take(order), ("word", "pay"), Settings(K, limits), before[order], 0)
    people = [(*map(str, (cells[row] for cells in case.cells.values())), *before[row].tolist()) for row in range(60)]

    def held(groups, rows):
        return sorted(sorted(people[rows[place]] for place in group) for group in sets_of(groups))

    assert held(found.groups, np.arange(60)) == held(other.groups, order)


def flat_table(ages, words):
    specs = {"age": ColumnSpec("age", Kind.INTEGER, Role.QUASI), "word": ColumnSpec("word", Kind.CATEGORY, Role.SENSITIVE)}
    return encode_table(pd.DataFrame({"age": ages, "word": list(words)}), specs)


def grouped(table, k, before, delta="0.5", **options):
    limit = dissimilarity(table.select(["word"]), "0", delta)
    return keep_groups(Blocks(), table, ("word",), Settings(k, (limit,), **options), np.array(before).reshape(len(before), -1), 0)


def test_newcomers_join_who_is_near_and_those_who_are_far_form_groups_of_their_own():
    table = flat_table([20, 21, 22, 50, 51, 52, 21, 90, 91, 92], "abcabcdabc")
    found = grouped(table, 3, [0, 0, 0, 1, 1, 1, -1, -1, -1, -1])
    assert sets_of(found.groups) == {frozenset([0, 1, 2, 6]), frozenset([3, 4, 5]), frozenset([7, 8, 9])}


def test_newcomers_who_are_too_few_for_a_group_of_their_own_join_all_the_same():
    table = flat_table([20, 21, 22, 50, 51, 52, 90], "abcabcd")
    found = grouped(table, 3, [0, 0, 0, 1, 1, 1, -1])
    assert sets_of(found.groups) == {frozenset([0, 1, 2]), frozenset([3, 4, 5, 6])}


def test_a_core_that_fell_below_k_is_published_with_the_nearest():
    table = flat_table([20, 21, 50, 51, 52, 90, 91, 92], "ababcabc")
    united = grouped(table, 3, [0, 0, 1, 1, 1, 2, 2, 2])
    assert sets_of(united.groups) == {frozenset([0, 1, 2, 3, 4]), frozenset([5, 6, 7])}


def test_a_core_that_lacks_one_row_borrows_it_from_a_larger_one_with_which_it_has_values_in_common():
    """Nobody of the large one loses anything, and who is lent leaves three values to choose from. Under a promise below a third it is
    united."""
    table = flat_table([20, 21, 50, 50, 50, 50, 50, 50], "abababcc")
    parts = sets_of(grouped(table, 3, [0, 0, 1, 1, 1, 1, 1, 1]).groups)
    assert sorted(map(len, parts)) == [3, 5]
    assert any({0, 1} < part and len(part) == 3 for part in parts)
    limit = dissimilarity(table.select(["word"]), "0", "0.5")
    before = np.array([[0, 0, 1, 1, 1, 1, 1, 1]]).T
    strict = keep_groups(Blocks(), table, ("word",), Settings(3, (limit,)), before, 0, promise="0.3")
    assert sets_of(strict.groups) == {frozenset(range(8))}


def test_a_core_whose_values_changed_takes_in_another_with_which_its_limits_are_kept():
    table = flat_table([20, 21, 22, 24, 25, 26, 50, 51, 52], "aaabcdaaa")
    found = grouped(table, 3, [0, 0, 0, 1, 1, 1, 2, 2, 2], delta="0.4", infeasible=Infeasible.of({"suppress": "0.4"}))
    assert found.reached
    assert any(frozenset(range(6)) <= group for group in sets_of(found.groups))
    assert found.suppressed == 1  # of the three who are alike and near nobody, two have room there


def test_rows_that_fit_nowhere_are_suppressed_within_the_share_or_the_partition_is_not_reached():
    table = flat_table([20, 21, 22, 50, 51, 52], "abcaaa")
    before = [0, 0, 0, 1, 1, 1]
    found = grouped(table, 3, before, delta="0.7", infeasible=Infeasible.of({"suppress": "0.5"}))
    assert found.reached
    assert found.suppressed == 3
    assert sets_of(found.groups) == {frozenset([0, 1, 2])}
    refused = grouped(table, 3, before, delta="0.7", infeasible=Infeasible.of({"suppress": "0.4"}))
    assert not refused.reached
    assert (refused.groups >= 0).all()
    assert refused.rows_over > 0


def test_where_groups_cannot_be_kept_within_their_limits_all_rows_are_grouped_anew(told):
    """Groups that nobody published, so that hardly any row may stay: found by drawing some thousands."""
    draw = np.random.default_rng(10178)
    case = told(10178, int(draw.integers(K, 120)), limited=bool(draw.random() < 0.8))
    before = draw.integers(-1, int(draw.integers(1, 20)), (case.rows, int(draw.integers(1, 4))))
    found, anew = kept(case, before), fresh(case)
    assert anew.reached
    assert found.reached
    assert found.suppressed == 0


def test_a_promise_that_may_be_lowered_is_lowered():
    table = flat_table([20, 21, 22, 50, 51, 52], "abcaab")
    found = grouped(table, 3, [0, 0, 0, 1, 1, 1], delta="1", infeasible=Infeasible.of({"relax": "0.3"}))
    assert found.reached
    assert found.delta_asked is not None
    assert 0.3 <= found.delta_asked < 1


def test_mondrian_unites_groups_until_its_conditions_are_kept():
    table = flat_table([20, 21, 22, 50, 51, 52, 80, 81, 82], "aababcabc")
    before = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2])[:, None]
    found = keep_groups(Mondrian(), table, ("word",), Settings(3, conditions=(DistinctL("word", Fraction(3)),)), before, 0)
    assert found.reached
    assert sets_of(found.groups) == {frozenset(range(6)), frozenset([6, 7, 8])}


def test_k_counts_households():
    table = flat_table([20, 21, 22, 50, 51, 52], "abcabc")
    homes = household_column("home", np.array([0, 0, 1, 2, 3, 4]))
    table = replace(table, columns={**table.columns, "home": homes}, household="home")
    for method in (Blocks(), Mondrian()):
        found = keep_groups(method, table, ("word",), Settings(3), np.array([0, 0, 0, 1, 1, 1])[:, None], 0)
        assert found.reached
        assert sets_of(found.groups) == {frozenset(range(6))}


@pytest.mark.parametrize("method", [Faithful(), FullDomain()])
def test_other_methods_cannot_keep_groups(told, method):
    with pytest.raises(InputRejected, match="cannot keep groups"):
        kept(told(0, 20), np.zeros(20), method)


def test_former_groups_of_other_rows_are_refused(told):
    with pytest.raises(InputRejected, match="do not fit"):
        keep_groups(Blocks(), told(0, 20).table, ("word",), Settings(K), np.zeros((19, 1), dtype=np.int32), 0)
