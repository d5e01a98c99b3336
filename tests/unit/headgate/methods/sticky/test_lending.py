"""A core that lacks people borrows them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from headgate.methods.sticky.core_draft import draft_of
from headgate.methods.sticky.lending import lend
from tests.unit.headgate.methods.blocks.drafts import assert_boxes_cover_their_groups
from tests.unit.headgate.methods.blocks.drafts import rows_by_item as held_by
from tests.unit.headgate.methods.sticky.grouped_tables import K, kept_groups, rows_by_item, without_gaps


def values_of(case):
    """Of each item: word and pay together, and each alone."""
    rows = [(case.cells["word"][row], case.cells["pay"][row]) for row in case.like]
    return [[(reading, value) for reading, value in enumerate([both, *both])] for both in rows]


def lent(case, groups, share):
    draft = draft_of(case.itemized, groups, K, np.zeros(3, dtype=np.int64))
    values = values_of(case)
    number = {value: i for i, value in enumerate(dict.fromkeys(value for own in values for value in own))}
    loans = lend(draft, np.array([[number[value] for value in own] for own in values]), share).copy()
    assert_boxes_cover_their_groups(draft)
    return draft, loans


def may_lend(case, giver, taker, item, share):
    """Both keep their limits, and what they have in common leaves a choice, of both attributes together and of each."""
    if sum(giver.values()) <= K:
        return False
    less, more, values = giver - Counter([item]), taker + Counter([item]), values_of(case)
    if not (case.keeps(less) and case.keeps(more)):
        return False
    for reading in range(3):
        one, two = Counter(), Counter()
        for counts, held in ((one, giver), (two, more)):
            for other, rows in held.items():
                counts[values[other][reading]] += rows
        if max((one & two).values()) > share * (one & two).total():
            return False
    return True


def one_lacks_a_row(case, seed):
    """Groups that keep their limits, of which the first has K − 1 rows and all others more than K."""
    groups, many = kept_groups(case, seed)
    sizes = np.bincount(groups[groups >= 0], minlength=many)
    few, enough = np.flatnonzero(sizes == K - 1), np.flatnonzero(sizes > K)
    if len(few) == 0 or len(enough) == 0:
        return None
    return without_gaps(np.where(np.isin(groups, [few[0], *enough]), groups, -1)), int(np.searchsorted(enough, few[0]))


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.5, 1.0])
def test_the_row_that_is_borrowed_costs_least_of_all_that_may_be_lent(told, share):
    """Every row of every group is tried by counting. A loan costs what the borrowing group and the row lose afterwards."""
    borrowed = 0
    for seed in range(40):
        case = told(seed, 60)
        drawn = one_lacks_a_row(case, seed)
        if drawn is None:
            continue
        groups, taker = drawn
        held = rows_by_item(case, groups)
        draft, loans = lent(case, groups, share)
        costs = {}
        for giver, rows in enumerate(held):
            for item in rows if giver != taker else ():
                if may_lend(case, rows, held[taker], item, share):
                    more = held[taker] + Counter([item])
                    costs[giver, item] = K * case.loss(more) - (K - 1) * case.loss(held[taker])
        assert held_by(draft.groups)[taker] in (held[taker], *(held[taker] + Counter([item]) for _, item in costs))
        if len(loans) == 1:
            loan = loans[0]
            assert loan.taker == taker
            assert costs[int(loan.giver), int(loan.number)] == pytest.approx(min(costs.values()), abs=1e-9)
            borrowed += 1
    assert borrowed >= 3


@pytest.mark.parametrize("seed", range(20))
def test_who_lends_keeps_its_limits_and_k_and_what_is_borrowed_mends(told, seed):
    case = told(seed, 80)
    groups, _ = kept_groups(case, seed)
    draft, loans = lent(case, groups, 0.75)
    held, after = rows_by_item(case, groups), held_by(draft.groups)
    expected = [Counter(rows) for rows in held]
    for loan in loans:
        expected[int(loan.giver)] -= Counter([int(loan.number)])
        expected[int(loan.taker)] += Counter([int(loan.number)])
    assert after == expected
    for group, rows in enumerate(after):
        assert case.keeps(rows)
        if sum(rows.values()) != sum(held[group].values()):
            assert sum(rows.values()) >= K
    assert not {int(loan.giver) for loan in loans} & {int(loan.taker) for loan in loans}


def test_what_is_in_common_must_leave_a_choice(told):
    """With a share of 0 nobody may be lent."""
    for seed in range(10):
        case = told(seed, 80)
        assert len(lent(case, kept_groups(case, seed)[0], 0.0)[1]) == 0
