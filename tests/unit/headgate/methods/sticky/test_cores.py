"""Who is not divided: people who have been published together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate.core.errors import InputRejected
from headgate.methods.sticky.cores import cores_of

SEEDS = st.integers(0, 2**32 - 1)


def before_of(*versions):
    """One column per version."""
    return np.array(versions, dtype=np.int32).T


def sets_of(cores):
    return {frozenset(np.flatnonzero(cores == core).tolist()) for core in set(cores.tolist()) - {-1}}


def drawn_history(seed):
    draw = np.random.default_rng(seed)
    rows, versions = int(draw.integers(1, 40)), int(draw.integers(1, 5))
    return draw.integers(-1, int(draw.integers(1, 5)), (rows, versions)).astype(np.int32), int(draw.integers(1, 9))


def test_the_groups_of_the_only_version_are_the_cores():
    cores = cores_of(before_of([7, 7, -1, 3, 3, 7]), 10)
    assert sets_of(cores) == {frozenset([0, 1, 5]), frozenset([3, 4])}
    assert cores[2] == -1


def test_what_was_united_for_a_while_is_two_cores_again():
    """Two groups of four, of which one lost two people, were published as one group; two people came into it."""
    cores = cores_of(before_of([0, 0, 0, 0, 1, 1, -1, -1], [5, 5, 5, 5, 5, 5, 5, 5]), 4)
    assert sets_of(cores) == {frozenset([0, 1, 2, 3]), frozenset([4, 5, 6, 7])}  # who comes belongs to the smaller one


def test_what_is_left_of_a_core_is_no_core_if_it_is_below_half_of_k():
    cores = cores_of(before_of([0, 0, 0, 0, 0, 1, 1], [5, 5, 5, 5, 5, 5, 5]), 5)
    assert sets_of(cores) == {frozenset(range(7))}


def test_what_a_version_divided_is_divided():
    cores = cores_of(before_of([0, 0, 0, 0], [1, 1, 2, 2]), 2)
    assert sets_of(cores) == {frozenset([0, 1]), frozenset([2, 3])}


def test_who_was_suppressed_for_a_version_goes_back_to_where_most_of_the_core_are():
    cores = cores_of(before_of([0, 0, 0, 0, 0, 0, 9], [1, 1, 2, 2, 2, -1, -1]), 2)
    assert sets_of(cores) == {frozenset([0, 1]), frozenset([2, 3, 4, 5]), frozenset([6])}


def test_a_list_of_groups_is_refused():
    with pytest.raises(InputRejected, match="rows and versions"):
        cores_of(np.zeros(3, dtype=np.int32), 2)


@given(SEEDS)
def test_who_was_ever_published_has_a_core_and_no_core_spans_two_groups_of_the_version_published_last(seed):
    before, k = drawn_history(seed)
    cores = cores_of(before, k)
    assert ((cores >= 0) == (before >= 0).any(axis=1)).all()
    assert set(cores.tolist()) - {-1} == set(range(cores.max() + 1))
    last = before[:, -1]
    for core in sets_of(cores):
        assert len({int(last[row]) for row in core} - {-1}) <= 1
    for group in set(last.tolist()) - {-1}:  # a small core is alone in its group
        parts = [int((cores[last == group] == core).sum()) for core in set(cores[last == group].tolist())]
        assert len(parts) == 1 or min(parts) >= k / 2


@given(SEEDS)
def test_cores_follow_the_rows_whatever_their_order_and_the_numbers_of_groups(seed):
    before, k = drawn_history(seed)
    order = np.random.default_rng(seed).permutation(len(before))
    assert sets_of(cores_of(before[order], k)) == {
        frozenset(np.argsort(order)[list(core)].tolist()) for core in sets_of(cores_of(before, k))
    }
    doubled = np.where(before >= 0, 3 * before + 2, -1).astype(np.int32)
    assert (cores_of(doubled, k) == cores_of(before, k)).all()


@given(SEEDS)
def test_a_version_published_again_changes_no_core(seed):
    before, k = drawn_history(seed)
    once, twice = cores_of(before, k), cores_of(np.column_stack([before, before[:, -1]]), k)
    there = before[:, -1] >= 0
    assert sets_of(np.where(there, once, -1)) == sets_of(np.where(there, twice, -1))
