"""From groups as they came about to a partition."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from headgate.grouping.conditions import DistinctL
from headgate.grouping.watch import Watch
from headgate.methods.blocks.blocks_method import Blocks
from headgate.methods.mondrian.mondrian_method import Mondrian
from headgate.methods.settings import Settings
from headgate.methods.sticky.settling import Settling
from tests.unit.headgate.methods.sticky.grouped_tables import K, drawn_groups


@pytest.mark.parametrize("seed", range(8))
def test_conditions_are_kept_where_uniting_can_keep_them(told, seed):
    """Values are counted on the cells, in the groups and in what is published of them."""
    case = told(seed, 60)
    least = min(3, len(set(case.cells["word"])))
    conditions = (DistinctL("word", Fraction(least)),)
    settling = Settling.of(Mondrian(), case.table, ("word", "pay"), Settings(K, case.limits, conditions), "0.5", 0, Watch())
    groups = settling.settled(drawn_groups(case, seed, 12), np.arange(case.rows))
    found = settling.counted(groups)
    for group in range(found.count):
        inside = np.flatnonzero(groups == group)
        assert len(inside) >= K
        different = len({case.cells["word"][row] for row in inside})
        assert different >= least or "distinct l of word" in found.broken
    assert found.reached or found.broken


def test_turns_take_new_people_first_and_follow_the_rows_in_any_order(told):
    case = told(4, 40)
    cores = np.where(np.arange(40) % 3 == 0, -1, np.arange(40) % 5).astype(np.int32)
    order = np.random.default_rng(0).permutation(40)
    one = Settling.of(Blocks(), case.table, ("word",), Settings(K), "0.5", 0, Watch())
    two = Settling.of(Blocks(), case.table.take(order), ("word",), Settings(K), "0.5", 0, Watch())
    turns, others = one.turns(cores), order[two.turns(cores[order])]
    assert sorted(turns.tolist()) == list(range(40))
    assert (cores[turns[:14]] == -1).all()
    assert one.itemized.item[turns].tolist() == one.itemized.item[others].tolist()
    assert cores[turns].tolist() == cores[others].tolist()


@pytest.mark.parametrize("seed", range(6))
def test_of_several_attributes_nobody_is_lent_to_another_group(told, seed):
    """What both groups have in common is looked at by joint values: it would leave a choice of those, and of one attribute none."""
    case = told(seed, 60)
    groups = drawn_groups(case, seed, 12)
    settling = Settling.of(Blocks(), case.table, ("word", "pay"), Settings(K, case.limits), "1", 0, Watch())
    settled = settling.settled(groups, np.arange(case.rows))
    for group in range(int(groups.max()) + 1):
        inside = settled[groups == group]
        stayed = Counter(inside[inside >= 0].tolist())
        assert len(stayed) <= 1 or _gave_up(case, groups == group)


def _gave_up(case, inside):
    """Of a group that breaks a limit, rows are put where they fit."""
    return not case.keeps(dict(Counter(case.itemized.item[inside].tolist()))) or inside.sum() < K
