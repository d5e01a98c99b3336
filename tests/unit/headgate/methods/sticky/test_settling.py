"""From groups as they came about to a partition."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from headgate.grouping.conditions import DistinctL
from headgate.grouping.items import items_of
from headgate.grouping.limits import dissimilarity, linkability
from headgate.grouping.watch import Watch
from headgate.methods.blocks.blocks_method import Blocks
from headgate.methods.mondrian.mondrian_method import Mondrian
from headgate.methods.settings import Settings
from headgate.methods.sticky.settling import Settling, values_of_items
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


def test_values_of_items_are_those_of_their_rows_together_and_each_alone(told):
    case = told(0, 60)
    settings = Settings(K, (dissimilarity(case.table.select(["word", "pay"]), "0", "0.5"),))
    itemized = items_of(case.table, settings.limits)
    values = values_of_items(case.table, ("word", "pay"), settings, itemized)[itemized.item]
    cells = list(zip(case.cells["word"], case.cells["pay"], strict=True))
    for reading, own in enumerate([cells, case.cells["word"], case.cells["pay"]]):
        assert len({*zip(values[:, reading].tolist(), own, strict=True)}) == len({*own}) == len({*values[:, reading].tolist()})
    assert len({*values.ravel().tolist()}) == sum(len({*values[:, reading].tolist()}) for reading in range(3))


def test_nobody_can_be_lent_where_no_limit_looks_at_a_sensitive_attribute(told):
    """Rows that nothing tells apart could have any value of it."""
    case = told(0, 60)
    settings = Settings(K, (linkability(case.table["word"], "0.5"),))
    assert values_of_items(case.table, ("word", "pay"), settings, items_of(case.table, settings.limits)).shape[1] == 0
    assert values_of_items(case.table, ("word",), settings, items_of(case.table, settings.limits)).shape[1] == 1
