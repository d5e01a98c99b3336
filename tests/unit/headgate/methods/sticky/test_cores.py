"""Who belongs together: people who were published together last."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from headgate.methods.sticky.cores import cores_of
from tests.unit.headgate.methods.sticky.grouped_tables import sets_of

SEEDS = st.integers(0, 2**32 - 1)


def before_of(*versions):
    """One column per version."""
    return np.array(versions, dtype=np.int32).T


def drawn_history(seed):
    draw = np.random.default_rng(seed)
    rows, versions = int(draw.integers(1, 40)), int(draw.integers(1, 5))
    return draw.integers(-1, int(draw.integers(1, 5)), (rows, versions)).astype(np.int32)


def test_the_groups_of_the_version_published_last_are_the_cores():
    cores = cores_of(before_of([0, 0, 0, 1, 1, 1], [7, 7, -1, 3, 3, 7]))
    assert sets_of(cores) == {frozenset([0, 1, 2, 5]), frozenset([3, 4])}


def test_who_was_not_in_the_last_version_belongs_to_where_most_of_the_group_are():
    cores = cores_of(before_of([0, 0, 0, 0, 0, 0, 9, -1], [1, 1, 2, 2, 2, -1, -1, -1]))
    assert sets_of(cores) == {frozenset([0, 1]), frozenset([2, 3, 4, 5]), frozenset([6])}
    assert cores[7] == -1


def test_who_come_back_together_after_everybody_else_left_are_a_core():
    cores = cores_of(before_of([4, 4, 4, 5], [-1, -1, -1, 4]))
    assert sets_of(cores) == {frozenset([0, 1, 2]), frozenset([3])}


@given(SEEDS)
def test_who_was_ever_published_has_a_core_and_the_last_groups_are_not_divided(seed):
    before = drawn_history(seed)
    cores, last = cores_of(before), before[:, -1]
    assert ((cores >= 0) == (before >= 0).any(axis=1)).all()
    assert set(cores.tolist()) - {-1} == set(range(cores.max() + 1))
    assert sets_of(np.where(last >= 0, cores, -1)) == sets_of(last)
    if before.shape[1] > 1:  # who was in the version before it: the most frequent last group of their mates then
        then = before[:, -2]
        for row in np.flatnonzero((last < 0) & (then >= 0)):
            mates = Counter(last[(then == then[row]) & (last >= 0)].tolist())
            there = set(last[(cores == cores[row]) & (last >= 0)].tolist())
            assert there == set() if not mates else mates[there.pop()] == max(mates.values())


@given(SEEDS)
def test_cores_follow_the_rows_whatever_their_order_and_the_numbers_of_groups(seed):
    before = drawn_history(seed)
    order = np.random.default_rng(seed).permutation(len(before))
    cores, others = sets_of(cores_of(before)), sets_of(cores_of(before[order]))
    assert {frozenset(order[list(core)].tolist()) for core in others} == cores
    doubled = np.where(before >= 0, 3 * before + 2, -1).astype(np.int32)
    assert (cores_of(doubled) == cores_of(before)).all()
