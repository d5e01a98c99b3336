"""Groups that broke are mended."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from headgate.methods.sticky.following import LOOKING, OUT
from headgate.methods.sticky.mending import Keeping, mend
from tests.unit.headgate.methods.sticky.grouped_tables import K, drawn_groups, kept_groups, rows_by_item, sets_of


def mended(case, groups, k=K, must=None):
    must = np.zeros(case.rows, dtype=np.bool_) if must is None else must
    return mend(
        case.itemized,
        Keeping(k, 0.5, case.items.item.joint.astype(np.int64)[:, None]),
        groups,
        np.arange(case.rows),
        np.zeros(3, dtype=np.int64),
        must,
    )


@pytest.mark.parametrize("seed", range(16))
def test_what_comes_out_keeps_every_limit_and_has_k_rows(told, seed):
    case = told(seed, 80)
    groups = drawn_groups(case, seed, 18)
    after = mended(case, groups)
    assert (after[groups < 0] == -1).all()
    held = rows_by_item(case, after)
    assert all(sum(rows.values()) >= K and case.keeps(rows) for rows in held)
    assert len({case.form(rows) for rows in held}) == len(held)


@pytest.mark.parametrize("seed", range(12))
def test_rows_that_are_looking_find_a_place_if_there_is_room_and_rows_that_are_out_stay_out(told, seed):
    """In a group that keeps its limits with them; who finds none could join no group."""
    case = told(seed, 80)
    groups, _ = kept_groups(case, seed)
    draw = np.random.default_rng(seed)
    groups = np.where(groups < 0, np.where(draw.random(80) < 0.5, LOOKING, OUT), groups).astype(np.int32)
    after = mended(case, groups)
    assert (after[groups == OUT] == OUT).all()
    assert (after != LOOKING).all()
    held = rows_by_item(case, after)
    assert all(sum(rows.values()) >= K and case.keeps(rows) for rows in held)
    for row in np.flatnonzero((groups == LOOKING) & (after == OUT)):
        assert not any(case.keeps(rows + Counter([int(case.itemized.item[row])])) for rows in held)


@pytest.mark.parametrize("seed", range(16))
def test_what_is_whole_stays_as_it_is(told, seed):
    case = told(seed, 50)
    groups, _ = kept_groups(case, seed)
    once = mended(case, groups, 2)
    assert sets_of(mended(case, once, 2)) == sets_of(once)


def test_rows_without_a_place_are_in_no_group(told):
    """Nobody is left to unite with."""
    case = told(3, 20)
    few = np.where(np.arange(20) < K - 1, 0, -1).astype(np.int32)
    assert (mended(case, few) == -1).all()
    assert (mended(case, np.full(20, -1, dtype=np.int32)) == -1).all()


def test_a_flagged_group_is_united_whatever_it_keeps(told):
    case = told(1, 60, limited=False)
    groups = (np.arange(60) // 12).astype(np.int32)
    must = np.arange(60) == 0
    before, after = sets_of(mended(case, groups)), sets_of(mended(case, groups, must=must))
    whole = next(group for group in after if 0 in group)
    assert whole > next(group for group in before if 0 in group)
    assert len(after) < len(before)
