"""Groups that grow from a first person."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Kind, Role
from headgate.core.compiling import loop
from headgate.core.encode import ColumnSpec, encode_table
from headgate.grouping.items import items_of
from headgate.methods.blocks.cut_orders import empty_line
from headgate.methods.blocks.growing import CELLS, FEWEST, grow_line, may_grow


@loop
def grown(items, cells, k, line):
    return grow_line(items, cells, k, line)


@loop
def may(items, cells, rows, k):
    return may_grow(items, cells, rows, k)


def stretches(items, k):
    """What all rows lose, and the items of each group."""
    line, rows = empty_line(items, k), int(items.rows.sum())
    lost = grown(items, np.arange(items.cells), k, line)
    groups, end = [], rows
    while end > 0:
        groups.append(line.item[line.begin[end] : end].tolist())
        end = line.begin[end]
    return lost, groups


def aged(ages):
    specs = {"age": ColumnSpec("age", Kind.INTEGER, Role.QUASI), "word": ColumnSpec("word", Kind.CATEGORY, Role.SENSITIVE)}
    return items_of(encode_table(pd.DataFrame({"age": ages, "word": ["x"] * len(ages)}), specs), []).items


@pytest.mark.parametrize("seed", range(8))
def test_everybody_is_in_one_group_of_k_to_2k_minus_1_and_what_they_lose_is_told(told, seed):
    case, k = told(seed, 45, limited=False, quasi=("age", "colour", "school")), 4
    lost, groups = stretches(case.items, k)
    assert Counter(item for held in groups for item in held) == Counter(dict(enumerate(case.items.rows.tolist())))
    assert all(k <= len(held) < 2 * k for held in groups)
    assert lost == pytest.approx(sum(len(held) * case.loss(Counter(held)) for held in groups))


def test_who_widens_a_group_least_joins_it_and_who_is_left_over_joins_the_nearest():
    """By hand, from the first: 100 is the farthest, then 0; 60 is left over, and makes 50 to 52 lose least."""
    items = aged([0, 1, 2, 50, 51, 52, 98, 99, 100, 60])
    ages = [0, 1, 2, 50, 51, 52, 60, 98, 99, 100]
    _lost, groups = stretches(items, 3)
    assert sorted(sorted(ages[items.axes.position[items.item.cell[item], 0]] for item in held) for held in groups) == [
        [0, 1, 2],
        [50, 51, 52, 60],
        [98, 99, 100],
    ]


def test_only_boxes_of_some_size_with_sparse_cells_grow():
    few, enough, dense = aged(range(FEWEST - 1)), aged(range(FEWEST)), aged(list(range(FEWEST)) * 3)
    one_large = aged([*range(2 * FEWEST), *[7] * 20])
    for items, grows in ((few, False), (enough, True), (dense, False), (one_large, False)):
        assert may(items, np.arange(items.cells), int(items.rows.sum()), 5) is grows
    large = aged(range(CELLS + 1))
    assert not may(large, np.arange(large.cells), CELLS + 1, 5)
    assert may(large, np.arange(CELLS), CELLS, 5)
