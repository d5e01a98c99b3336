"""The groups that `blocks` begins with."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.grouping.items import items_of
from headgate.methods.blocks.tree import grow_tree
from headgate.methods.blocks.ways import first_groups


def _state():
    return np.zeros(3, dtype=np.int64)


def _begun(items, k, price):
    """The leaves of the tree as cells, and the first groups as rows by item."""
    tree = grow_tree(items, np.arange(items.cells), k, price, 2 * items.cells + 1, _state())
    first = first_groups(items, tree, k, price, _state())
    pairs = [
        dict(zip(first.number[begin:end].tolist(), first.rows[begin:end].tolist(), strict=True))
        for begin, end in zip(first.begins, first.begins[1:], strict=False)
    ]
    return tree.leaves(), pairs


@pytest.mark.parametrize("seed", range(12))
def test_every_row_is_in_one_first_group_of_k_rows_at_least_and_orders_only_lower_the_loss(told, seed):
    case, k = told(seed, 200 if seed % 2 else 60, limited=False, quasi=("colour", "school") if seed % 3 == 0 else ("age", "colour")), 4
    leaves, groups = _begun(case.items, k, np.ones(len(case.names)))
    total = Counter()
    for held in groups:
        total.update(held)
        assert sum(held.values()) >= k
    assert [total[item] for item in range(len(case.items.rows))] == case.items.rows.tolist()
    boxes = sum(sum(case.rows_of(cells.tolist()).values()) * case.loss(case.rows_of(cells.tolist())) for cells in leaves)
    assert sum(sum(held.values()) * case.loss(held) for held in groups) <= boxes + 1e-9


@pytest.mark.parametrize("seed", range(8))
def test_under_limits_every_row_is_in_one_first_group_too(told, seed):
    case, k = told(seed, 120), 3
    _leaves, groups = _begun(case.items, k, np.ones(len(case.names)))
    total = Counter()
    for held in groups:
        total.update(held)
    assert [total[item] for item in range(len(case.items.rows))] == case.items.rows.tolist()
    assert min(sum(held.values()) for held in groups) >= k


def test_people_along_a_line_are_cut_where_least_is_lost():
    """Three of each age but one: a box cuts them in halves, and so parts what an order keeps together. By hand: 3, 3, 3, 3 + 1, 3."""
    ages = [10] * 3 + [11] * 3 + [12] * 3 + [30] + [31] * 3 + [60] * 3
    specs = {"age": ColumnSpec("age", Kind.INTEGER, Role.QUASI), "word": ColumnSpec("word", Kind.CATEGORY, Role.SENSITIVE)}
    items = items_of(encode_table(pd.DataFrame({"age": ages, "word": ["x"] * len(ages)}), specs), []).items
    _leaves, groups = _begun(items, 3, np.empty(0))
    sizes = sorted(sorted(items.axes.position[items.item.cell[list(held)], 0].tolist()) for held in groups)
    assert sizes == [[0], [1], [2], [3, 4], [5]]


def test_a_cell_with_many_rows_keeps_those_to_itself_that_nobody_needs():
    """A thousand people of one age, and two beside them who need one for company."""
    specs = {"age": ColumnSpec("age", Kind.INTEGER, Role.QUASI), "word": ColumnSpec("word", Kind.CATEGORY, Role.SENSITIVE)}
    ages = [40] * 1_000 + [41, 42]
    items = items_of(encode_table(pd.DataFrame({"age": ages, "word": ["x"] * 1_002}), specs), []).items
    tree = grow_tree(items, np.arange(items.cells), 3, np.empty(0), 1, _state())
    first = first_groups(items, tree, 3, np.empty(0), _state())
    sizes = [int(first.rows[begin:end].sum()) for begin, end in zip(first.begins, first.begins[1:], strict=False)]
    assert sorted(sizes) == [3, 999]
