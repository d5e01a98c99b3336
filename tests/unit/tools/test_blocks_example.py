"""The example of docs/blocks.md is what `blocks` does, and shows every step of it."""

from __future__ import annotations

import numpy as np
import pytest

from headgate.grouping.items import items_of
from headgate.methods.blocks.local_groups import divide
from tools.blocks_example import AGES, ILLNESSES, K, example, limits, recount_table, table
from tools.make_docs import DOCS, outdated


@pytest.fixture(scope="module")
def steps():
    return example()


def test_the_page_shows_what_the_code_does():
    assert DOCS / "blocks.md" not in outdated(DOCS)


def test_the_steps_end_in_the_groups_of_the_method(steps):
    itemized = items_of(table(), limits(table()))
    groups = divide(itemized.items, itemized.item, K, [0, 0], np.zeros(3, dtype=np.int64))
    assert _as_sets(groups) == _as_sets(steps.groups)


def test_every_step_has_something_to_show(steps):
    leaves = {tuple(leaf.tolist()) for leaf in steps.tree.leaves()}
    assert len(leaves) < len(steps.begun.groups)
    assert leaves & set(steps.begun.groups)
    assert not steps.begun.aside
    assert steps.started.aside
    assert not steps.placed.aside
    assert len(steps.placed.groups) > len(steps.started.groups)
    assert steps.moves > 0
    assert set(steps.moved.groups) != set(steps.placed.groups)


def test_nobody_is_lost_and_in_the_end_no_illness_fills_more_than_half_of_a_group(steps):
    for step in (steps.begun, steps.started, steps.placed, steps.moved):
        assert sorted([*step.aside, *(row for group in step.groups for row in group)]) == list(range(len(AGES)))
    for group in _as_sets(steps.groups):
        own = [ILLNESSES[row] for row in group]
        assert len(own) >= K
        assert 2 * max(map(own.count, own)) <= len(own)
    assert steps.recount.reached(K)
    assert "**reached**" in recount_table()


def _as_sets(groups):
    return {frozenset(np.flatnonzero(groups == group).tolist()) for group in range(int(groups.max()) + 1)}
